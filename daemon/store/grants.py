"""The rows of `action_grant`: approvals, each for one action and used once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from daemon.clock import to_text
from daemon.store.database import Database


@dataclass(frozen=True)
class GrantRow:
    """`source` is raised to `level` for the action with this digest."""

    id: int
    action_sha256: str
    source: str
    level: str
    granted_by: str


def give(
    db: Database, action_sha256: str, source: str, level: str, *, by: str, now: datetime
) -> int:
    """Keep an approval by a person; its id."""
    sql = (
        "INSERT INTO action_grant (action_sha256, source, level, granted_by, granted_at) "
        "VALUES (?, ?, ?, ?, ?)"
    )
    with db.immediate() as tx:
        tx.execute(sql, (action_sha256, source, level, by, to_text(now)))
        row = tx.row("SELECT last_insert_rowid() AS id")
        return int(row["id"]) if row else 0


def list_unspent(db: Database, action_sha256: str) -> list[GrantRow]:
    """What still holds for an action, the oldest first."""
    sql = (
        "SELECT id, action_sha256, source, level, granted_by FROM action_grant "
        "WHERE action_sha256 = ? AND spent_at IS NULL ORDER BY id"
    )
    return [GrantRow(**row) for row in db.rows(sql, (action_sha256,))]


def spend(db: Database, ids: Iterable[int], now: datetime) -> int:
    """Use them up; how many were not used before."""
    sql = "UPDATE action_grant SET spent_at = ? WHERE id = ? AND spent_at IS NULL"
    with db.immediate() as tx:
        return sum(tx.execute(sql, (to_text(now), one)) for one in ids)
