"""What the daily report is made of: a whole UTC day, the one that runs so far, and how it stands now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from daemon.clock import day_of, to_text
from daemon.governance.budget import SCOPE, usd_text
from daemon.governance.ledger_in_use import KnownEnd, known_end
from daemon.llm.provider import OFFLINE_MODEL
from daemon.reports.written import whole_days
from daemon.store import attempts, budget, findings, sprints
from daemon.store.api_calls import CostRow, costs_by
from daemon.store.database import Database
from daemon.store.findings import FindingRow
from daemon.store.items import list_item_states
from daemon.workspace.board import Board

_MOST_BLOCKED = 200


@dataclass(frozen=True)
class DayFigures:
    """One UTC day, or its beginning. `cap_micros` is None where no model was asked on it.

    `findings` are the newest first, `quoted` the attempts of those that the offline writer quoted;
    `agents` and `items` are the day's calls, the dearest first.
    """

    day: date
    findings: tuple[FindingRow, ...]
    quoted: frozenset[int]
    rejected: int
    sprints: Mapping[str, int]
    spent_micros: int
    cap_micros: int | None
    agents: tuple[CostRow, ...]
    items: tuple[CostRow, ...]
    offline_calls: int = 0

    @property
    def calls(self) -> int:
        return sum(row.calls for row in self.agents)

    @property
    def is_offline(self) -> bool:
        """Whether the offline writer answered every call, and nothing was spent."""
        return not self.spent_micros and self.offline_calls == self.calls > 0


@dataclass(frozen=True)
class Blocked:
    """An item that waits for a person; `title` is empty where the backlog cannot be read."""

    item: str
    title: str
    reason: str


@dataclass(frozen=True)
class Daily:
    """The daily report of `slot`: `before` is the last whole UTC day, `today` the slot's until `until`.

    `backlog` is empty where the workspace was never sound; `end` is None before anything was signed.
    """

    slot: datetime
    until: datetime
    before: DayFigures
    today: DayFigures
    blocked: tuple[Blocked, ...]
    backlog: Mapping[str, int]
    end: KnownEnd | None


def take_daily(db: Database, slot: datetime, now: datetime, board: Board | None) -> Daily:
    """Read it all. A report that is made late has the slot's whole day as `today`. Raises StoreError."""
    since, midnight = whole_days(slot, 1)
    until = min(max(slot, now), midnight + timedelta(days=1))
    return Daily(
        slot=slot,
        until=until,
        before=_day(db, since, midnight),
        today=_day(db, midnight, until),
        blocked=_blocked(db, board),
        backlog={} if board is None else {str(k): n for k, n in board.counts().items()},
        end=known_end(db),
    )


def daily_as_json(found: Daily) -> dict[str, Any]:
    """For machines and for what is kept; money in micro-dollars and, as text, in US dollars."""
    end = found.end
    return {
        **_day_as_json(found.before),
        "today": {**_day_as_json(found.today), "until": to_text(found.until)},
        "blocked": [vars(one) for one in found.blocked],
        "backlog": dict(found.backlog),
        "ledger": {"entries": end.size, "root": end.root} if end else None,
        "checkpoint": end.note if end else None,
    }


def _day(db: Database, since: datetime, until: datetime) -> DayFigures:
    day = day_of(since)
    money = budget.find_day(db, SCOPE, day)
    found = tuple(findings.list_findings(db, since=since, until=until))
    return DayFigures(
        day=day,
        findings=found,
        quoted=findings.attempts_by(db, found, OFFLINE_MODEL),
        rejected=attempts.count_ended_since(db, since, until).get("rejected", 0),
        sprints=sprints.count_states(db, since, until),
        spent_micros=money.spent_micros if money else 0,
        cap_micros=money.cap_micros if money else None,
        agents=tuple(costs_by(db, "agent", day, day)),
        items=tuple(costs_by(db, "item", day, day)),
        offline_calls=offline_calls(db, day),
    )


def offline_calls(db: Database, day: date) -> int:
    """How many of the calls of a UTC day the offline writer answered."""
    models = costs_by(db, "model", day, day)
    return sum(row.calls for row in models if row.name == OFFLINE_MODEL)


def _blocked(db: Database, board: Board | None) -> tuple[Blocked, ...]:
    if board is not None:
        rows = [entry for entry in board.entries if entry.standing == "blocked"]
        found = [Blocked(row.item.id, row.item.title, row.reason) for row in rows]
    else:
        states = sorted(list_item_states(db).items())
        found = [Blocked(name, "", one.reason) for name, one in states if one.state == "blocked"]
    return tuple(found[:_MOST_BLOCKED])


def _day_as_json(figures: DayFigures) -> dict[str, Any]:
    return {
        "day": figures.day.isoformat(),
        "findings": [row.path for row in figures.findings],
        "rejected": figures.rejected,
        "sprints": dict(figures.sprints),
        "calls": figures.calls,
        "spent_micros": figures.spent_micros,
        "spent_usd": usd_text(figures.spent_micros),
        "cap_micros": figures.cap_micros,
        "by_agent": {row.name or "": row.cost_micros for row in figures.agents},
        "by_item": {row.name or "": row.cost_micros for row in figures.items},
    }
