"""The rows of `event`: what happened, for digests and the page. Ids rise in order of commit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from daemon.clock import from_text, to_text
from daemon.store.database import Database
from daemon.store.stored_text import from_json, to_json


@dataclass(frozen=True)
class EventRow:
    """`sprint_id` and `item` are None where the event has nothing to do with one."""

    id: int
    at: datetime
    kind: str
    sprint_id: int | None
    item: str | None
    facts: Mapping[str, Any]


def record(
    db: Database,
    kind: str,
    now: datetime,
    *,
    sprint_id: int | None = None,
    item: str | None = None,
    facts: Mapping[str, Any] | None = None,
) -> int:
    """Keep an event; its id."""
    sql = """INSERT INTO event (at, kind, sprint_id, item, facts)
             VALUES (?, ?, ?, ?, ?) RETURNING id"""
    values = (to_text(now), kind, sprint_id, item, to_json(facts or {}))
    with db.immediate() as tx:
        return int(tx.rows(sql, values)[0]["id"])


def list_after(db: Database, event_id: int, limit: int = 1000) -> list[EventRow]:
    """Events after `event_id` (0: from the first), the oldest first."""
    sql = "SELECT * FROM event WHERE id > ? ORDER BY id LIMIT ?"
    return [_to_row(row) for row in db.rows(sql, (event_id, limit))]


def list_newest(db: Database, limit: int) -> list[EventRow]:
    """The newest first."""
    sql = "SELECT * FROM event ORDER BY id DESC LIMIT ?"
    return [_to_row(row) for row in db.rows(sql, (limit,))]


def last_id(db: Database) -> int:
    """The id of the newest event; 0 before the first."""
    found = db.row("SELECT COALESCE(MAX(id), 0) AS id FROM event")
    return 0 if found is None else int(found["id"])


def _to_row(found: Mapping[str, Any]) -> EventRow:
    return EventRow(**{**found, "at": from_text(found["at"]), "facts": from_json(found["facts"])})
