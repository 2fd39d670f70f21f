"""What the daemon is doing right now, from constant-time reads: for /health, the page and `status`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from daemon import __version__
from daemon.clock import Heartbeat, to_text
from daemon.errors import Fault
from daemon.governance.budget import Budget, BudgetDay
from daemon.governance.recovery import consecutive_failures
from daemon.governance.states import DaemonState, current_state
from daemon.store import sprints
from daemon.store.database import Database
from daemon.store.sprints import SprintRow

_USD = 1_000_000


@dataclass(frozen=True)
class Status:
    """`state` is None before the daemon ran for the first time, `last_sprint` before its first sprint."""

    provider: str
    state: DaemonState | None
    day: BudgetDay
    backlog: Mapping[str, int]
    last_sprint: SprintRow | None
    consecutive_failures: int
    database_bytes: int
    faults: tuple[Fault, ...]

    def as_json(self) -> dict[str, Any]:
        """For machines: money in micro-dollars and as text in USD, times as UTC text."""
        last = self.last_sprint
        return {
            "version": __version__,
            "provider": self.provider,
            "state": self.state.as_json() if self.state else None,
            "budget": budget_as_json(self.day),
            "backlog": dict(self.backlog),
            "last_sprint": sprint_as_json(last) if last else None,
            "consecutive_failures": self.consecutive_failures,
            "database_bytes": self.database_bytes,
            "workspace_faults": [str(fault) for fault in self.faults],
        }


def take_status(
    db: Database,
    budget: Budget,
    *,
    provider: str,
    backlog: Mapping[str, int],
    faults: tuple[Fault, ...],
) -> Status:
    """Read it all; `backlog` has the counts of a board. Raises StoreError."""
    return Status(
        provider=provider,
        state=current_state(db),
        day=budget.today(),
        backlog=backlog,
        last_sprint=sprints.last_sprint(db),
        consecutive_failures=consecutive_failures(db),
        database_bytes=db.size_bytes(),
        faults=faults,
    )


def heartbeat_as_json(heartbeat: Heartbeat) -> dict[str, Any]:
    """`age_seconds` is None where there was no beat yet."""
    age = heartbeat.age_seconds()
    return {"age_seconds": None if age is None else round(age, 1), "fresh": heartbeat.is_fresh()}


def budget_as_json(day: BudgetDay) -> dict[str, Any]:
    """One UTC day's money, in micro-dollars and in USD."""
    return {
        "day": day.day.isoformat(),
        "cap_micros": day.cap_micros,
        "spent_micros": day.spent_micros,
        "reserved_micros": day.reserved_micros,
        "remaining_micros": day.remaining_micros,
        "cap_usd": usd(day.cap_micros),
        "spent_usd": usd(day.spent_micros),
        "reserved_usd": usd(day.reserved_micros),
        "remaining_usd": usd(day.remaining_micros),
        "ends_at": to_text(day.ends_at),
    }


def sprint_as_json(row: SprintRow) -> dict[str, Any]:
    """One sprint without its plan's details."""
    return {
        "id": row.id,
        "kind": row.kind,
        "focus": row.focus or (row.plan or {}).get("focus"),
        "state": row.state,
        "reason": row.reason,
        "started_at": to_text(row.started_at),
        "ended_at": to_text(row.ended_at) if row.ended_at else None,
    }


def usd(micros: int) -> str:
    """Micro-dollars as dollars with all that is known: 54399 is "0.054399", 20000000 is "20.00"."""
    whole, rest = divmod(abs(micros), _USD)
    cents = f"{rest:06d}".rstrip("0").ljust(2, "0")
    return f"{'-' if micros < 0 else ''}{whole}.{cents}"
