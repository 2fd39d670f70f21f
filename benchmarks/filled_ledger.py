"""A ledger of any length: calls spread over a year, some of them of today."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from daemon.bootstrap import database_of
from daemon.clock import day_of, to_text
from daemon.store.database import open_database

_DAYS = 365
_PART = 100_000

_NUMBERS = """
    WITH RECURSIVE counted (n) AS (
        SELECT :first UNION ALL SELECT n + 1 FROM counted WHERE n < :last
    )
"""
_RESERVATIONS = (
    "INSERT INTO reservation"
    " (key, scope, day, held_micros, actual_micros, state, created_at, closed_at)"
    + _NUMBERS
    + "SELECT 'sprint/' || (n / 2) || '/track/' || (n % 2) || '/try/1', 'venture',"
    " date(:today, '-' || (n % :days) || ' days'), 5440, 2130 + n % 97, 'settled', :now, :now"
    " FROM counted"
)
_CALLS = (
    "INSERT INTO api_calls"
    " (reservation_key, called_at, day, purpose, sprint_id, item, agent, provider, model,"
    "  replied_model, input_tokens, output_tokens, cache_write_5m_tokens, cache_write_1h_tokens,"
    "  cache_read_tokens, reserved_micros, cost_micros, outcome)"
    + _NUMBERS
    + "SELECT 'sprint/' || (n / 2) || '/track/' || (n % 2) || '/try/1',"
    " date(:today, '-' || (n % :days) || ' days') || 'T09:00:00.000000Z',"
    " date(:today, '-' || (n % :days) || ' days'), 'attempt', n / 2, 'T' || (1 + n % 37),"
    " 'market-researcher', 'claude', 'claude-sonnet-5-5', 'claude-sonnet-5-5', 9000 + n % 500,"
    " 1500 + n % 300, 0, 0, 0, 5440, 2130 + n % 97, 'replied' FROM counted"
)


def fill_ledger(root: Path, calls: int, now: datetime) -> None:
    """Put so many paid calls into the workspace's database, in one transaction."""
    facts = {"today": day_of(now).isoformat(), "now": to_text(now), "days": _DAYS}
    db = open_database(database_of(root))
    with db.immediate() as books:
        for back in range(_DAYS):
            day = day_of(now - timedelta(days=back)).isoformat()
            books.execute(
                "INSERT OR IGNORE INTO budget_day (scope, day, cap_micros) VALUES ('venture', ?, ?)",
                (day, 10**12),
            )
        for first in range(0, calls, _PART):
            span = facts | {"first": first, "last": min(calls, first + _PART) - 1}
            books.execute(_RESERVATIONS, span)
            books.execute(_CALLS, span)
        books.execute(
            "UPDATE budget_day SET used_micros = coalesce((SELECT sum(actual_micros)"
            " FROM reservation r WHERE r.scope = budget_day.scope AND r.day = budget_day.day), 0)"
        )
    db.close()
