"""Whoever writes into the database alone lets nothing happen: the ledger has what was asked and done."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from daemon.governance.approved import why_not_permitted
from daemon.ledger.entry import digest_of
from daemon.store import outbox
from tests.unit.governance.approval_desk import POST, UNBLOCK, Desk

MESSAGE = "approval/A1/message"
OTHER = {"channel": "slack", "message": {"text": "Something else.", "to": "C0666"}}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path, channels=("slack",))
    made.block()
    yield made
    made.close()


def write(desk: Desk, sql: str, *values: Any) -> None:
    """Somebody writes into the database."""
    with desk.db.immediate() as tx:
        tx.execute(sql, values)


def forge(desk: Desk, payload: Mapping[str, Any]) -> None:
    """The payload and its digest, so that they fit each other."""
    sql = "UPDATE approval SET payload = ?, payload_sha256 = ? WHERE id = 'A1'"
    write(desk, sql, json.dumps(payload), digest_of(payload))


def test_a_question_is_answered_only_as_it_was_asked(desk: Desk) -> None:
    """Another kind would do another thing with the same payload; other words hide what it does."""
    for sql in (
        "UPDATE approval SET kind = 'resume' WHERE id = ?",
        "UPDATE approval SET title = 'Nothing much' WHERE id = ?",
        "UPDATE approval SET why = 'nobody minds' WHERE id = ?",
    ):
        row = desk.approvals.ask(UNBLOCK)
        write(desk, sql, row.id)
        assert desk.say(row).outcome == "changed"
        assert desk.row(row.id).state == "refused"
    assert desk.is_blocked()
    assert desk.outcomes() == []


def test_a_payload_with_a_digest_that_fits_it_was_not_asked(desk: Desk) -> None:
    """The page and the command line would show it and its digest."""
    desk.approvals.ask(POST)
    forge(desk, OTHER)
    assert desk.say(desk.row()).outcome == "changed"
    assert [key for key in desk.waiting() if key.startswith("incident/")]
    assert MESSAGE not in desk.waiting()


def test_what_no_digest_can_be_made_of_was_changed(desk: Desk) -> None:
    """An answer ends it; it does not wait for ever."""
    for text in ('{"item": NaN}', '{"item": 1e400}', '{"item": "\\ud800"}', "[" * 100_000):
        row = desk.approvals.ask(UNBLOCK)
        write(desk, "UPDATE approval SET payload = ? WHERE id = ?", text, row.id)
        assert desk.say(row).outcome == "changed", text[:20]
        assert desk.row(row.id).state == "refused"


def test_what_was_done_is_not_done_again_where_its_row_is_put_back(desk: Desk) -> None:
    """Edited, or from an older copy of the database: the ledger has its effect."""
    desk.say(desk.approvals.ask(UNBLOCK))
    desk.block()
    write(desk, "UPDATE approval SET state = 'approved', ended_at = NULL")
    assert desk.approvals.execute_left() == 1
    assert desk.row().state == "refused"
    assert desk.is_blocked()
    assert desk.outcomes() == ["DONE", "NOT DONE"]
    assert desk.effects()[-1] == ("REFUSED", "daemon")


def test_a_yes_that_a_crash_left_in_the_ledger_alone_is_none_after_a_no(desk: Desk) -> None:
    """The process ended between the entry and its row; somebody else said no, and that stands."""
    row = desk.approvals.ask(POST)
    told = {"effect": "APPROVED", "gate": "approval", "reason": "", "final": 0}
    left = desk.gate.books.append(
        "approval", actor="slack:U1", tool="approval.post", args_sha256=row.payload_sha256,
        targets=["approval:A1"], verdict=told,
    )  # fmt: skip
    desk.say(row, approve=False)
    write(desk, "UPDATE approval SET state = 'approved', decided_seq = ?", left.seq)
    assert desk.approvals.execute_left() == 1
    assert desk.row().state == "refused"
    assert MESSAGE not in desk.waiting()


def test_one_that_is_put_back_holds_up_no_other(desk: Desk) -> None:
    """A kind that its payload is not made for is refused, not tripped over."""
    with desk.without_ends():
        for question in (POST, UNBLOCK):
            desk.say(desk.approvals.ask(question))
    write(desk, "UPDATE approval SET kind = 'raise_cap' WHERE id = 'A1'")
    assert desk.approvals.execute_left() == 2
    assert [desk.row(one).state for one in ("A1", "A2")] == ["refused", "done"]


def test_a_message_leaves_only_with_a_yes_in_the_ledger(desk: Desk) -> None:
    """Row and message written anew fit each other, and nobody approved them."""
    desk.say(desk.approvals.ask(POST))
    assert why_not_permitted(desk.db, desk.gate.books, desk.message(MESSAGE)) == ""
    forge(desk, OTHER)
    sent = json.dumps({**OTHER["message"], "approval": "A1"})  # type: ignore[dict-item]
    write(desk, "UPDATE outbox SET payload = ? WHERE key = ?", sent, MESSAGE)
    why = why_not_permitted(desk.db, desk.gate.books, desk.message(MESSAGE))
    assert "not what was approved" in why


def test_what_was_approved_once_leaves_under_its_own_key_alone(desk: Desk) -> None:
    """A second row with the same message would be a second message; one is not true."""
    desk.say(desk.approvals.ask(POST))
    sound = desk.message(MESSAGE)
    outbox.enqueue(
        desk.db, key="again", channel="slack", payload=sound.payload, now=desk.clock.now()
    )
    assert why_not_permitted(desk.db, desk.gate.books, desk.message("again"))
    desk.say(desk.approvals.ask(replace(POST, payload={"channel": "slack", "message": {"n": 1}})))
    exact = desk.message("approval/A2/message")
    alike = replace(exact, payload={**exact.payload, "n": True})
    assert why_not_permitted(desk.db, desk.gate.books, exact) == ""
    assert why_not_permitted(desk.db, desk.gate.books, alike)


def test_words_that_cannot_be_stored_are_asked_as_they_are_stored(desk: Desk) -> None:
    """Half a sign becomes a replacement mark in both, so that the question can be answered."""
    row = desk.approvals.ask(replace(UNBLOCK, title="half \ud800", why="\0", asked_by="\udfff"))
    assert desk.say(row, digest="\ud800" * 16).outcome == "changed"
    assert desk.say(row).outcome == "approved"
