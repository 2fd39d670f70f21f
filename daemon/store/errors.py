"""The rows of `error_record`: what went wrong, where and why, for the diagnosis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from daemon.clock import from_text, to_text
from daemon.store.database import Database

LONGEST_MESSAGE = 2_000


@dataclass(frozen=True)
class ErrorRow:
    """`place` is where it was met; `cause` a name of the table of known causes or unknown/<digest>.

    `sprint_id` and `item` are None where the error has nothing to do with one.
    """

    id: int
    at: datetime
    place: str
    cause: str
    message: str
    sprint_id: int | None
    item: str | None


def record(
    db: Database,
    *,
    place: str,
    cause: str,
    message: str,
    now: datetime,
    sprint_id: int | None = None,
    item: str | None = None,
) -> int:
    """Keep an error; its id. A message is cut at 2,000 characters."""
    sql = """INSERT INTO error_record (at, place, cause, message, sprint_id, item)
             VALUES (?, ?, ?, ?, ?, ?) RETURNING id"""
    values = (to_text(now), place, cause, message[:LONGEST_MESSAGE], sprint_id, item)
    with db.immediate() as tx:
        return int(tx.rows(sql, values)[0]["id"])


def list_after(db: Database, error_id: int, limit: int) -> list[ErrorRow]:
    """The newest `limit` errors after `error_id` (0: of all), the oldest of them first."""
    sql = "SELECT * FROM error_record WHERE id > ? ORDER BY id DESC LIMIT ?"
    return [_to_row(row) for row in reversed(db.rows(sql, (error_id, limit)))]


def list_causes(db: Database, sprint_id: int) -> set[str]:
    """The causes of all errors of a sprint."""
    sql = "SELECT DISTINCT cause FROM error_record WHERE sprint_id = ?"
    return {row["cause"] for row in db.rows(sql, (sprint_id,))}


def last_id(db: Database) -> int:
    """The id of the newest error; 0 before the first."""
    found = db.row("SELECT COALESCE(MAX(id), 0) AS id FROM error_record")
    return 0 if found is None else int(found["id"])


def _to_row(found: Mapping[str, Any]) -> ErrorRow:
    return ErrorRow(**{**found, "at": from_text(found["at"])})
