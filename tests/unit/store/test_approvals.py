"""Rows of approvals: every change asks for the state before it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from daemon.errors import StoreError
from daemon.store import approvals
from daemon.store.approvals import UNREADABLE, ApprovalRow
from daemon.store.database import Database
from tests.workspaces import NOON

HOUR = timedelta(hours=1)
ROW = ApprovalRow(
    "A1", "unblock", "Put T1 back", "it was mended", "It stays.", "ana", {"item": "T1"}, "a" * 64,
    "unblock/T1", "pending", NOON, NOON + HOUR, NOON + 2 * HOUR,
)  # fmt: skip


def test_a_question_is_read_as_it_was_kept(db: Database) -> None:
    """Nothing of it is decided yet."""
    approvals.save_question(db, ROW)
    assert approvals.find_approval(db, "A1") == ROW
    assert approvals.find_approval(db, "A2") is None
    assert approvals.find_open(db, "unblock/T1") == ROW
    assert approvals.count_waiting(db) == 1


def test_ids_are_counted_also_after_the_tenth(db: Database) -> None:
    """They are numbers with a letter, not texts in the order of the alphabet."""
    assert approvals.next_id(db) == "A1"
    for number in (1, 9, 10):
        approvals.save_question(db, replace(ROW, id=f"A{number}", dedupe=None))
    assert approvals.next_id(db) == "A11"
    assert [row.id for row in approvals.list_newest(db, 2)] == ["A10", "A9"]


def test_of_the_same_open_question_there_is_only_one(db: Database) -> None:
    """Once it is ended the same may be asked again; without `dedupe` always."""
    approvals.save_question(db, ROW)
    with pytest.raises(StoreError):
        approvals.save_question(db, replace(ROW, id="A2"))
    approvals.save_question(db, replace(ROW, id="A3", dedupe=None))
    approvals.save_question(db, replace(ROW, id="A4", dedupe=None))
    assert approvals.end(db, "A1", "expired", after=("pending",), outcome="late", now=NOON)
    approvals.save_question(db, replace(ROW, id="A5", asked_at=NOON + HOUR))
    latest = approvals.find_latest(db, "unblock/T1")
    assert latest is not None
    assert latest.id == "A5"


def test_it_is_decided_once_and_ended_once(db: Database) -> None:
    """Who comes second changes nothing."""
    approvals.save_question(db, ROW)
    given = {"by": "ana", "through": "cli", "seq": 7, "now": NOON + HOUR}
    assert approvals.decide(db, "A1", "approved", **given)  # type: ignore[arg-type]
    assert not approvals.decide(db, "A1", "rejected", **given)  # type: ignore[arg-type]
    assert not approvals.end(db, "A1", "expired", after=("pending",), outcome="", now=NOON)
    assert approvals.end(db, "A1", "done", after=("approved",), outcome="back", now=NOON + 2 * HOUR)
    assert not approvals.end(db, "A1", "refused", after=("approved",), outcome="", now=NOON)
    row = approvals.find_approval(db, "A1")
    assert row is not None
    assert (row.state, row.decided_by, row.decided_seq, row.outcome) == ("done", "ana", 7, "back")
    assert (row.decided_at, row.ended_at) == (NOON + HOUR, NOON + 2 * HOUR)
    assert approvals.find_open(db, "unblock/T1") is None


def test_its_reminder_is_taken_once(db: Database) -> None:
    """Also by two who look at the same time; none of a decided one."""
    approvals.save_question(db, ROW)
    assert approvals.take_reminder(db, "A1")
    assert not approvals.take_reminder(db, "A1")


def test_times_are_moved_only_while_it_waits(db: Database) -> None:
    """For a clock that was set back."""
    approvals.save_question(db, ROW)
    moved = replace(ROW, asked_at=NOON - HOUR, remind_at=None, expires_at=NOON)
    assert approvals.set_times(db, moved)
    assert approvals.find_approval(db, "A1") == moved
    approvals.end(db, "A1", "expired", after=("pending",), outcome="", now=NOON)
    assert not approvals.set_times(db, ROW)


@pytest.mark.parametrize("text", ["{", "[1]", "null", ""])
def test_a_payload_that_was_spoilt_is_read_as_unreadable(db: Database, text: str) -> None:
    """One spoilt row holds up no other, and its digest is never the right one."""
    approvals.save_question(db, ROW)
    approvals.save_question(db, replace(ROW, id="A2", dedupe=None))
    with db.immediate() as tx:
        tx.execute("UPDATE approval SET payload = ? WHERE id = 'A1'", (text,))
    first, second = approvals.list_in_state(db, "pending", "approved")
    assert first.payload == UNREADABLE
    assert second.payload == {"item": "T1"}


def test_bytes_that_are_no_text_spoil_one_row_alone(db: Database) -> None:
    """A bad sector: the rows beside it are read, and the payload is never taken for the right one."""
    approvals.save_question(db, ROW)
    approvals.save_question(db, replace(ROW, id="A2", dedupe=None))
    with db.immediate() as tx:
        for name in ("payload", "title"):
            tx.execute(f"UPDATE approval SET {name} = CAST(x'7bff' AS TEXT) WHERE id = 'A1'")
    first, second = approvals.list_in_state(db, "pending")
    assert (first.payload, first.title) == (UNREADABLE, "{\N{REPLACEMENT CHARACTER}")
    assert second == replace(ROW, id="A2", dedupe=None)
