"""Sessions that their visitor ended: a cookie that somebody kept is no session any more."""

from __future__ import annotations

import logging
import threading
from datetime import datetime

from daemon.clock import from_text, to_text
from daemon.errors import StoreError
from daemon.store import control
from daemon.store.database import Database

_KEPT = "web.ended_sessions"
_log = logging.getLogger(__name__)


class EndedSessions:
    """Their ids, each until the session would have ended by itself. Safe to use from many threads."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._lock = threading.Lock()
        self._kept: dict[str, str] | None = None  # not read yet
        self._here: dict[str, str] = {}  # those of this life, whatever the database does

    def has(self, session_id: str) -> bool:
        """Whether its visitor ended it, in this life of the daemon or before. Raises StoreError."""
        with self._lock:
            return session_id in self._here or session_id in self._known()

    def add(self, session_id: str, until: datetime, now: datetime) -> None:
        """Remember it. Where the database does not, it holds until the daemon's next start."""
        with self._lock:
            self._here[session_id] = to_text(until)
            try:
                known = self._known() | self._here
                kept = {one: end for one, end in known.items() if from_text(end) > now}
                control.put(self._db, _KEPT, kept, now)
                self._kept = kept
            except StoreError as error:
                _log.warning("that a session was ended is known until the next start: %s", error)

    def _known(self) -> dict[str, str]:
        if self._kept is None:
            self._kept = dict(control.get(self._db, _KEPT) or {})
        return self._kept
