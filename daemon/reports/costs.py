"""What was spent, by day, agent, model or item, and what the day's cap leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from daemon.governance.budget import BudgetDay, usd_text
from daemon.reports.plain_text import render_table, wrap
from daemon.reports.status import budget_as_json, render_money
from daemon.store.api_calls import CostRow, Grouping, costs_by
from daemon.store.database import Database

_NONE = {"agent": "(no agent)", "item": "(planning)"}


@dataclass(frozen=True)
class Costs:
    """The calls of the UTC days `since` to `day.day`, both included, in groups."""

    grouping: Grouping
    since: date
    day: BudgetDay
    rows: tuple[CostRow, ...]

    @property
    def calls(self) -> int:
        return sum(row.calls for row in self.rows)

    @property
    def cost_micros(self) -> int:
        return sum(row.cost_micros for row in self.rows)

    @property
    def open_micros(self) -> int:
        """What is set aside for calls under way, or cut off and not yet counted."""
        return sum(row.open_micros for row in self.rows)

    def as_json(self) -> dict[str, Any]:
        """Money in micro-dollars and, as text, in US dollars."""
        return {
            "by": self.grouping,
            "since": self.since.isoformat(),
            "until": self.day.day.isoformat(),
            "rows": [_row_as_json(row) for row in self.rows],
            "total": {
                "calls": self.calls,
                "prompt_tokens": sum(row.prompt_tokens for row in self.rows),
                "output_tokens": sum(row.output_tokens for row in self.rows),
                "cost_micros": self.cost_micros,
                "cost_usd": usd_text(self.cost_micros),
                "open_micros": self.open_micros,
                "open_usd": usd_text(self.open_micros),
            },
            "today": budget_as_json(self.day),
        }


def take_costs(db: Database, day: BudgetDay, *, grouping: Grouping, days: int) -> Costs:
    """The costs of the last `days` UTC days, today included (1: only today). Raises StoreError."""
    since = day.day - timedelta(days=days - 1)
    return Costs(grouping, since, day, tuple(costs_by(db, grouping, since, day.day)))


def render_costs(costs: Costs, width: int) -> str:
    """A table with its total, then today's money under the cap."""
    titles = (costs.grouping, "calls", "prompt tokens", "output tokens", "under way", "cost USD")
    lines = [f"Costs of the UTC days {costs.since} to {costs.day.day}, by {costs.grouping}"]
    if costs.rows:
        rows = [_cells(row, costs.grouping) for row in costs.rows]
        total = ("total", f"{costs.calls:,}", *_tokens(costs.rows), usd_text(costs.open_micros),
                 usd_text(costs.cost_micros))  # fmt: skip
        lines.append(render_table(titles, [*rows, total], width=width, right=(1, 2, 3, 4, 5)))
    else:
        lines.append("No call was made.")
    lines += ["", *wrap(render_money(costs.day), width)]
    return "\n".join(lines)


def _cells(row: CostRow, grouping: Grouping) -> tuple[str, ...]:
    name = row.name or _NONE.get(grouping, "(none)")
    return (
        name,
        f"{row.calls:,}",
        *_tokens([row]),
        usd_text(row.open_micros),
        usd_text(row.cost_micros),
    )


def _tokens(rows: Sequence[CostRow]) -> tuple[str, str]:
    prompt, output = sum(r.prompt_tokens for r in rows), sum(r.output_tokens for r in rows)
    return f"{prompt:,}", f"{output:,}"


def _row_as_json(row: CostRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "calls": row.calls,
        "prompt_tokens": row.prompt_tokens,
        "output_tokens": row.output_tokens,
        "cost_micros": row.cost_micros,
        "cost_usd": usd_text(row.cost_micros),
        "open_micros": row.open_micros,
        "open_usd": usd_text(row.open_micros),
    }
