"""An outage of the service that passes by itself and costs nothing: when the next sprint may try.

The tries become rarer while it lasts, at most an hour apart; a sprint that ends otherwise ends it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from daemon.clock import from_text, to_text
from daemon.store import control
from daemon.store.database import Database

LONGEST_WAIT = timedelta(hours=1)
_OUTAGE = "outage"


@dataclass(frozen=True)
class Outage:
    """`tries` sprints met it one after the other, the last at `since`; none is due before `until`."""

    tries: int
    since: datetime
    until: datetime
    reason: str


def met(db: Database, reason: str, now: datetime, *, interval: timedelta) -> Outage:
    """One more sprint met it: wait for one interval of the timetable, then two, four, ... .

    At most an hour, except where the timetable itself is slower.
    """
    with db.immediate():
        before = _kept(db)
        tries = before.tries + 1 if before else 1
        wait = interval
        for _ in range(tries - 1):
            wait = min(2 * wait, max(interval, LONGEST_WAIT))
        outage = Outage(tries, now, now + wait, reason)
        kept = {"tries": tries, "since": to_text(now), "until": to_text(outage.until)}
        control.put(db, _OUTAGE, {**kept, "reason": reason}, now)
        return outage


def over(db: Database) -> bool:
    """The next sprint may try at once, and counts anew; False where there was none."""
    return control.delete(db, _OUTAGE)


def waited_for(db: Database, now: datetime, *, interval: timedelta) -> Outage | None:
    """The outage for whose end the tick of `now` still waits, or None.

    A tick that comes up to half an interval early is the one that is meant: a sprint ends later
    than its tick. A clock that was set back to before the outage ends the wait.
    """
    outage = _kept(db)
    if outage is None:
        return None
    return outage if outage.since <= now < outage.until - interval / 2 else None


def _kept(db: Database) -> Outage | None:
    kept = control.get(db, _OUTAGE)
    if kept is None:
        return None
    return Outage(kept["tries"], from_text(kept["since"]), from_text(kept["until"]), kept["reason"])
