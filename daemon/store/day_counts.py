"""What happened on one UTC day, counted; each count reads only that day's part of an index."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from daemon.clock import to_text
from daemon.store.database import Database


@dataclass(frozen=True)
class CallCount:
    """Calls to one model that ended in one way; calls under way have cost nothing yet."""

    model: str
    outcome: str
    calls: int
    cost_micros: int


def count_calls(db: Database, day: date) -> list[CallCount]:
    """The day's calls by the model that was asked and by what came of them."""
    sql = """SELECT model, outcome, count(*) AS calls, sum(coalesce(cost_micros, 0)) AS cost_micros
             FROM api_calls WHERE day = ? GROUP BY model, outcome ORDER BY model, outcome"""
    return [CallCount(**row) for row in db.rows(sql, (day.isoformat(),))]


def count_sprints(db: Database, since: datetime) -> dict[str, int]:
    """Sprints that began at `since` or later, by state."""
    return _by_state(db, "sprint", "started_at", since)


def count_attempts(db: Database, since: datetime) -> dict[str, int]:
    """Attempts that ended at `since` or later, by how they ended."""
    return _by_state(db, "attempt", "ended_at", since)


def count_open_incidents(db: Database) -> int:
    """Errors that were told of and have not recovered."""
    row = db.row("SELECT count(*) AS number FROM incident WHERE closed_at IS NULL")
    return int(row["number"]) if row else 0


def _by_state(db: Database, table: str, column: str, since: datetime) -> dict[str, int]:
    # The +: search by time, do not walk an index of states.
    sql = f"SELECT state, count(*) AS number FROM {table} WHERE {column} >= ? GROUP BY +state"  # noqa: S608
    return {row["state"]: row["number"] for row in db.rows(sql, (to_text(since),))}
