"""A day to report on: what was learned, what is blocked, and what it cost."""

from __future__ import annotations

from datetime import UTC, date, datetime

from daemon.governance.ledger_in_use import KnownEnd
from daemon.reports.day_figures import Blocked, Daily, DayFigures
from daemon.store.api_calls import CostRow
from daemon.store.findings import FindingRow

SLOT = datetime(2026, 12, 1, 13, 0, tzinfo=UTC)
NOTE = "sprintd/harbour\n42\nqqqq\n\n— sprintd/harbour AAAA+BBBB\n"
END = KnownEnd(42, "aa", "beef" * 16, NOTE, "2026-12-01T12:00:00.000000Z")


def finding(item: str, title: str, attempt: int) -> FindingRow:
    at = datetime(2026, 11, 30, 9, attempt, tzinfo=UTC)
    path = f"memory/findings/{item}.md"
    return FindingRow(path, attempt, item, "KC1", "analyst", title, "", 82, (), at)


def cost(name: str | None, calls: int, micros: int) -> CostRow:
    return CostRow(name, calls, micros, 0, 0, 0)


def a_daily(*, language_title: str = "Boats of 2025, in all") -> Daily:
    """Yesterday: 2 findings, 1 rejected, 12 sprints, 26 calls, 4.21 of 20 USD. Today: 0, 0, 3, 6, 0.90."""
    before = DayFigures(
        day=date(2026, 11, 30),
        findings=(finding("T01", language_title, 1), finding("T02", "Berths", 2)),
        quoted=frozenset(),
        rejected=1,
        sprints={"completed": 11, "failed": 1},
        spent_micros=4_210_000,
        cap_micros=20_000_000,
        agents=(cost("analyst", 25, 4_200_000), cost(None, 1, 10_000)),
        items=(cost("T01", 20, 4_000_000), cost("T05", 6, 210_000)),
    )
    today = DayFigures(
        day=date(2026, 12, 1),
        findings=(),
        quoted=frozenset(),
        rejected=0,
        sprints={"completed": 3},
        spent_micros=900_000,
        cap_micros=20_000_000,
        agents=(cost("analyst", 6, 900_000),),
        items=(cost("T07", 6, 900_000),),
    )
    blocked = (Blocked("T05", "The lighthouse", "a figure that no note has"),)
    backlog = {"eligible": 30, "done": 4, "blocked": 1, "waiting": 2}
    return Daily(SLOT, SLOT, before, today, blocked, backlog, END)
