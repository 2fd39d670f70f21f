"""The rows of `approval`: what waits for a person's yes or no, and what became of it.

A row is `pending`, then `approved`, `rejected`, `expired` or `refused`; an approved one is `done` or
`refused` once it was carried out. Every change asks for the state before it, so that of two who
change at once only one does.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from daemon.clock import from_text, to_text
from daemon.errors import StoreError
from daemon.store.database import Database
from daemon.store.stored_text import from_json, to_json

Kind = Literal["publish", "post", "raise_cap", "unblock", "resume", "grant"]
Through = Literal["slack", "page", "cli", "daemon"]
ApprovalState = Literal["pending", "approved", "rejected", "expired", "done", "refused"]

# As bytes, what a damaged disk may have left no text in: a text that is none fails the whole query.
_TEXTS = ("title", "why", "if_unanswered", "asked_by", "outcome", "payload")
_PLAIN = (
    "id", "kind", "payload_sha256", "dedupe", "state", "asked_at", "remind_at", "expires_at",
    "decided_by", "decided_through", "decided_at", "decided_seq", "ended_at",
)  # fmt: skip
_CAST = (f"CAST({name} AS BLOB) AS {name}" for name in _TEXTS)
_SELECT = f"SELECT {', '.join((*_PLAIN, *_CAST))} FROM approval"  # noqa: S608
_log = logging.getLogger(__name__)
UNREADABLE: Mapping[str, Any] = {"unreadable": "this payload is no JSON any more"}


class UnreadableRow(StoreError):
    """One approval has a moment in it that is none; the others can be read."""


@dataclass(frozen=True)
class ApprovalRow:
    """`remind_at` is None where no reminder is due any more. `decided_seq` is where the ledger has
    the decision; it and the other `decided_` fields are None before it."""

    id: str
    kind: Kind
    title: str
    why: str
    if_unanswered: str
    asked_by: str
    payload: Mapping[str, Any]
    payload_sha256: str
    dedupe: str | None
    state: ApprovalState
    asked_at: datetime
    remind_at: datetime | None
    expires_at: datetime
    decided_by: str | None = None
    decided_through: Through | None = None
    decided_at: datetime | None = None
    decided_seq: int | None = None
    ended_at: datetime | None = None
    outcome: str = ""


def save_question(db: Database, row: ApprovalRow) -> None:
    """Keep a new question. Raises StoreError where its id or an open one with its `dedupe` is there."""
    sql = """INSERT INTO approval (id, kind, title, why, if_unanswered, asked_by, payload,
                 payload_sha256, dedupe, state, asked_at, remind_at, expires_at)
             VALUES (:id, :kind, :title, :why, :if_unanswered, :asked_by, :payload,
                 :payload_sha256, :dedupe, 'pending', :asked_at, :remind_at, :expires_at)"""
    values = {name: _stored(getattr(row, name)) for name in _ASKED}
    with db.immediate() as tx:
        tx.execute(sql, {**values, "payload": to_json(row.payload)})


def next_id(db: Database) -> str:
    """The id of the next question: A1, A2 and so on. Call it in the transaction that uses it."""
    sql = "SELECT coalesce(max(CAST(substr(id, 2) AS INTEGER)), 0) + 1 AS number FROM approval"
    return f"A{db.rows(sql)[0]['number']}"


def find_approval(db: Database, approval_id: str) -> ApprovalRow | None:
    row = db.row(f"{_SELECT} WHERE id = ?", (approval_id,))
    return _row(row) if row else None


def find_latest(db: Database, dedupe: str) -> ApprovalRow | None:
    """The newest question with this `dedupe`, in whatever state; None where none was asked."""
    sql = f"{_SELECT} WHERE dedupe = ? ORDER BY asked_at DESC, id DESC LIMIT 1"
    row = db.row(sql, (dedupe,))
    return _row(row) if row else None


def find_open(db: Database, dedupe: str) -> ApprovalRow | None:
    """The one with this `dedupe` that is not ended: pending, or approved and not carried out."""
    sql = f"{_SELECT} WHERE dedupe = ? AND state IN ('pending', 'approved')"
    row = db.row(sql, (dedupe,))
    return _row(row) if row else None


def list_in_state(db: Database, *states: ApprovalState) -> list[ApprovalRow]:
    """Every one in these states, the oldest first; what cannot be read is left out and logged."""
    marks = ", ".join("?" * len(states))
    sql = f"{_SELECT} WHERE state IN ({marks}) ORDER BY asked_at, id"
    return _readable(db.rows(sql, states))


def list_newest(db: Database, limit: int) -> list[ApprovalRow]:
    """The newest first, in whatever state; what cannot be read is left out and logged."""
    sql = f"{_SELECT} ORDER BY asked_at DESC, length(id) DESC, id DESC LIMIT ?"
    return _readable(db.rows(sql, (limit,)))


def count_waiting(db: Database) -> int:
    """How many wait for an answer."""
    sql = "SELECT count(*) AS number FROM approval WHERE state IN ('pending', 'approved') AND state = 'pending'"
    return int(db.rows(sql)[0]["number"])


def decide(
    db: Database,
    approval_id: str,
    state: Literal["approved", "rejected"],
    *,
    by: str,
    through: Through,
    seq: int,
    now: datetime,
) -> bool:
    """Write a person's answer; False, and nothing changes, where it is not pending any more."""
    sql = """UPDATE approval SET state = ?, decided_by = ?, decided_through = ?, decided_at = ?,
             decided_seq = ? WHERE id = ? AND state = 'pending'"""
    with db.immediate() as tx:
        return tx.execute(sql, (state, by, through, to_text(now), seq, approval_id)) == 1


def end(
    db: Database,
    approval_id: str,
    state: Literal["rejected", "expired", "done", "refused"],
    *,
    after: Sequence[ApprovalState],
    outcome: str,
    now: datetime,
) -> bool:
    """Write what came of it; False, and nothing changes, where its state is none of `after`."""
    marks = ", ".join("?" * len(after))
    sql = f"""UPDATE approval SET state = ?, outcome = ?, ended_at = ?
              WHERE id = ? AND state IN ({marks})"""  # noqa: S608
    with db.immediate() as tx:
        return tx.execute(sql, (state, outcome, to_text(now), approval_id, *after)) == 1


def set_outcome(db: Database, approval_id: str, outcome: str) -> bool:
    """Write what became later of one that is done; False where it says so already, or is not done."""
    sql = "UPDATE approval SET outcome = ? WHERE id = ? AND state = 'done' AND outcome <> ?"
    with db.immediate() as tx:
        return tx.execute(sql, (outcome, approval_id, outcome)) == 1


def take_reminder(db: Database, approval_id: str) -> bool:
    """Use up the one reminder of a pending question; False where it was used up before."""
    sql = """UPDATE approval SET remind_at = NULL
             WHERE id = ? AND state = 'pending' AND remind_at IS NOT NULL"""
    with db.immediate() as tx:
        return tx.execute(sql, (approval_id,)) == 1


def set_times(db: Database, row: ApprovalRow) -> bool:
    """Write the moments of a pending question anew, for a clock that was set back."""
    sql = """UPDATE approval SET asked_at = ?, remind_at = ?, expires_at = ?
             WHERE id = ? AND state = 'pending'"""
    moments = tuple(map(_stored, (row.asked_at, row.remind_at, row.expires_at)))
    with db.immediate() as tx:
        return tx.execute(sql, (*moments, row.id)) == 1


_ASKED = (
    "id", "kind", "title", "why", "if_unanswered", "asked_by", "payload_sha256", "dedupe",
    "asked_at", "remind_at", "expires_at",
)  # fmt: skip
_MOMENTS = ("asked_at", "remind_at", "expires_at", "decided_at", "ended_at")


def _stored(value: Any) -> Any:
    return to_text(value) if isinstance(value, datetime) else value


def _readable(found: Sequence[Mapping[str, Any]]) -> list[ApprovalRow]:
    """One that somebody spoilt must not hold up all the others."""
    read = []
    for row in found:
        try:
            read.append(_row(row))
        except UnreadableRow as error:
            _log.error("%s; it is left as it is", error)
    return read


def _row(row: Mapping[str, Any]) -> ApprovalRow:
    """A payload that is no JSON any more reads as UNREADABLE, whose digest is never the right one."""
    try:
        moments = {name: from_text(row[name]) if row[name] else None for name in _MOMENTS}
    except ValueError as error:
        raise UnreadableRow(f"the approval {row['id']!r} cannot be read: {error}") from error
    texts = {name: row[name].decode("utf-8", "replace") for name in _TEXTS}
    return ApprovalRow(**{**row, **moments, **texts, "payload": _payload(row["payload"])})


def _payload(stored: bytes) -> Mapping[str, Any]:
    try:
        found = from_json(stored.decode())
    except (ValueError, RecursionError):
        return UNREADABLE
    return found if isinstance(found, dict) else UNREADABLE
