"""Where the line to Slack may lead, and what is said of a connection that cannot be; the rest of it is
in tests/unit/scheduling/test_listening.py, over a real WebSocket."""

from __future__ import annotations

import socket

import pytest

from daemon.errors import SendLater, SendRefused
from daemon.notify.slack_socket import SlackSocket, checked_address
from tests.standins.far_side import drops
from tests.standins.slack_socket import SlackLine


@pytest.mark.parametrize(
    "url",
    ["wss://slack.example:8443/x", "ws://slack.example/x", "https://slack.example", "", 7, None],
)
def test_an_address_in_the_clear_is_not_gone_to(url: object) -> None:
    """The library would, to any port but 443, with the ticket in the address."""
    with pytest.raises(SendLater, match="encrypted"):
        checked_address(url, "slack.com", direct=False)


def test_an_encrypted_address_and_one_on_this_machine_are_taken() -> None:
    """The second only where the API itself is on this machine."""
    far, near = "wss://wss.slack.example/link/?ticket=1", "ws://127.0.0.1:9/link"
    assert checked_address(far, "slack.com", direct=False) == far
    assert checked_address(near, "127.0.0.1", direct=True) == near
    with pytest.raises(SendLater):
        checked_address(near, "slack.com", direct=False)


def test_a_token_that_is_refused_says_what_to_do_and_not_the_token() -> None:
    """It is the secret's name that a person needs."""
    with SlackLine() as slack:
        line = SlackSocket(app_token="xapp-wrong", base_url=slack.base_url, read_seconds=5)
        with pytest.raises(SendRefused, match="slack_app_token") as refusal:
            line.connect()
        assert "xapp-wrong" not in str(refusal.value)


def test_a_far_side_that_drops_or_is_not_there_is_tried_later() -> None:
    """Nothing was sent that could be lost, and the answer names the host alone."""
    with SlackLine() as slack:
        slack.script(drops(after_acting=False))
        line = SlackSocket(app_token=slack.token, base_url=slack.base_url, read_seconds=5)
        with pytest.raises(SendLater, match=slack.host):
            line.connect()
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    line = SlackSocket(app_token="xapp-1", base_url=f"http://127.0.0.1:{port}/api/", read_seconds=5)
    with pytest.raises(SendLater, match="cannot be reached"):
        line.connect()
