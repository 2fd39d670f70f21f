"""What the daemon is doing, kept in one row of the store with its reason and since when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from daemon.clock import from_text, to_text
from daemon.store import control
from daemon.store.database import Database

StateName = Literal["working", "idle", "paused_budget", "halted", "stopping"]


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


def enter_state(
    db: Database, name: StateName, reason: str, now: datetime, *, until: datetime | None = None
) -> DaemonState:
    """Write the state. Entering the same state for the same reason again keeps its `since`.

    Halted is left only through `recovery.reset_failures`, also by a stop: any other state is refused
    then, and the
    halted one is returned.
    """
    with db.immediate():
        before = current_state(db)
        if before and before.name == "halted" and name != "halted":
            return before
        same = before and (before.name, before.reason, before.until) == (name, reason, until)
        state = DaemonState(name, reason, before.since if same and before else now, until)
        if not same:
            control.put(db, "state", state.as_json(), now)
        return state
