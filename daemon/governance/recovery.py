"""The circuit breaker: how many sprints failed in a row, and when that stops everything.

Only sprints that end as `failed` count. `completed` and `no_work` close it again; `paused_budget`
and `interrupted` say nothing about health and leave the count alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from daemon.governance.budget import Refusal
from daemon.governance.states import DaemonState, current_state
from daemon.store import control, events, items
from daemon.store.database import Database
from daemon.store.sprints import SprintState


@dataclass(frozen=True)
class Reset:
    """What `reset_failures` put back."""

    failures: int
    was_halted: bool
    unblocked: tuple[str, ...]


def consecutive_failures(db: Database) -> int:
    """How many sprints failed since the last good one."""
    kept = control.get(db, "consecutive_failures")
    return int(kept) if kept is not None else 0


def record_outcome(
    db: Database, state: SprintState, reason: str, now: datetime, *, limit: int
) -> bool:
    """Count one sprint's end; True when this one opened the breaker and halted the daemon."""
    if state in ("completed", "no_work"):
        control.put(db, "consecutive_failures", 0, now)
        return False
    if state != "failed":
        return False
    with db.immediate():
        failures = consecutive_failures(db) + 1
        control.put(db, "consecutive_failures", failures, now)
        if failures < limit:
            return False
        return halt(db, f"{failures} sprints failed in a row; the last: {reason}", now)


def halt(db: Database, reason: str, now: datetime) -> bool:
    """Stop all spending until a person resets; False where it was halted already (no second alert)."""
    with db.immediate():
        before = current_state(db)
        if before and before.name == "halted":
            return False
        control.put(db, "state", DaemonState("halted", reason, now).as_json(), now)
        events.record(db, "halted", now, facts={"reason": reason})
        return True


def refusal_while_halted(db: Database) -> Refusal | None:
    """The gate's word before every reservation: a halted daemon spends nothing."""
    state = current_state(db)
    if state is None or state.name != "halted":
        return None
    return Refusal.by_gate(f"halted: {state.reason}; mend it, then run `sprintd reset-failures`")


def reset_failures(db: Database, now: datetime, *, item: str | None = None) -> Reset:
    """Close the breaker and put blocked items back: one `item`, or None for all of them.

    With an item only that item is put back and the breaker stays as it is.
    """
    with db.immediate():
        if item is not None:
            put_back = items.unblock(db, item, now)
            return Reset(0, was_halted=False, unblocked=(item,) if put_back else ())
        failures, state = consecutive_failures(db), current_state(db)
        was_halted = state is not None and state.name == "halted"
        control.put(db, "consecutive_failures", 0, now)
        if was_halted:
            control.put(db, "state", DaemonState("idle", "reset by a person", now).as_json(), now)
        unblocked = tuple(items.unblock_all(db, now))
        events.record(db, "reset", now, facts={"failures": failures, "unblocked": list(unblocked)})
        return Reset(failures, was_halted, unblocked)
