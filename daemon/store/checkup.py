"""What a doctor asks the store, besides its integrity and its books."""

from __future__ import annotations

from datetime import datetime

from daemon.clock import from_text
from daemon.store.database import FIRST_SOUND_SQLITE, Database
from daemon.store.driver import sqlite3


def newest_moment(db: Database) -> datetime | None:
    """The latest moment that the daemon is known to have lived; None in a new database.

    A running daemon writes a small row every half minute, so this is near the clock.
    """
    sql = """SELECT max(at) AS at FROM (
                 SELECT max(changed_at) AS at FROM control
                 UNION ALL SELECT at FROM (SELECT at FROM event ORDER BY id DESC LIMIT 1))"""
    row = db.row(sql)
    return from_text(row["at"]) if row and row["at"] else None


def sqlite_version() -> str:
    """The version of the library in use."""
    return str(sqlite3.sqlite_version)


def is_sound_sqlite(version: str) -> bool:
    """Whether a version of SQLite is free of the fault that damages write-ahead logs."""
    wanted, found = (
        tuple(int(part) for part in text.split(".")) for text in (FIRST_SOUND_SQLITE, version)
    )
    return found >= wanted
