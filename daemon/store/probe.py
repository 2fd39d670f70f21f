"""Whether the database can be written, found out by writing to it."""

from __future__ import annotations

import threading

from daemon.clock import Clock
from daemon.errors import StoreError
from daemon.store import control
from daemon.store.database import Database

_NAME = "probe"


class StoreProbe:
    """Any thread may check, one at a time, and every thread may read `fault`, which waits for nothing.

    Reading alone does not tell: a full disk and a file that lost its write permission read well.
    """

    def __init__(self, db: Database, clock: Clock, *, every_seconds: float) -> None:
        self._db = db
        self._clock = clock
        self._every_seconds = every_seconds
        self._last: float | None = None
        self._fault = ""
        self._at_it = threading.Lock()

    @property
    def fault(self) -> str:
        """The one line of the last error; empty where the last write went well."""
        return self._fault

    def note(self, error: StoreError) -> None:
        """Take an error that somebody else met; the next check finds out whether it still holds."""
        self._fault = str(error)

    def check(self) -> None:
        """Write one small row, at most once in `every_seconds`, and look each time whether the file
        is in its place. Never raises StoreError; does nothing while another thread is at it."""
        if not self._at_it.acquire(blocking=False):
            return
        try:
            self._check()
        except StoreError as error:
            self._fault = str(error)
        finally:
            self._at_it.release()

    def _check(self) -> None:
        self._db.check_place()
        moment = self._clock.monotonic()
        if self._last is not None and moment - self._last < self._every_seconds:
            return
        self._last = moment
        control.put(self._db, _NAME, 0, self._clock.now())
        self._fault = ""
