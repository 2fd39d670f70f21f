"""The rows of `control`: the daemon's own small facts by name, as JSON."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from daemon.clock import to_text
from daemon.store.database import Database
from daemon.store.stored_text import from_json, to_json


def get(db: Database, name: str) -> Any | None:
    """The value, or None where there is none (a stored null reads the same)."""
    found = db.row("SELECT value FROM control WHERE name = ?", (name,))
    return None if found is None else from_json(found["value"])


def put(db: Database, name: str, value: Any, now: datetime) -> None:
    """Keep anything that JSON can hold, in place of the old value."""
    sql = """INSERT INTO control (name, value, changed_at) VALUES (?, ?, ?)
             ON CONFLICT (name) DO UPDATE SET
                 value = excluded.value, changed_at = excluded.changed_at"""
    with db.immediate() as tx:
        tx.execute(sql, (name, to_json(value), to_text(now)))


def delete(db: Database, name: str) -> bool:
    """Forget a value; False where there was none."""
    with db.immediate() as tx:
        return bool(tx.execute("DELETE FROM control WHERE name = ?", (name,)))
