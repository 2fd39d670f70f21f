"""The daemon as a process: it connects to Slack by itself, and what it acknowledged it works off."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.standins.daemon_process import DaemonProcess
from tests.standins.far_side import Answer, Received
from tests.standins.slack_api import SlackApi
from tests.standins.slack_socket import APP_TOKEN, SlackLine, slash
from tests.workspaces import copy_sample

CONFIG = """[provider]
kind = "extractive"
[web]
port = 0
[slack]
channel = "C0123456789"
base_url = "{url}"
deciders = ["U0FOUNDER"]
"""


class WholeSlack(SlackApi):
    """One address for both: what is posted, and the line that presses come in by."""

    def __init__(self, line: SlackLine) -> None:
        super().__init__()
        self.line = line

    def act(self, request: Received) -> Answer:
        if request.path == "/api/apps.connections.open":
            return self.line.act(request)
        return super().act(request)


@pytest.fixture
def slack() -> Iterator[WholeSlack]:
    with SlackLine() as line, WholeSlack(line) as whole:
        yield whole


def replies(slack: WholeSlack) -> list[str]:
    return [key for key in slack.keys if key.startswith("reply/")]


def test_a_command_that_was_acknowledged_is_answered_once_also_after_a_kill(
    tmp_path: Path, slack: WholeSlack
) -> None:
    """The process is killed as soon as it acknowledged; the next life answers what is left. A stop then
    is quick, though the line is open."""
    root = copy_sample(tmp_path / "venture", CONFIG.format(url=slack.base_url))
    secrets = {"SLACK_BOT_TOKEN": slack.token, "SLACK_APP_TOKEN": APP_TOKEN}
    line = slack.line
    with DaemonProcess(root, environ=secrets) as daemon:
        assert line.wait_for_lines(1), daemon.said()
        line.say(slash("E1", "status", trigger="one"))
        assert line.wait_for_acks("E1"), daemon.said()
        daemon.process.send_signal(signal.SIGKILL)
        daemon.process.wait()
    with DaemonProcess(root, environ=secrets) as daemon:
        assert line.wait_for_lines(2), daemon.said()
        line.say(slash("E2", "status", trigger="one"))
        line.say(slash("E3", "status", trigger="two"))
        assert line.wait_for_acks("E2", "E3"), daemon.said()
        daemon.wait_until(lambda: len(replies(slack)) == 2, "the second answer")
        inbox = daemon.health()["inbox"]
        assert (inbox["way"], inbox["connected"], inbox["problem"]) == ("socket", True, None)
        assert inbox["fresh"]
        assert daemon.stop() == 0
        said = daemon.said()
    assert len(set(replies(slack))) == 2
    assert not [secret for secret in secrets.values() if secret in said]
    assert "ticket-" not in said
    shown = next(post.text for post in slack.posted if post.key.startswith("reply/"))
    assert "State: " in shown
