"""The rows of `item_state`: what happened to a backlog item. No row: open, never rejected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from daemon.clock import from_text, to_text
from daemon.errors import StoreError
from daemon.store.database import Database, Transaction

State = Literal["open", "done", "blocked"]


@dataclass(frozen=True)
class ItemState:
    """`rejections` counts since the item was last unblocked; `changed_at` is None without a row."""

    item: str
    state: State = "open"
    rejections: int = 0
    reason: str = ""
    changed_at: datetime | None = None


def list_item_states(db: Database) -> dict[str, ItemState]:
    """All items that something happened to, by their id."""
    return {row["item"]: _to_state(row) for row in db.rows("SELECT * FROM item_state")}


def find_item_state(db: Database, item: str) -> ItemState:
    found = db.row("SELECT * FROM item_state WHERE item = ?", (item,))
    return ItemState(item) if found is None else _to_state(found)


def count_states(db: Database) -> dict[str, int]:
    """How many items have which state: always "open", "done" and "blocked".

    Items that nothing happened to have no row and are not counted; the backlog knows them.
    """
    counts = {"open": 0, "done": 0, "blocked": 0}
    for row in db.rows("SELECT state, COUNT(*) AS n FROM item_state GROUP BY state"):
        counts[row["state"]] = row["n"]
    return counts


def count_rejection(
    db: Database, item: str, reason: str, max_attempts: int, now: datetime
) -> ItemState:
    """One rejection more; at `max_attempts` the item is blocked for a human. Done stays done."""
    sql = """INSERT INTO item_state (item, state, rejections, reason, changed_at)
             VALUES (:item, iif(1 >= :max, 'blocked', 'open'), 1, :reason, :now)
             ON CONFLICT (item) DO UPDATE SET
                 rejections = rejections + 1, reason = :reason, changed_at = :now,
                 state = iif(state = 'open' AND rejections + 1 >= :max, 'blocked', state)"""
    values = {"item": item, "max": max_attempts, "reason": reason, "now": to_text(now)}
    with db.immediate() as tx:
        tx.execute(sql, values)
        return _written(tx, item)


def mark_done(db: Database, item: str, now: datetime) -> ItemState:
    """The item has its finding; doing it twice changes nothing."""
    sql = """INSERT INTO item_state (item, state, changed_at) VALUES (?, 'done', ?)
             ON CONFLICT (item) DO UPDATE SET
                 state = 'done', reason = '', changed_at = excluded.changed_at
             WHERE state <> 'done'"""
    with db.immediate() as tx:
        tx.execute(sql, (item, to_text(now)))
        return _written(tx, item)


def unblock(db: Database, item: str, now: datetime) -> bool:
    """Put a blocked item back with no rejections; False where it was not blocked."""
    return bool(_unblock(db, "AND item = ?", (item,), now))


def unblock_all(db: Database, now: datetime) -> list[str]:
    """Put every blocked item back with no rejections; their ids, sorted."""
    return _unblock(db, "", (), now)


def reopen(db: Database, item: str, now: datetime) -> bool:
    """Put a done item back with no rejections; False where it was not done. Its finding stays."""
    sql = """UPDATE item_state SET state = 'open', rejections = 0, reason = '', changed_at = ?
             WHERE state = 'done' AND item = ?"""
    with db.immediate() as tx:
        return bool(tx.execute(sql, (to_text(now), item)))


def _unblock(db: Database, which: str, params: tuple[str, ...], now: datetime) -> list[str]:
    sql = f"""UPDATE item_state SET state = 'open', rejections = 0, reason = '', changed_at = ?
              WHERE state = 'blocked' {which} RETURNING item"""  # noqa: S608  `which` is ours
    with db.immediate() as tx:
        return sorted(row["item"] for row in tx.rows(sql, (to_text(now), *params)))


def _written(tx: Transaction, item: str) -> ItemState:
    found = tx.row("SELECT * FROM item_state WHERE item = ?", (item,))
    if found is None:
        raise StoreError(f"the state of item {item} was not kept")
    return _to_state(found)


def _to_state(found: Mapping[str, Any]) -> ItemState:
    return ItemState(**{**found, "changed_at": from_text(found["changed_at"])})
