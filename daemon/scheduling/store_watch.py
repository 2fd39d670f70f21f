"""Trouble with the database: what could not be written down then is written when it works again."""

from __future__ import annotations

import logging
from contextlib import suppress
from datetime import datetime

from daemon.bootstrap import Services
from daemon.errors import StoreError
from daemon.governance import incidents

_log = logging.getLogger(__name__)


class StoreWatch:
    """Used by the worker's thread. /health reads `services.probe`, which it keeps up to date together
    with the scheduler's thread, for a job may be long."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._unwritten: tuple[datetime, StoreError] | None = None
        self._was_bad = True  # an earlier life may have left an incident open

    def met(self, error: StoreError) -> None:
        """Somebody met it: show it, and keep it as soon as that is possible."""
        self._services.probe.note(error)
        self._was_bad = True
        if self._unwritten is None and not self._write(self._services.clock.now(), error):
            self._unwritten = (self._services.clock.now(), error)

    def check(self) -> None:
        """Try to write; where it goes well after a trouble, tell of both. Raises nothing of it."""
        probe = self._services.probe
        probe.check()
        if probe.fault:
            if not self._was_bad:
                self.met(StoreError(probe.fault))
            return
        if self._was_bad:
            with suppress(StoreError):
                self._tell_that_it_is_over()

    def _tell_that_it_is_over(self) -> None:
        services = self._services
        if self._unwritten is not None and not self._write(*self._unwritten):
            return
        self._unwritten = None
        incidents.heal(
            services.db, "store", services.clock.now(), voice=services.sprint_parts.voice
        )
        self._was_bad = False

    def _write(self, at: datetime, error: StoreError) -> bool:
        services = self._services
        try:
            incidents.note_error(
                services.db, error, services.sprint_parts.voice, place="store", now=at
            )
        except StoreError:
            _log.error("the database cannot even keep its own trouble: %s", error)
            return False
        return True
