"""The thread that works off presses: it lives through every error, and ends when it is told to."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from daemon.clock import Heartbeat
from daemon.config.phrases import Phrases
from daemon.errors import StoreError
from daemon.notify.inbound import Inbound
from daemon.notify.slack_events import Sent
from daemon.scheduling.inbox import InboxWork, status_text
from daemon.store import inbox
from tests.unit.governance.approval_desk import UNBLOCK
from tests.unit.governance.pressing import FOUNDER, PressedDesk
from tests.workspaces import copy_sample, services_over


class Worked(PressedDesk):
    """A desk with its thread; `left` counts how often what was left was carried out."""

    def new_life(self) -> None:
        super().new_life()
        self.left = 0
        self.stop = threading.Event()
        self.heartbeat = Heartbeat(self.clock, stale_after_seconds=5)
        self.inbound = Inbound(
            self.db, self.clock, Phrases("en"), way="http", deciders=lambda: self.deciders
        )
        self.work = InboxWork(
            self.db, self.clock, self.inbound, self.interactions, execute_left=self._finish,
            heartbeat=self.heartbeat, stop=self.stop, round_seconds=0.01,
        )  # fmt: skip

    def _finish(self) -> int:
        self.left += 1
        return self.approvals.execute_left()


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Worked]:
    made = Worked(tmp_path)
    made.block()
    yield made
    made.stop.set()
    assert made.work.join(5)
    made.close()


def approve(desk: Worked, key: str = "k1") -> Sent:
    return Sent("press", key, FOUNDER, "approval.approve", desk.value())


def test_what_arrives_is_worked_off_while_it_runs_and_it_ends_when_told(desk: Worked) -> None:
    """It is woken by the press, and by the stop."""
    desk.approvals.ask(UNBLOCK)
    desk.work.start()
    assert desk.inbound.receive("slack.http", [approve(desk)]) == 1
    pause = threading.Event()
    assert any(not inbox.list_open(desk.db) or pause.wait(0.02) for _ in range(500))
    desk.stop.set()
    assert desk.work.join(1)
    assert desk.row().state == "done"


def test_a_press_kept_before_a_crash_is_worked_off_by_the_next_life(desk: Worked) -> None:
    """It was acknowledged, so nobody sends it again."""
    desk.approvals.ask(UNBLOCK)
    desk.inbound.receive("slack.http", [approve(desk)])
    desk.new_life()
    assert desk.work.turn() == 1
    assert desk.row().state == "done"
    assert desk.work.turn() == 0


def test_what_was_approved_before_a_crash_is_carried_out_by_the_next_life(desk: Worked) -> None:
    """Once, at its first turn; and it is looked for again every five minutes, not at each turn."""
    desk.approvals.ask(UNBLOCK)
    with desk.db.immediate() as tx:
        desk.say(desk.row())
        tx.execute("UPDATE approval SET state = 'approved', ended_at = NULL, outcome = ''")
    desk.block()
    desk.new_life()
    assert not [desk.work.turn(), desk.work.turn()][0]
    assert (desk.row().state, desk.is_blocked(), desk.left) == ("done", False, 1)
    desk.clock.advance(timedelta(minutes=5))
    desk.work.turn()
    assert desk.left == 2


def test_a_broken_ledger_ends_a_round_and_is_said_once(
    desk: Worked, caplog: pytest.LogCaptureFixture
) -> None:
    """The press waits, and has its effect when the ledger is whole again."""
    desk.approvals.ask(UNBLOCK)
    desk.inbound.receive("slack.http", [approve(desk)])
    with desk.without_ledger():
        assert [desk.work.turn(), desk.work.turn()] == [0, 0]
        said = [record for record in caplog.records if "pressed waits" in record.message]
        assert len(said) == 1
        assert desk.heartbeat.is_fresh()
    assert desk.work.turn() == 1
    assert desk.row().state == "done"


def test_one_row_that_fails_holds_up_no_other(
    desk: Worked, caplog: pytest.LogCaptureFixture
) -> None:
    """A fault of ours is written down with its row."""
    desk.inbound.receive("slack.http", [Sent("press", "k1", FOUNDER, "approval.approve", "A1:0")])
    with desk.db.immediate() as tx:
        broken = (
            '{"action": "approval.approve", "key": "k1", "kind": "press", "user": "U1", "value": 7}'
        )
        tx.execute("UPDATE inbox SET payload = ?", (broken,))
    desk.deciders = ("U1",)
    desk.approvals.ask(UNBLOCK)
    desk.clock.advance(timedelta(seconds=1))
    desk.inbound.receive("slack.http", [Sent("command", "k2", "U1", words="status")])
    assert desk.work.turn() == 2
    assert desk.received("k1").outcome == "failed: AttributeError"
    assert desk.received("k2").outcome == "answered"
    assert "had no effect (k1)" in caplog.text


def test_requests_that_nobody_signed_fill_no_ledger(desk: Worked) -> None:
    """The first is entered at once, and the rest once a minute, with their number."""
    for _ in range(3):
        desk.inbound.turn_away("not signed")
    desk.work.turn()
    for _ in range(500):
        desk.inbound.turn_away("not signed")
        desk.work.turn()
    assert len(desk.entries()) == 1
    desk.clock.advance(timedelta(minutes=1))
    desk.work.turn()
    reasons = [entry["verdict"]["reason"] for entry in desk.entries()]
    assert reasons == ["not signed (3 requests)", "not signed (500 requests)"]
    assert desk.inbound.refused == 503


def test_a_database_that_is_gone_takes_nothing(desk: Worked) -> None:
    """So the press is not acknowledged."""
    desk.db.let_only(_gone)
    with pytest.raises(StoreError):
        desk.inbound.receive("slack.http", [Sent("command", "k", FOUNDER, words="status")])
    assert not desk.inbound.arrived.is_set()


def test_the_status_names_no_process_and_no_page(tmp_path: Path) -> None:
    """They are of no use on a telephone."""
    with services_over(copy_sample(tmp_path / "venture")) as services:
        services.source.load()
        text = status_text(services)
    assert "State: nothing ran here yet" in text
    assert "Money: " in text
    assert "Process: " not in text
    assert "Page: " not in text


def _gone() -> None:
    raise StoreError("the database was deleted")
