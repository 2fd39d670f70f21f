"""Looks after the worker from outside of it: says that it lives, and bounds how long a stop waits.

It has a thread of its own: a worker that hangs cannot say so itself, and the web server's main
thread waits for requests to end before it lets anybody know that it was asked to stop.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping

from daemon.clock import Heartbeat
from daemon.notify.systemd import Systemd
from daemon.scheduling.worker import Worker

# After a model call was abandoned, the worker has this long to write what came of it.
ABANDONED_SECONDS = 10.0
# For requests and messages that are under way, and for closing the database.
_CLOSING_SECONDS = 10.0
_LOOKS_A_WATCHDOG = 3  # so that one late look is no death
_LOOK_SECONDS = 15.0
_log = logging.getLogger(__name__)


def longest_stop_seconds(grace_seconds: float) -> float:
    """How long an orderly end may take in all; every patience above must be greater."""
    return grace_seconds + ABANDONED_SECONDS + _CLOSING_SECONDS


class StopRequest:
    """Sets `stop` once, for signal handlers.

    Event.set holds a lock that is not reentrant, and a second signal (a terminal's and the arbiter's
    arrive together) runs its handler in the middle of the first one: it would wait for itself.
    """

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self._asked = False

    def ask(self) -> None:
        if not self._asked:
            self._asked = True
            self._stop.set()


class Supervisor:
    """Watches the heartbeats by name until `stop`, then ends the worker within a bound.

    The worker may go on for `grace_seconds` after a stop was asked for; then `abandon` ends the
    model call that is under way, which stays counted at its worst case.
    """

    def __init__(
        self,
        systemd: Systemd,
        worker: Worker,
        heartbeats: Mapping[str, Heartbeat],
        *,
        stop: threading.Event,
        grace_seconds: float,
        abandon: Callable[[], None],
    ) -> None:
        self._systemd = systemd
        self._worker = worker
        self._heartbeats = dict(heartbeats)
        self._stop = stop
        self._grace_seconds = grace_seconds
        self._abandon = abandon
        self._silent: set[str] = set()
        self._thread = threading.Thread(target=self._run, name="sprintd-supervisor", daemon=True)

    def start(self) -> None:
        """Tell systemd that we are ready, and begin to watch."""
        self._systemd.ready()
        self._thread.start()

    def join(self) -> bool:
        """Wait for the end that `stop` brings; whether the worker's thread has ended."""
        if self._thread.ident is not None:
            self._thread.join(longest_stop_seconds(self._grace_seconds))
        return self._worker.thread.ident is None or self._worker.join(0.0)

    def look(self) -> bool:
        """One look: put off the watchdog where all beat; tell once of whoever fell silent."""
        silent = {name for name, beat in self._heartbeats.items() if not beat.is_fresh()}
        for name in sorted(silent - self._silent):
            age = self._heartbeats[name].age_seconds()
            told = "never beat" if age is None else f"is silent for {age:.0f} s"
            watchdog = "; systemd will restart the service" if self._watched else ""
            _log.error("the %s %s%s", name, told, watchdog)
        for name in sorted(self._silent - silent):
            _log.warning("the %s beats again", name)
        self._silent = silent
        if self._watched and not silent:
            self._systemd.alive()
        return not silent

    @property
    def _watched(self) -> bool:
        return self._systemd.watchdog_seconds is not None

    def _run(self) -> None:
        seconds = self._systemd.watchdog_seconds
        between = min(_LOOK_SECONDS, seconds / _LOOKS_A_WATCHDOG) if seconds else _LOOK_SECONDS
        self.look()
        while not self._stop.wait(between):
            self.look()
        self._end_the_worker()

    def _end_the_worker(self) -> None:
        self._systemd.stopping(longest_stop_seconds(self._grace_seconds))
        if self._worker.join(0.2):
            return
        _log.info("a job is under way; it may go on for %g s", self._grace_seconds)
        if self._worker.join(self._grace_seconds):
            return
        _log.warning("the call under way is given up; it stays counted at its worst case")
        self._abandon()
        self._worker.join(ABANDONED_SECONDS)
