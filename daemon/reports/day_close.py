"""The close of a UTC day: its money, by agent and by item. Deletes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from daemon.config.phrases import Phrases
from daemon.governance.budget import SCOPE, usd_text
from daemon.notify import message
from daemon.reports.day_figures import offline_calls
from daemon.reports.plain_text import one_line, points
from daemon.reports.written import Written, whole_days
from daemon.store import budget
from daemon.store.api_calls import CostRow, costs_by
from daemon.store.database import Database


def write_day_close(db: Database, slot: datetime, phrases: Phrases) -> Written:
    """The money of the UTC day before `slot`. `facts["calls"]` is 0 where nothing was asked."""
    say = phrases.text
    since, _until = whole_days(slot, 1)
    day = since.date()
    row = budget.find_day(db, SCOPE, day)
    agents, items = costs_by(db, "agent", day, day), costs_by(db, "item", day, day)
    calls = sum(cost.calls for cost in agents)
    facts: dict[str, Any] = {
        "day": day.isoformat(),
        "calls": calls,
        "cap_micros": row.cap_micros if row else 0,
        "spent_micros": row.spent_micros if row else 0,
        "held_micros": row.held_micros if row else 0,
        "by_agent": {cost.name or "": cost.cost_micros for cost in agents},
        "by_item": {cost.name or "": cost.cost_micros for cost in items},
    }
    if row is None:
        return Written(say("day_close.nothing", day=day), facts)
    spent, cap = usd_text(row.spent_micros), usd_text(row.cap_micros)
    title = say("day_close.title", day=day, spent=spent, cap=cap, calls=calls)
    if not row.spent_micros and offline_calls(db, day) == calls > 0:
        title = say("day_close.title_offline", day=day, calls=calls)
    held = say("day_close.held", held=usd_text(row.held_micros)) if row.held_micros else ""
    tables = (
        (say("day_close.by_agent"), _costs(agents, say("day_close.no_agent"))),
        (say("day_close.by_item"), _costs(items, say("day_close.no_item"))),
    )
    text = [title, *([held] if held else [])]
    text += [line for name, costs in tables for line in (name, *points(costs))]
    parts = (
        message.bar(title, row.spent_micros, row.cap_micros),
        *([message.small(held)] if held else []),
        *(message.lines(list(map(message.line, costs)), title=name) for name, costs in tables),
    )
    return Written("\n".join(text), facts, parts)


def _costs(costs: Sequence[CostRow], nameless: str) -> list[str]:
    return [
        f"{one_line(cost.name or nameless)}: {usd_text(cost.cost_micros)} USD ({cost.calls})"
        for cost in costs
    ]
