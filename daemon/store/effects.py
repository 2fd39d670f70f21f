"""Outside effects by key. `started` is written before the call, the result after it.

A key that is `started` in a later life of the daemon is one whose outcome nobody knows; it becomes
`lost` and is never used again. A key that is `done` gives its result back instead of a second call.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from daemon.clock import from_text, to_text
from daemon.errors import StoreError
from daemon.store.database import Database
from daemon.store.stored_text import from_json, to_json

EffectState = Literal["started", "done", "lost"]


@dataclass(frozen=True)
class EffectRow:
    """`owner` is the life of the daemon that started it; `result` is None unless done."""

    key: str
    state: EffectState
    owner: str
    deadline_at: datetime
    result: dict[str, Any] | None
    started_at: datetime
    ended_at: datetime | None


def start_effect(
    db: Database, key: str, *, owner: str, deadline_at: datetime, now: datetime
) -> bool:
    """Write that the effect is about to happen; False where the key was used before."""
    sql = (
        "INSERT INTO effect (key, state, owner, deadline_at, started_at) "
        "VALUES (?, 'started', ?, ?, ?) ON CONFLICT (key) DO NOTHING"
    )
    with db.immediate() as tx:
        return tx.execute(sql, (key, owner, to_text(deadline_at), to_text(now))) == 1


def extend_effect(db: Database, key: str, *, deadline_at: datetime) -> bool:
    """Move the deadline of a started effect, for its next try."""
    sql = "UPDATE effect SET deadline_at = ? WHERE key = ? AND state = 'started'"
    with db.immediate() as tx:
        return tx.execute(sql, (to_text(deadline_at), key)) == 1


def finish_effect(db: Database, key: str, result: Mapping[str, Any], now: datetime) -> bool:
    """Keep the result of a started effect; False where it was not under way."""
    sql = (
        "UPDATE effect SET state = 'done', result = ?, ended_at = ? "
        "WHERE key = ? AND state = 'started'"
    )
    with db.immediate() as tx:
        return tx.execute(sql, (to_json(result), to_text(now), key)) == 1


def lose_effect(db: Database, key: str, now: datetime) -> bool:
    """Give up on a started effect whose outcome is unknown; its key is never used again."""
    sql = "UPDATE effect SET state = 'lost', ended_at = ? WHERE key = ? AND state = 'started'"
    with db.immediate() as tx:
        return tx.execute(sql, (to_text(now), key)) == 1


def forget_effect(db: Database, key: str) -> bool:
    """Take back a started effect that surely did not happen; its key may be used again."""
    with db.immediate() as tx:
        return tx.execute("DELETE FROM effect WHERE key = ? AND state = 'started'", (key,)) == 1


def find_effect(db: Database, key: str) -> EffectRow | None:
    """The effect of a key, or None where nothing was started under it."""
    row = db.row("SELECT * FROM effect WHERE key = ?", (key,))
    return _effect(row) if row else None


def list_started(db: Database) -> list[EffectRow]:
    """Every effect under way, in the order of their keys."""
    return [
        _effect(row) for row in db.rows("SELECT * FROM effect WHERE state = 'started' ORDER BY key")
    ]


def _effect(row: dict[str, Any]) -> EffectRow:
    try:
        return EffectRow(
            key=row["key"],
            state=row["state"],
            owner=row["owner"],
            deadline_at=from_text(row["deadline_at"]),
            result=from_json(row["result"]),
            started_at=from_text(row["started_at"]),
            ended_at=from_text(row["ended_at"]) if row["ended_at"] else None,
        )
    except ValueError as error:
        raise StoreError(f"the stored effect {row['key']!r} cannot be read: {error}") from error
