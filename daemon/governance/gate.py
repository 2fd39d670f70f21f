"""The gate before every reservation: a halted daemon asks nothing, nor does one told to wait."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from daemon.clock import from_text, to_text, utc_text
from daemon.governance.budget import Refusal
from daemon.governance.states import current_state
from daemon.store import control
from daemon.store.database import Database

_LIMIT = "rate_limit"


@dataclass(frozen=True)
class RateLimit:
    """The service asked to be left alone until then; `since` is when it asked."""

    until: datetime
    since: datetime
    reason: str


def refusal_now(db: Database, now: datetime) -> Refusal | None:
    """Why nothing may be asked at all now, or None. Raises StoreError."""
    state = current_state(db)
    if state is not None and state.name == "halted":
        cure = "mend it, then run `sprintd reset-failures`"
        return Refusal.by_gate(f"halted: {state.reason}; {cure}")
    limit = rate_limit(db, now)
    if limit is not None:
        until = utc_text(limit.until)
        return Refusal.by_gate(f"nothing is asked until {until}: {limit.reason}")
    return None


def leave_alone(db: Database, until: datetime, reason: str, now: datetime) -> None:
    """Ask nothing before `until`; a later end that was set before stays."""
    with db.immediate():
        before = rate_limit(db, now)
        if before is None or before.until < until:
            kept = {"until": to_text(until), "since": to_text(now), "reason": reason}
            control.put(db, _LIMIT, kept, now)


def rate_limit(db: Database, now: datetime) -> RateLimit | None:
    """The limit that holds now, or None.

    A clock that was set back to before it began ends it: the moment it names means nothing then,
    and asking once too often costs nothing.
    """
    kept = control.get(db, _LIMIT)
    if kept is None:
        return None
    limit = RateLimit(from_text(kept["until"]), from_text(kept["since"]), kept["reason"])
    return limit if limit.since <= now < limit.until else None


def forget_rate_limit(db: Database) -> bool:
    """Ask again at once, as a person wants who had the limit raised; False where there is none."""
    return control.delete(db, _LIMIT)
