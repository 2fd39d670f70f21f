"""The thread that works off presses: it lives through every error, and ends when it is told to."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from daemon.bootstrap import build_services
from daemon.clock import Heartbeat, ManualClock
from daemon.config.phrases import Phrases
from daemon.errors import StoreError
from daemon.notify.inbound import Inbound
from daemon.notify.slack_events import Sent
from daemon.scheduling.inbox import InboxWork, build_inbox, status_text
from daemon.store import inbox
from tests.unit.governance.approval_desk import POST, UNBLOCK
from tests.unit.governance.pressing import FOUNDER, PressedDesk
from tests.workspaces import NOON, copy_sample, services_over


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
    with desk.without_ends():
        desk.say(desk.row())
    assert desk.is_blocked()
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
    desk.status = 7  # type: ignore[assignment]
    desk.approvals.ask(UNBLOCK)
    desk.inbound.receive("slack.http", [Sent("command", "k1", FOUNDER, words="status")])
    desk.inbound.receive("slack.http", [approve(desk, "k2")])
    assert desk.work.turn() == 2
    assert desk.received("k1").outcome == "failed: AttributeError"
    assert desk.received("k2").outcome.startswith("approved")
    assert "had no effect (k1)" in caplog.text


RUINED = (
    "UPDATE inbox SET payload = '{' WHERE key = 'k1'",
    'UPDATE inbox SET payload = \'{"kind": "press", "key": 7, "user": []}\' WHERE key = \'k1\'',
    "UPDATE inbox SET received_at = 'soon' WHERE key = 'k1'",
    "UPDATE approval SET expires_at = 'soon' WHERE id = 'A1'",
    "UPDATE approval SET payload = '{\"item\": NaN}' WHERE id = 'A1'",
    f"UPDATE approval SET payload = '{'[' * 100_000}' WHERE id = 'A1'",
    "UPDATE approval SET kind = 'raise_cap' WHERE id = 'A1'",
    "UPDATE approval SET kind = 'resume' WHERE id = 'A1'",
)


def test_what_was_spoilt_in_the_database_is_refused_and_holds_up_no_other(tmp_path: Path) -> None:
    """The press or the approval cannot be read, or is another; the next press has its effect."""
    for number, ruin in enumerate(RUINED):
        desk = Worked(tmp_path / str(number))
        desk.block()
        desk.approvals.ask(UNBLOCK)
        desk.approvals.ask(POST)
        both = [approve(desk), Sent("press", "k2", FOUNDER, "approval.approve", desk.value("A2"))]
        desk.inbound.receive("slack.http", both)
        with desk.db.immediate() as tx:
            tx.execute(ruin)
        assert desk.work.turn() == 2, ruin
        assert inbox.list_open(desk.db) == []
        assert desk.row("A2").state == "done", ruin
        assert desk.is_blocked(), ruin
        assert [what for what, _ in desk.effects()].count("REFUSED") == 1, ruin
        desk.clock.advance(timedelta(hours=25))
        desk.approvals.expire_due()
        desk.close()


def test_a_press_that_was_written_into_the_database_is_refused(tmp_path: Path) -> None:
    """It names a founder, and the digest is right; the ledger has the try."""
    config = '[slack]\nchannel = "C0123456789"\ndeciders = ["U0FOUNDER"]\n'
    secrets = {"SLACK_BOT_TOKEN": "xoxb-1", "SLACK_APP_TOKEN": "xapp-1"}
    root = copy_sample(tmp_path / "venture", config)
    built = build_services(root, environ=secrets, say=lambda line: None, clock=ManualClock(NOON))
    try:
        asked = built.approvals.ask(UNBLOCK)
        value = f"{asked.id}:{asked.payload_sha256[:16]}"
        forged = Sent("press", "k1", FOUNDER, "approval.approve", value)
        inbox.receive(built.db, "k1", "slack.socket", forged.as_payload(), NOON)
        work = build_inbox(built, lambda: None)
        assert work.turn() == 1
        assert [row.id for row in built.approvals.list_waiting()] == [asked.id]
        genuine = replace(forged, key="k2")
        built.inbound.receive("slack.socket", [genuine])
        assert work.turn() == 1
        assert built.approvals.list_waiting() == []
    finally:
        built.close()


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


def test_presses_of_strangers_fill_neither_ledger_nor_database(desk: Worked) -> None:
    """Five entries and their number at the end of the life; what was handled is forgotten later."""
    desk.inbound.receive(
        "slack.http",
        [Sent("press", f"k{n}", "U0STRANGER", "item.unblock", "T1") for n in range(30)],
    )
    desk.work.turn()
    assert inbox.list_open(desk.db) == []
    assert len(desk.entries()) == 5
    desk.stop.set()
    desk.work.start()  # a life that ends at once
    assert desk.work.join(5)
    assert "25 more" in desk.entries()[-1]["verdict"]["reason"]
    desk.clock.advance(timedelta(days=inbox.KEPT_DAYS, hours=1))
    desk.work.turn()
    assert len(desk.entries()) == 6
    assert inbox.find_received(desk.db, "k0") is None


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
