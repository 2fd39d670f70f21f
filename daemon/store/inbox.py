"""What people pressed or typed: written before it is acknowledged, worked off afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from daemon.clock import from_text, to_text
from daemon.store.database import Database
from daemon.store.stored_text import from_json, to_json

KEPT_DAYS = 30
MOST_KEPT = 10_000
MAX_OUTCOME_CHARACTERS = 1_000
# As bytes, what a damaged disk may have left no text in: a text that is none fails the whole query.
_SELECT = """SELECT sequence, key, source, CAST(payload AS BLOB) AS payload, received_at, handled_at,
             CAST(outcome AS BLOB) AS outcome FROM inbox"""
_NO_MOMENT = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True)
class InboxRow:
    """`sequence` is the order of arrival. `handled_at` is None until it had its effect; `outcome` is
    what came of it, in one line. An empty `payload` is one that cannot be read any more."""

    sequence: int
    key: str
    source: str
    payload: Mapping[str, Any]
    received_at: datetime
    handled_at: datetime | None
    outcome: str


def receive(db: Database, key: str, source: str, payload: Mapping[str, Any], now: datetime) -> bool:
    """Keep what arrived; False where it is known already, handled or not. Raises StoreError.

    After it returns the far side may be told that it arrived, for it stands on the disk.
    """
    sql = """INSERT INTO inbox (key, source, payload, received_at) VALUES (?, ?, ?, ?)
             ON CONFLICT (key) DO NOTHING"""
    with db.immediate() as tx:
        return tx.execute(sql, (key, source, to_json(payload), to_text(now))) == 1


def list_open(db: Database, limit: int = 100) -> list[InboxRow]:
    """What had no effect yet, in the order in which it arrived."""
    sql = f"{_SELECT} WHERE handled_at IS NULL ORDER BY sequence LIMIT ?"
    return [_row(row) for row in db.rows(sql, (limit,))]


def find_received(db: Database, key: str) -> InboxRow | None:
    """What arrived under a key, or None."""
    row = db.row(f"{_SELECT} WHERE key = ?", (key,))
    return _row(row) if row else None


def note_begun(db: Database, key: str, mark: str) -> bool:
    """Say that it is being worked off, so that whoever finds it open knows that a crash came between.

    False where it is handled already.
    """
    sql = "UPDATE inbox SET outcome = ? WHERE key = ? AND handled_at IS NULL"
    with db.immediate() as tx:
        return tx.execute(sql, (mark, key)) == 1


def mark_handled(db: Database, key: str, outcome: str, now: datetime) -> bool:
    """It had its effect; False where that was known already."""
    sql = "UPDATE inbox SET handled_at = ?, outcome = ? WHERE key = ? AND handled_at IS NULL"
    values = (to_text(now), outcome[:MAX_OUTCOME_CHARACTERS], key)
    with db.immediate() as tx:
        return tx.execute(sql, values) == 1


def prune_handled(db: Database, now: datetime) -> int:
    """Forget what was handled more than KEPT_DAYS ago, and all but the newest MOST_KEPT; how many.

    What was handled in the past hour stays: Slack may send it again, and it must be known then.
    """
    sql = """DELETE FROM inbox WHERE handled_at < :hour_ago AND (handled_at < :old OR sequence <=
             (SELECT sequence FROM inbox ORDER BY sequence DESC LIMIT 1 OFFSET :most))"""
    moments = {"hour_ago": now - timedelta(hours=1), "old": now - timedelta(days=KEPT_DAYS)}
    values = {name: to_text(moment) for name, moment in moments.items()}
    with db.immediate() as tx:
        return tx.execute(sql, {**values, "most": MOST_KEPT})


def _row(row: dict[str, Any]) -> InboxRow:
    """What cannot be read says nothing, so that it is worked off as such and holds up no other."""
    try:
        payload, received = from_json(row["payload"].decode()), from_text(row["received_at"])
        handled = from_text(row["handled_at"]) if row["handled_at"] else None
    except (ValueError, RecursionError):
        payload, received, handled = {}, _NO_MOMENT, None
    read = {"payload": payload if isinstance(payload, dict) else {}, "received_at": received}
    outcome = row["outcome"].decode("utf-8", "replace")
    return InboxRow(**{**row, **read, "handled_at": handled, "outcome": outcome})
