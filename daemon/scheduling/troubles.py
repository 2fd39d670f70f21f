"""Troubles with jobs, told once: at the first time, and when they are over."""

from __future__ import annotations

from daemon.clock import Clock
from daemon.store import events, incidents
from daemon.store.database import Database


class Troubles:
    """Each is an incident named after its job; repeats are counted and not told again."""

    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock

    def note(self, cause: str, detail: str, cure: str) -> bool:
        """Tell of a trouble, or count its repeat; True where it was told. Raises StoreError."""
        now = self._clock.now()
        with self._db.immediate():
            incident = incidents.count(self._db, cause, detail, cure, now)
            if incident.count > 1:
                return False
            events.record(self._db, "alert", now, facts={"reason": f"{detail} {cure}".strip()})
            return True

    def over(self, cause: str, detail: str) -> bool:
        """Tell that a trouble has ended; False where there was none. Raises StoreError."""
        now = self._clock.now()
        with self._db.immediate():
            incident = incidents.find_open(self._db, cause)
            if incident is None:
                return False
            incidents.close(self._db, incident.id, now)
            events.record(self._db, "alert", now, facts={"reason": detail})
            return True
