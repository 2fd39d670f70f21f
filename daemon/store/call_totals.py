"""The rows of `call_total`: what the calls of a day came to, summed by agent, item or model.

The database itself keeps them equal to `api_calls` (see the schema), so a page that looks at a million
calls reads a few hundred rows.
"""

from __future__ import annotations

from datetime import date
from typing import Literal

from daemon.store.api_calls import CostRow
from daemon.store.database import Database

TotalKind = Literal["agent", "item", "model"]


def totals_by(
    db: Database, kind: TotalKind, since: date, until: date, *, limit: int = -1
) -> list[CostRow]:
    """The UTC days `since` to `until`, both included, the dearest first; at most `limit` (-1: all)."""
    sql = """
        SELECT nullif(name, '') AS name, sum(calls) AS calls, sum(cost_micros) AS cost_micros,
            sum(open_micros) AS open_micros, sum(prompt_tokens) AS prompt_tokens,
            sum(output_tokens) AS output_tokens
        FROM call_total WHERE kind = ? AND day BETWEEN ? AND ?
        GROUP BY 1 HAVING sum(calls) > 0 ORDER BY 3 DESC, 1 LIMIT ?"""
    days = (since.isoformat(), until.isoformat())
    return [CostRow(**row) for row in db.rows(sql, (kind, *days, limit))]


def total_of(db: Database, since: date, until: date) -> CostRow:
    """All calls of the UTC days `since` to `until`, both included; zeros where there were none."""
    rows = totals_by(db, "model", since, until)
    sums = {
        name: sum(getattr(row, name) for row in rows)
        for name in ("calls", "cost_micros", "open_micros", "prompt_tokens", "output_tokens")
    }
    return CostRow(None, **sums)
