"""The rows of `incident`: all repeats of one error, from the first one until it works again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from daemon.clock import from_text, to_text
from daemon.errors import StoreError
from daemon.store.database import Database


@dataclass(frozen=True)
class IncidentRow:
    """`detail` and `cure` are those of the newest repeat; `closed_at` is None while it is open."""

    id: int
    cause: str
    detail: str
    cure: str
    opened_at: datetime
    last_at: datetime
    count: int
    closed_at: datetime | None


def count(db: Database, cause: str, detail: str, cure: str, now: datetime) -> IncidentRow:
    """Open the incident of a cause, or count one repeat more; the row has a count of 1 if new."""
    sql = """INSERT INTO incident (cause, detail, cure, opened_at, last_at)
             VALUES (:cause, :detail, :cure, :now, :now)
             ON CONFLICT (cause) WHERE closed_at IS NULL DO UPDATE SET
                 count = count + 1, last_at = :now, detail = :detail, cure = :cure"""
    values = {"cause": cause, "detail": detail, "cure": cure, "now": to_text(now)}
    with db.immediate() as tx:
        tx.execute(sql, values)
        found = find_open(db, cause)
        if found is None:
            raise StoreError(f"the incident {cause} was not kept")
        return found


def close(db: Database, incident_id: int, now: datetime) -> bool:
    """It works again; False where the incident was closed before."""
    sql = "UPDATE incident SET closed_at = ? WHERE id = ? AND closed_at IS NULL"
    with db.immediate() as tx:
        return bool(tx.execute(sql, (to_text(now), incident_id)))


def find_open(db: Database, cause: str) -> IncidentRow | None:
    """The open incident of a cause, or None."""
    found = db.row("SELECT * FROM incident WHERE cause = ? AND closed_at IS NULL", (cause,))
    return None if found is None else _to_row(found)


def list_open(db: Database) -> list[IncidentRow]:
    """Every incident that is open, the oldest first."""
    found = db.rows("SELECT * FROM incident WHERE closed_at IS NULL ORDER BY id")
    return [_to_row(row) for row in found]


def list_newest(db: Database, limit: int) -> list[IncidentRow]:
    """Open or closed, the newest first."""
    found = db.rows("SELECT * FROM incident ORDER BY id DESC LIMIT ?", (limit,))
    return [_to_row(row) for row in found]


def list_closed(db: Database, limit: int, before_id: int | None = None) -> list[IncidentRow]:
    """Those that are over, the newest first; only those older than `before_id` where it is given."""
    sql = """SELECT * FROM incident WHERE closed_at IS NOT NULL AND id < ?
             ORDER BY id DESC LIMIT ?"""
    newest = 2**62 if before_id is None else before_id
    return [_to_row(row) for row in db.rows(sql, (newest, limit))]


def _to_row(found: Mapping[str, Any]) -> IncidentRow:
    moments = ("opened_at", "last_at", "closed_at")
    return IncidentRow(
        **{
            **found,
            **{name: from_text(found[name]) if found[name] else None for name in moments},
        }
    )
