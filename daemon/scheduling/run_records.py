"""What the worker writes down of its runs; what cannot be written waits until it can."""

from __future__ import annotations

import logging
import threading
from datetime import timedelta

from daemon.clock import Clock
from daemon.config.phrases import Phrases
from daemon.errors import StoreError
from daemon.scheduling.run import Run
from daemon.store import job_runs
from daemon.store.database import Database
from daemon.store.job_runs import EndState

_MOST_CHARACTERS = 1_000
_log = logging.getLogger(__name__)


class RunRecords:
    """Rows of `job_run` for the runs of this life. May be used by several threads."""

    def __init__(self, db: Database, clock: Clock, phrases: Phrases) -> None:
        self._db = db
        self._clock = clock
        self._say = phrases.text
        self._unwritten: dict[Run, tuple[EndState, str]] = {}
        self._guard = threading.Lock()

    def begin(self, run: Run, deadline_seconds: float) -> bool:
        """Write that a run begins; False where it is no longer asked for. Raises StoreError."""
        now = self._clock.now()
        deadline_at = now + timedelta(seconds=deadline_seconds)
        return job_runs.start_run(self._db, run.job, run.slot, now, deadline_at=deadline_at)

    def end(self, run: Run, state: EndState, note: str) -> None:
        """Write how a run ended, now or, where the database cannot be written, at a `settle`."""
        with self._guard:
            self._unwritten[run] = (state, note[:_MOST_CHARACTERS])
        self.settle()

    def end_late(self, run: Run, state: EndState, note: str) -> None:
        """A run that had been given up as hung came to its end after all."""
        self.end(run, state, self._say("jobs.note_after_deadline", note=note).strip())

    def give_up(self, run: Run, deadline_seconds: float) -> None:
        """A run is past its deadline and not back."""
        minutes = f"{deadline_seconds / 60:g}"
        self.end(run, "failed", self._say("jobs.note_hung", minutes=minutes))

    def keep_apart(self, run: Run, other: str) -> None:
        """A run is not begun, for it may not work beside another job, which hangs."""
        self.end(run, "skipped", self._say("jobs.note_apart", other=other))

    def settle(self) -> None:
        """Write the ends that still wait. Never raises StoreError."""
        with self._guard:
            waiting = list(self._unwritten.items())
        for run, (state, note) in waiting:
            try:
                job_runs.end_run(self._db, run.job, run.slot, state, note, self._clock.now())
            except StoreError as error:
                _log.warning("the end of %s is not written yet: %s", run.job, error)
                return
            with self._guard:
                if self._unwritten.get(run) == (state, note):
                    del self._unwritten[run]
