"""The thread that lets messages leave: it lives through every error and ends when it is told to."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from daemon.clock import Heartbeat, ManualClock
from daemon.notify.outbox import Outbox
from daemon.notify.slack import SlackSender
from daemon.scheduling.delivery import Delivery
from daemon.store import outbox
from daemon.store.database import Database, open_database
from tests.standins.far_side import holds
from tests.standins.slack_api import SlackApi

START = datetime(2026, 11, 30, 9, tzinfo=UTC)


class Thread:
    """A delivery of its own, to a stand-in for Slack or to nowhere."""

    def __init__(self, db: Database, slack: SlackApi | None) -> None:
        self.db = db
        self.clock = ManualClock(START)
        self.heartbeat = Heartbeat(self.clock, stale_after_seconds=5)
        self.stop = threading.Event()
        senders = {}
        if slack:
            senders["slack"] = SlackSender(token=slack.token, channel=slack.channel,
                                           base_url=slack.base_url, busy=self.heartbeat.expect)  # fmt: skip
        post = Outbox(db, self.clock, senders, jitter=lambda: 0.0)
        self.delivery = Delivery(
            post, self.clock, heartbeat=self.heartbeat, stop=self.stop, round_seconds=0.001
        )

    def put(self, *keys: str) -> None:
        for key in keys:
            outbox.enqueue(self.db, key=key, channel="slack", payload={"text": key}, now=START)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with closing(open_database(tmp_path / "sprintd.db", busy_timeout_seconds=0.2)) as database:
        yield database


@pytest.fixture
def slack() -> Iterator[SlackApi]:
    with SlackApi(clock=ManualClock(START)) as api:
        yield api


def test_messages_leave_while_it_runs_and_it_ends_when_told(db: Database, slack: SlackApi) -> None:
    """Also those that were handed over after it began."""
    thread = Thread(db, slack)
    thread.put("a")
    thread.delivery.start()
    assert slack.wait_for_requests(1)
    thread.put("b")
    assert slack.wait_for_requests(2)
    thread.stop.set()
    assert thread.delivery.join(5)
    assert slack.keys == ["a", "b"]


def test_a_slow_exchange_is_no_silence(db: Database, slack: SlackApi) -> None:
    """Health knows how long it may take; and a stop does not wait for it."""
    gate = threading.Event()
    slack.script(holds(gate))
    thread = Thread(db, slack)
    thread.put("a")
    thread.delivery.start()
    assert slack.wait_for_requests(1)
    thread.clock.sleep(20, threading.Event())
    assert thread.heartbeat.is_fresh()
    thread.clock.sleep(20, threading.Event())
    assert not thread.heartbeat.is_fresh()
    thread.stop.set()
    assert not thread.delivery.join(0.01)
    gate.set()
    assert thread.delivery.join(5)
    assert slack.keys == ["a"]


def test_without_a_channel_there_is_no_thread(db: Database) -> None:
    """Nothing to do, nothing to watch."""
    thread = Thread(db, None)
    thread.delivery.start()
    assert thread.delivery.thread.ident is None
    assert thread.heartbeat.age_seconds() is None
    assert thread.delivery.join(0.01)


def test_a_broken_store_ends_a_round_and_is_said_once(
    db: Database, slack: SlackApi, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing leaves meanwhile; the next round tries again."""
    thread = Thread(db, slack)
    thread.put("a")
    with closing(open_database(db.path)) as other, other.immediate():
        assert [thread.delivery.turn() for _ in range(3)] == [0, 0, 0]
    assert len(caplog.records) == 1
    assert "messages wait" in caplog.text
    assert slack.requests == []
    assert thread.delivery.turn() == 1
