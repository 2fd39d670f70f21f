"""The line to Slack, over a real WebSocket with the real SDK: kept, then acknowledged; never given up."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from daemon.clock import ManualClock
from daemon.config.phrases import Phrases
from daemon.notify.inbound import Inbound
from daemon.notify.slack_socket import SlackSocket
from daemon.scheduling.listening import REFUSED_WAIT_SECONDS, Listening
from daemon.store import inbox
from daemon.store.database import Database, open_database
from tests.standins.far_side import Answer, Fault
from tests.standins.slack_api import not_ok, rate_limited
from tests.standins.slack_socket import Line, SlackLine, mentioned, pressed, slash

START = datetime(2026, 11, 30, 9, tzinfo=UTC)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with closing(open_database(tmp_path / "sprintd.db", busy_timeout_seconds=0.05)) as database:
        yield database


@pytest.fixture
def slack() -> Iterator[SlackLine]:
    with SlackLine() as line:
        yield line


class Held:
    """A running line; waits are over at once and counted by the clock."""

    def __init__(self, db: Database, slack: SlackLine, token: str, **seconds: float) -> None:
        self.clock = ManualClock(START)
        self.stop = threading.Event()
        self.inbound = Inbound(
            db, self.clock, Phrases("en"), way="socket", deciders=lambda: ("U0FOUNDER",)
        )
        given = {"read_seconds": 5.0, "hello_seconds": 5.0, **seconds}
        self.socket = SlackSocket(app_token=token, base_url=slack.base_url, **given)
        self.listening = Listening(
            self.inbound, self.socket, self.clock, stop=self.stop, jitter=lambda: 0.0
        )


@contextmanager
def held(db: Database, slack: SlackLine, token: str = "", **seconds: float) -> Iterator[Held]:
    line = Held(db, slack, token or slack.token, **seconds)
    line.listening.start()
    try:
        yield line
    finally:
        line.stop.set()
        assert line.listening.join(2)


def until(found: Callable[[], bool], slack: SlackLine) -> bool:
    """Wait for something of this process, looking again and again."""
    pause = threading.Event()
    return any(found() or pause.wait(0.02) for _ in range(500)) and found()


def test_what_is_pressed_is_kept_and_then_acknowledged(db: Database, slack: SlackLine) -> None:
    """At the moment of the acknowledgement the row stands on the disk, without tokens; nothing was
    done about it yet."""
    with held(db, slack) as line:
        assert slack.wait_for_lines(1)
        slack.say(pressed("E1", value="A1:0123456789abcdef"))
        assert slack.wait_for_acks("E1")
        (row,) = inbox.list_open(db)
        assert until(lambda: line.inbound.state.connected, slack)
    assert slack.acks == [{"envelope_id": "E1"}]
    assert (row.source, row.handled_at) == ("slack.socket", None)
    assert row.payload["value"] == "A1:0123456789abcdef"
    assert row.payload["app"] == "A0123456789"
    assert not {"token", "response_url"} & set(row.payload)
    assert "secret" not in str(row.payload)


def test_one_event_three_times_is_one_row_and_each_is_acknowledged(
    db: Database, slack: SlackLine
) -> None:
    """Slack sends again what it believes lost, under new envelopes and also under the same one."""
    with held(db, slack):
        assert slack.wait_for_lines(1)
        for envelope, attempt in (("E1", 0), ("E2", 1), ("E2", 1)):
            slack.say(mentioned(envelope, "status", event="Ev1", attempt=attempt))
        assert slack.wait_until(lambda: slack.acked == ["E1", "E2", "E2"])
    assert len(inbox.list_open(db)) == 1


def test_what_cannot_be_kept_is_not_acknowledged(
    db: Database, slack: SlackLine, caplog: pytest.LogCaptureFixture
) -> None:
    """So Slack sends it again; then it is kept."""
    with held(db, slack):
        assert slack.wait_for_lines(1)
        with closing(open_database(db.path)) as other, other.immediate():
            slack.say(pressed("E1"))
            assert until(lambda: "is not kept" in caplog.text, slack)
        slack.say(pressed("E2"))
        assert slack.wait_for_acks("E2")
        assert slack.acked == ["E2"]
    assert len(inbox.list_open(db)) == 1


def test_a_command_is_answered_at_once_and_whoever_is_not_listed_hears_why(
    db: Database, slack: SlackLine
) -> None:
    """The answer goes with the acknowledgement, to the one who typed it."""
    with held(db, slack):
        assert slack.wait_for_lines(1)
        slack.say(slash("E1", "status"))
        slack.say(slash("E2", "status", user="U0STRANGER", trigger="8.8.y"))
        assert slack.wait_for_acks("E1", "E2")
    answers = [ack["payload"]["text"] for ack in slack.acks]
    assert answers == [Phrases("en").text("inbox.at_once"), Phrases("en").text("inbox.not_listed")]


@pytest.mark.parametrize("ends", [Line.drop, Line.close], ids=["drops", "closes"])
def test_a_far_side_that_is_gone_is_connected_to_again(
    db: Database, slack: SlackLine, ends: Callable[[Line], None]
) -> None:
    """After a wait; and presses come in over the new connection."""
    with held(db, slack) as line:
        assert slack.wait_for_lines(1)
        ends(slack.lines[0])
        assert slack.wait_for_lines(2)
        slack.say(pressed("E1"))
        assert slack.wait_for_acks("E1")
        assert line.clock.slept == [1.0]


def test_a_drop_after_the_far_side_sent_is_one_effect(db: Database, slack: SlackLine) -> None:
    """It was kept, the acknowledgement may be lost, and it comes again over another connection."""
    with held(db, slack):
        assert slack.wait_for_lines(1)
        slack.say(pressed("E1"))
        slack.lines[0].drop()
        assert slack.wait_for_lines(2)
        slack.say(pressed("E2"))
        assert slack.wait_for_acks("E2")
    assert len(inbox.list_open(db)) == 1


@pytest.mark.parametrize("reason", ["refresh_requested", "warning"])
def test_a_renewal_waits_for_nothing_and_leaves_no_gap(
    db: Database, slack: SlackLine, reason: str
) -> None:
    """The old connection takes what comes until the new one is greeted."""
    with held(db, slack) as line:
        assert slack.wait_for_lines(1)
        slack.say({"type": "disconnect", "reason": reason})
        slack.say(pressed("E1"), line=slack.lines[0])
        assert slack.wait_for_acks("E1")
        assert slack.wait_for_lines(2)
        assert line.clock.slept == []
        assert until(lambda: line.inbound.state.connected, slack)


@pytest.mark.parametrize("reason", ["link_disabled", "too_many_websockets"])
def test_what_a_person_must_mend_is_told_and_tried_seldom(
    db: Database, slack: SlackLine, caplog: pytest.LogCaptureFixture, reason: str
) -> None:
    """In the log and the state that /health shows; never through Slack."""
    with held(db, slack) as line:
        assert slack.wait_for_lines(1)
        slack.say({"type": "disconnect", "reason": reason})
        assert slack.wait_for_lines(2)
        assert line.clock.slept == [60.0]
    assert reason in caplog.text


def test_a_token_that_is_refused_is_tried_every_five_minutes(
    db: Database, slack: SlackLine, caplog: pytest.LogCaptureFixture
) -> None:
    """The log says once what to do, and never the token."""
    with held(db, slack, token="xapp-of-another") as line:
        assert slack.wait_for_requests(3)
        assert until(lambda: len(line.clock.slept) >= 3, slack)
        assert set(line.clock.slept) == {REFUSED_WAIT_SECONDS}
        assert "slack_app_token" in line.inbound.state.problem
        assert not line.inbound.state.connected
    assert len([record for record in caplog.records if "invalid_auth" in record.message]) == 1
    assert "xapp-of-another" not in caplog.text


def test_a_limit_is_waited_out_and_a_failure_longer_each_time(
    db: Database, slack: SlackLine
) -> None:
    """The library would sleep by itself, where nobody can wake it."""
    broken = Fault(answer=Answer(500, {}))
    slack.script(rate_limited(120), broken, not_ok("internal_error"), broken)
    with held(db, slack) as line:
        assert slack.wait_for_lines(1)
    assert line.clock.slept == [120.0, 2.0, 4.0, 8.0]


GARBAGE: dict[str, Callable[[Line], None]] = {
    "no UTF-8": lambda line: line.raw(b"\x81\x02\xff\xfe"),
    "a masked frame": lambda line: line.raw(b"\x81\x82\x00\x00\x00\x00{}"),
    "a huge frame": lambda line: line.raw(b"\x81\x7f" + (1 << 40).to_bytes(8, "big") + b"x" * 8_000_000),
    "a closing frame of one byte": lambda line: line.raw(b"\x88\x02\xff\xff"),
}  # fmt: skip


@pytest.mark.parametrize("what", GARBAGE)
def test_a_connection_that_brought_garbage_is_left(
    db: Database, slack: SlackLine, what: str
) -> None:
    """Where a frame ended is not known any more; the next connection is a sound one."""
    with held(db, slack):
        assert slack.wait_for_lines(1)
        GARBAGE[what](slack.lines[0])
        assert slack.wait_for_lines(2)
        slack.say(pressed("E1"))
        assert slack.wait_for_acks("E1")


def test_messages_that_nobody_expects_disturb_nothing(
    db: Database, slack: SlackLine, caplog: pytest.LogCaptureFixture
) -> None:
    """Binary, no JSON, no object, deeply nested, without an id, of an unknown kind, of a wrong form:
    what has an id is acknowledged so that it does not come again; nothing of it is in the log."""
    caplog.set_level(logging.DEBUG)
    with held(db, slack):
        assert slack.wait_for_lines(1)
        first = slack.lines[0]
        first.binary(b"\x00\x01hush-1")
        for text in ("hush-2", "[1]", "[" * 100_000, '{"type": 3}', '{"envelope_id": 7}', "{}"):
            first.text(text)
        slack.say({"envelope_id": "E1", "type": "of_tomorrow", "payload": {"x": "hush-3"}})
        slack.say({"envelope_id": "E2", "type": "interactive", "payload": "hush-4"})
        slack.say({**pressed("E3"), "payload": {"type": "block_actions", "actions": []}})
        slack.say(pressed("E4", user="hush-5"))
        slack.say(pressed("E5"))
        assert slack.wait_for_acks("E1", "E2", "E3", "E4", "E5")
        assert len(slack.lines) == 1
    assert len(inbox.list_open(db)) == 1
    assert "hush" not in caplog.text
    assert "ticket-" not in caplog.text
    assert slack.token not in caplog.text


def test_a_frame_of_a_megabyte_is_read(db: Database, slack: SlackLine) -> None:
    """A press comes with all of its message."""
    with held(db, slack):
        assert slack.wait_for_lines(1)
        envelope = pressed("E1")
        envelope["payload"]["message"]["text"] = "x" * 1_000_000
        slack.say(envelope)
        assert slack.wait_for_acks("E1")


def test_a_far_side_that_answers_no_ping_is_left(db: Database, slack: SlackLine) -> None:
    """The connection looks open, and nothing would ever come."""
    with held(db, slack, ping_seconds=0.05):
        assert slack.wait_for_lines(1)
        slack.lines[0].mute = True
        assert slack.wait_for_lines(2)


def test_a_far_side_that_does_not_greet_is_left(db: Database, slack: SlackLine) -> None:
    """Until it does."""
    slack.greets = False
    with held(db, slack, hello_seconds=0.3) as line:
        assert slack.wait_for_lines(1)
        assert until(lambda: "greet" in line.inbound.state.problem, slack)
        slack.greets = True
        assert until(lambda: line.inbound.state.connected, slack)


def test_no_thread_is_left_and_the_stop_is_quick(db: Database, slack: SlackLine) -> None:
    """After ten connections, while one is open and silent."""
    before = set(threading.enumerate())
    with held(db, slack) as line:
        for count in range(1, 11):
            assert slack.wait_for_lines(count)
            slack.lines[-1].drop()
        assert slack.wait_for_lines(11)
        began = threading.active_count()
        assert began < len(before) + 25
        line.stop.set()
        assert line.listening.join(1)
    ours = [
        thread
        for thread in set(threading.enumerate()) - before
        if thread not in slack._threads and "serve" not in thread.name
    ]
    assert until(lambda: not any(thread.is_alive() for thread in ours), slack)
