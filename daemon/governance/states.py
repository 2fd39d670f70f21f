"""What the daemon is doing: one state, kept in the store with its reason and since when.

`TRANSITIONS` is the whole of it. docs/architecture.md shows the same table, and a test holds both
equal.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, get_args

from daemon.clock import from_text, to_text
from daemon.store import control
from daemon.store.database import Database

StateName = Literal["working", "idle", "paused_budget", "diagnosing", "halted", "stopping"]
Mover = Literal["daemon", "person"]

STATE_NAMES: tuple[StateName, ...] = get_args(StateName)
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Transition:
    """One line of the table; `by` is who may do it."""

    before: StateName
    after: StateName
    when: str
    by: Mover = "daemon"


TRANSITIONS = (
    Transition("idle", "working", "a sprint is due, allowed, and has something to do"),
    Transition("idle", "paused_budget", "the day's cap refused a call outside of a sprint"),
    Transition("idle", "diagnosing", "the circuit breaker is open"),
    Transition("idle", "halted", "an error that only a person can mend"),
    Transition("idle", "stopping", "it is asked to stop"),
    Transition("working", "idle", "the sprint ended, or a crash cut it off"),
    Transition("working", "paused_budget", "the day's cap refused a call"),
    Transition("working", "diagnosing", "the sprint failed and opened the circuit breaker"),
    Transition("working", "halted", "a permanent provider error, or the trial sprint failed"),
    Transition("working", "stopping", "it is asked to stop"),
    Transition(
        "paused_budget", "idle", "the UTC day is over, a person raised the cap, or a new life looks"
    ),
    Transition("paused_budget", "halted", "an error that only a person can mend"),
    Transition("paused_budget", "stopping", "it is asked to stop"),
    Transition("diagnosing", "idle", "the diagnosis is written; a trial sprint comes next"),
    Transition("diagnosing", "halted", "the diagnosis failed"),
    Transition("diagnosing", "stopping", "it is asked to stop"),
    Transition("halted", "idle", "`POST /reset-failures` or `sprintd reset-failures`", "person"),
    Transition("stopping", "idle", "the next life begins"),
    Transition("stopping", "halted", "the sprint that it waits for meets a permanent error"),
)
_BY = {(line.before, line.after): line.by for line in TRANSITIONS}


@dataclass(frozen=True)
class DaemonState:
    """`until` is when it ends by itself, or None where it does not."""

    name: StateName
    reason: str
    since: datetime
    until: datetime | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "reason": self.reason,
            "since": to_text(self.since),
            "until": to_text(self.until) if self.until else None,
        }


def current_state(db: Database) -> DaemonState | None:
    """The state as last written; None in a new database."""
    kept = control.get(db, "state")
    if kept is None:
        return None
    until = from_text(kept["until"]) if kept["until"] else None
    return DaemonState(kept["name"], kept["reason"], from_text(kept["since"]), until)


def may_enter(before: StateName, after: StateName, *, by: Mover = "daemon") -> bool:
    """Whether the table has it. Any state but `halted` may be entered again, for a new reason."""
    if before == after:
        return after != "halted"
    return _BY.get((before, after)) == by


def enter_state(
    db: Database,
    name: StateName,
    reason: str,
    now: datetime,
    *,
    until: datetime | None = None,
    by: Mover = "daemon",
) -> DaemonState:
    """Write the state; the one that holds then, which is the old one where the table refuses.

    A new database counts as idle. Entering the same state for the same reason again keeps its
    `since`. Only a person leaves `halted`, so neither a tick nor a stop nor a restart does.
    """
    with db.immediate():
        before = current_state(db) or DaemonState("idle", "", now)
        if not may_enter(before.name, name, by=by):
            if before.name != "halted":  # which is asked to rest at every tick
                _log.error("it stays %s and is not %s: %s", before.name, name, reason)
            return before
        if (before.name, before.reason, before.until) == (name, reason, until):
            return before
        state = DaemonState(name, reason, now, until)
        control.put(db, "state", state.as_json(), now)
        return state
