"""One thread, one queue: jobs run one after the other, so they cannot collide."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Mapping

from daemon.clock import Heartbeat

_TURN_SECONDS = 1.0
_log = logging.getLogger(__name__)

Job = Callable[[], None]


class Worker:
    """Runs jobs by name.

    `idle` is called in every turn that finds the queue empty; it must be quick. `report` is told of
    the job that raised and of what it raised; neither it nor a job can end the thread.
    """

    def __init__(
        self,
        jobs: Mapping[str, Job],
        *,
        heartbeat: Heartbeat,
        stop: threading.Event,
        idle: Job,
        report: Callable[[str, Exception], None],
    ) -> None:
        self._jobs = dict(jobs)
        self._heartbeat = heartbeat
        self._stop = stop
        self._idle = idle
        self._report = report
        self._queue: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._queued: set[str] = set()
        self._guard = threading.Lock()
        # A daemon thread: where it hangs, the process ends without it. Every step is durable.
        self.thread = threading.Thread(target=self._run, name="sprintd-worker", daemon=True)

    def start(self) -> None:
        self._heartbeat.watch(self.thread)
        self._heartbeat.beat()
        self.thread.start()

    def enqueue(self, name: str) -> bool:
        """Ask for a job; False where it waits already. One that runs may be asked for again.

        Raises KeyError for a name that no job has.
        """
        if name not in self._jobs:
            raise KeyError(f"no job is called {name!r}")
        with self._guard:
            if name in self._queued:
                return False
            self._queued.add(name)
        self._queue.put(name)
        return True

    def turn(self, wait_seconds: float = _TURN_SECONDS) -> str | None:
        """One turn of the loop: the job that it ran, or None after `wait_seconds` without one."""
        self._heartbeat.beat()
        name = self._take(wait_seconds)
        if name is None:
            self._guarded("between jobs", self._idle)
            return None
        self._guarded(name, self._jobs[name])
        return name

    def join(self, timeout_seconds: float) -> bool:
        """Wake the thread and wait for the end that `stop` brings; False where it did not come."""
        self._queue.put(None)
        self.thread.join(timeout_seconds)
        return not self.thread.is_alive()

    def _run(self) -> None:
        while not self._stop.is_set():
            self.turn()

    def _take(self, wait_seconds: float) -> str | None:
        try:
            name = (
                self._queue.get(timeout=wait_seconds) if wait_seconds else self._queue.get_nowait()
            )
        except queue.Empty:
            return None
        with self._guard:
            self._queued.discard(name or "")
        return None if self._stop.is_set() else name

    def _guarded(self, name: str, job: Job) -> None:
        try:
            job()
        except Exception as error:  # noqa: BLE001 - whatever a job raises, the next one runs
            self._tell(name, error)

    def _tell(self, name: str, error: Exception) -> None:
        try:
            self._report(name, error)
        except Exception:  # noqa: BLE001 - the thread goes on
            _log.exception("%s failed, and so did the report of it", name)
