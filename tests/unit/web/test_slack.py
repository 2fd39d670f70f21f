"""POST /slack/...: the signature first, over the raw body; then kept, answered, and nothing more."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from urllib.parse import urlencode

import pytest
from werkzeug.test import TestResponse

from daemon.clock import ManualClock
from daemon.errors import StoreError
from daemon.store import inbox
from daemon.web.slack import MOST_BYTES, is_signed
from tests.standins.slack_socket import block_actions, mentioned, slash
from tests.unit.web.watched import Watched, watched_in

SECRET = "8f742231b10e8888abcd99yyyzzz85a5"
CONFIG = '[slack]\nchannel = "C0123456789"\nmode = "http"\ndeciders = ["U0FOUNDER"]\n'
FORM = "application/x-www-form-urlencoded"
# Slack's own example (docs.slack.dev, "Verifying requests from Slack").
SAMPLE_STAMP = "1531420618"
SAMPLE_BODY = (
    b"token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow"
    b"&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner"
    b"&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands"
    b"%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN"
    b"&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
)
SAMPLE_SIGNATURE = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    secrets = tmp_path / "venture" / "state" / "secrets"
    secrets.mkdir(mode=0o700, parents=True)
    for name, value in (("slack_bot_token", "xoxb-1"), ("slack_signing_secret", SECRET)):
        (secrets / name).touch(mode=0o600)
        (secrets / name).write_text(value)
    with watched_in(tmp_path, CONFIG) as built:
        yield built


def signature(stamp: str, body: bytes, secret: str = SECRET) -> str:
    base = b"v0:" + stamp.encode() + b":" + body
    return "v0=" + hmac.new(secret.encode(), base, hashlib.sha256).hexdigest()


def post(
    watched: Watched, path: str, body: bytes, *, content_type: str = FORM, late: float = 0.0,
    **changed: str,
) -> TestResponse:  # fmt: skip
    stamp = str(int(watched.clock.now().timestamp() - late))
    headers = {
        "X-Slack-Request-Timestamp": stamp,
        "X-Slack-Signature": signature(stamp, body),
        **{name.replace("_", "-"): value for name, value in changed.items()},
    }
    return watched.client.post(path, data=body, headers=headers, content_type=content_type)


def press(**given: str) -> bytes:
    return urlencode({"payload": json.dumps(block_actions(**given))}).encode()


def test_slacks_own_example_is_right_at_its_time_and_wrong_in_any_other_form() -> None:
    """Over the bytes as they came: the same form written anew has another signature."""
    at = ManualClock(datetime.fromtimestamp(int(SAMPLE_STAMP), UTC))
    assert is_signed(SECRET, SAMPLE_BODY, SAMPLE_STAMP, SAMPLE_SIGNATURE, at)
    anew = SAMPLE_BODY.replace(b"&text=&", b"&")
    assert not is_signed(SECRET, anew, SAMPLE_STAMP, SAMPLE_SIGNATURE, at)
    assert not is_signed("another", SAMPLE_BODY, SAMPLE_STAMP, SAMPLE_SIGNATURE, at)
    for minutes in (-6, 6):
        then = ManualClock(at.now() + timedelta(minutes=minutes))
        assert not is_signed(SECRET, SAMPLE_BODY, SAMPLE_STAMP, SAMPLE_SIGNATURE, then)


def test_a_press_is_kept_and_answered_and_nothing_else(watched: Watched) -> None:
    """Its effect is the inbox's; the token and the response's address are not kept."""
    answer = post(watched, "/slack/interactions", press(value="A1:00"))
    assert (answer.status_code, answer.data) == (200, b"")
    (row,) = inbox.list_open(watched.services.db)
    assert (row.source, row.payload["value"]) == ("slack.http", "A1:00")
    assert "token" not in row.payload
    assert watched.services.inbound.arrived.is_set()


def test_a_request_that_is_replayed_has_one_effect(watched: Watched) -> None:
    """Within the five minutes its signature stays right, and it is known all the same."""
    for _ in range(3):
        assert post(watched, "/slack/interactions", press()).status_code == 200
    assert len(inbox.list_open(watched.services.db)) == 1


def test_a_command_hears_at_once_that_it_is_worked_on_or_why_not(watched: Watched) -> None:
    """Only whoever typed it reads that."""
    for user, key in (("U0FOUNDER", "inbox.at_once"), ("U0STRANGER", "inbox.not_listed")):
        body = urlencode(slash("", "status", user=user, trigger=user)["payload"]).encode()
        answer = post(watched, "/slack/commands", body)
        text = watched.services.phrases.text(key)
        assert answer.get_json() == {"response_type": "ephemeral", "text": text}
    assert len(inbox.list_open(watched.services.db)) == 2


def test_the_address_is_confirmed_and_an_event_kept(watched: Watched) -> None:
    """Slack asks for its challenge when the address is entered."""
    asked = {"type": "url_verification", "challenge": "c-123", "token": "x"}
    kind = "application/json"
    answer = post(watched, "/slack/events", json.dumps(asked).encode(), content_type=kind)
    assert (answer.status_code, answer.data) == (200, b"c-123")
    assert answer.mimetype == "text/plain"
    event = json.dumps(mentioned("", "status")["payload"]).encode()
    assert post(watched, "/slack/events", event, content_type=kind).status_code == 200
    assert len(inbox.list_open(watched.services.db)) == 1


FORGED = {
    "another secret": {"X_Slack_Signature": signature("1", b"", "another")},
    "none": {"X_Slack_Signature": ""},
    "outside ASCII": {"X_Slack_Signature": "v0=ñ"},
    "a stamp that is no number": {"X_Slack_Request_Timestamp": "soon"},
    "a stamp of other digits": {"X_Slack_Request_Timestamp": "١٢٣"},
    "no stamp": {"X_Slack_Request_Timestamp": ""},
    "a stamp without end": {"X_Slack_Request_Timestamp": "9" * 4_400},
    "a negative stamp": {"X_Slack_Request_Timestamp": "-1"},
}


def test_what_slack_did_not_sign_is_refused_and_counted(watched: Watched) -> None:
    """403 whatever the fault is, never 500; nothing is kept, and /health says how many."""
    for what, changed in FORGED.items():
        answer = post(watched, "/slack/interactions", press(), **changed)
        assert answer.status_code == 403, what
    assert (
        post(watched, "/slack/interactions", b"\xff\xfe=1", X_Slack_Signature="v0=1").status_code
        == 403
    )
    for late in (301, -301):
        assert post(watched, "/slack/interactions", press(), late=late).status_code == 403
    assert inbox.list_open(watched.services.db) == []
    assert watched.client.get("/health").get_json()["inbox"]["refused"] == len(FORGED) + 3


def test_a_body_changed_after_it_was_signed_is_refused(watched: Watched) -> None:
    """The signature is that of the body before."""
    stamp = str(int(watched.clock.now().timestamp()))
    signed = signature(stamp, press(value="A1:00"))
    answer = post(watched, "/slack/interactions", press(value="A2:00"), X_Slack_Signature=signed)
    assert answer.status_code == 403


def test_a_signed_body_of_another_form_is_refused_clearly(watched: Watched) -> None:
    """As JSON that says what is wrong."""
    cases = [
        ("/slack/interactions", b"payload=[1]", FORM, 400),
        ("/slack/interactions", b"other=1", FORM, 400),
        ("/slack/interactions", press(user="someone"), FORM, 400),
        ("/slack/interactions", press(), "application/json", 415),
        ("/slack/interactions", press(), "text/plain", 415),
        ("/slack/commands", b"text=status", FORM, 400),
        ("/slack/commands", b"", FORM, 400),
        ("/slack/events", b"{", "application/json", 400),
        ("/slack/events", b"{}", FORM, 415),
    ]
    for path, body, kind, status in cases:
        answer = post(watched, path, body, content_type=kind)
        assert answer.status_code == status, (path, body)
        assert answer.get_json()["error"]
    assert inbox.list_open(watched.services.db) == []


def test_a_large_press_is_taken_and_a_huge_body_is_not(watched: Watched) -> None:
    """A press brings its whole message, which is more than other requests may be."""
    payload = block_actions()
    payload["message"]["text"] = "x" * 100_000
    body = urlencode({"payload": json.dumps(payload)}).encode()
    assert post(watched, "/slack/interactions", body).status_code == 200
    answer = post(watched, "/slack/interactions", b"x" * (MOST_BYTES + 1))
    assert answer.status_code == 413
    assert str(MOST_BYTES) in answer.get_json()["error"]


def test_what_cannot_be_kept_is_not_taken(watched: Watched) -> None:
    """503, so that Slack sends it again."""
    watched.services.db.let_only(_gone)
    assert post(watched, "/slack/interactions", press()).status_code == 503


def test_another_host_and_another_method_are_refused(watched: Watched) -> None:
    """The public name must stand in web.allowed_hosts."""
    answer = watched.client.post("/slack/interactions", headers={"Host": "evil.example"})
    assert answer.status_code == 403
    assert watched.client.get("/slack/interactions").status_code == 405


def test_a_way_in_that_is_broken_is_told_by_page_and_health(watched: Watched) -> None:
    """Slack cannot tell of it. It is no reason to restart, so /health stays what it was."""
    watched.services.inbox_heartbeat.beat()
    watched.services.delivery_heartbeat.beat()
    assert "Nothing comes in" not in watched.client.get("/").get_data(as_text=True)
    watched.services.inbound.is_down("<b>slack.com</b> takes no connection")
    page = watched.client.get("/").get_data(as_text=True)
    assert "Nothing comes in since" in page
    assert "&lt;b&gt;slack.com" in page
    answer = watched.client.get("/health")
    assert (answer.status_code, answer.get_json()["inbox"]["connected"]) == (200, False)


def test_an_inbox_that_is_dead_is_a_problem(watched: Watched) -> None:
    """Presses would be acknowledged, and nothing would come of them."""
    watched.services.delivery_heartbeat.beat()
    answer = watched.client.get("/health")
    assert answer.status_code == 503
    assert any("works off" in problem for problem in answer.get_json()["problems"])


def test_without_the_secret_or_with_socket_mode_there_is_nothing_here(tmp_path: Path) -> None:
    """404 for whatever is sent, signed or not."""
    for number, config in enumerate((CONFIG, CONFIG.replace("http", "socket"))):
        with watched_in(tmp_path / str(number), config) as bare:
            for path in ("interactions", "commands", "events"):
                assert post(bare, f"/slack/{path}", press()).status_code == 404
            assert bare.client.get("/health").get_json()["inbox"]["way"] is None


def _gone() -> None:
    raise StoreError("the database was deleted")


class BrokenChunks(BytesIO):
    """What the server gives to read where the chunks of a body are none."""

    def read(self, *_size: int | None) -> bytes:
        raise ArithmeticError("invalid chunk size: b'zz'")

    def readinto(self, _buffer: object) -> int:
        raise ArithmeticError("invalid chunk size: b'zz'")


def test_a_body_that_cannot_be_taken_apart_is_a_bad_request(
    watched: Watched, caplog: pytest.LogCaptureFixture
) -> None:
    """Anybody can send one, so it fills no log."""
    given = {"wsgi.input": BrokenChunks(), "wsgi.input_terminated": True}
    answer = watched.client.post("/slack/interactions", content_type=FORM, environ_overrides=given)
    assert answer.status_code == 400
    assert caplog.text == ""
