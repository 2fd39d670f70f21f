"""One thread, one queue: runs come one after the other, so they cannot collide.

A run past its deadline cannot be ended from outside, so its thread is left to it and a new one takes
the queue over. Every step of every job is durable and keyed by its slot, so a run that is given up,
or comes to its end after all, does no harm. Two things never happen: a second run of the same job,
and a second job that changes files (a sprint above all), while the thread of the first still lives.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from daemon.clock import Clock, Heartbeat
from daemon.errors import StoreError
from daemon.scheduling.run import Job, Run
from daemon.scheduling.run_records import RunRecords
from daemon.store.job_runs import EndState

_TURN_SECONDS = 1.0
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Going:
    """A run that was begun, in which thread, and until when (monotonic) it may take."""

    run: Run
    thread: threading.Thread
    deadline: float


class Worker:
    """Runs jobs by name.

    `idle` is called in every turn that finds the queue empty; it must be quick. `report` is told of
    the job that raised and of what it raised, `hung` of a run that is past its deadline; none of
    them, and no job, can end the thread.
    """

    def __init__(
        self,
        jobs: Mapping[str, Job],
        *,
        clock: Clock,
        records: RunRecords,
        heartbeat: Heartbeat,
        stop: threading.Event,
        idle: Callable[[], None],
        report: Callable[[str, Exception], None],
        hung: Callable[[Run], None],
    ) -> None:
        self._jobs = dict(jobs)
        self._clock = clock
        self._records = records
        self._heartbeat = heartbeat
        self._stop = stop
        self._idle, self._report, self._tell_hung = idle, report, hung
        self._queue: queue.SimpleQueue[Run | None] = queue.SimpleQueue()
        self._guard = threading.Lock()
        self._queued: set[str] = set()
        self._going: Going | None = None
        self._hung: dict[str, Going] = {}
        self._held: list[Run] = []
        self.thread = self._new_thread()

    @property
    def jobs(self) -> Mapping[str, Job]:
        return self._jobs

    def start(self) -> None:
        self._heartbeat.watch(self.thread)
        self._heartbeat.beat()
        self.thread.start()

    def put(self, run: Run) -> None:
        """Queue a run. Raises KeyError for a name that no job has."""
        if run.job not in self._jobs:
            raise KeyError(f"no job is called {run.job!r}")
        with self._guard:
            self._queued.add(run.job)
        self._queue.put(run)

    def is_queued(self, job: str) -> bool:
        """Whether a run of this job waits for its turn."""
        with self._guard:
            return job in self._queued

    def is_busy_with(self, job: str) -> bool:
        """Whether a run of this job waits, goes on, or hangs."""
        with self._guard:
            going = self._going is not None and self._going.run.job == job
            return going or job in self._queued or job in self._hung

    def going_on(self) -> str | None:
        """The job that the worker is at; None between jobs."""
        with self._guard:
            return self._going.run.job if self._going else None

    def hung_runs(self) -> list[Run]:
        """Runs past their deadline whose threads still live, the oldest first."""
        with self._guard:
            return [going.run for going in self._hung.values()]

    def turn(self, wait_seconds: float = _TURN_SECONDS) -> str | None:
        """One turn of the loop: the job that it ran, or None after `wait_seconds` without one."""
        self._heartbeat.beat()
        run = self._take(wait_seconds)
        if run is None:
            self._guarded("between jobs", self._idle)
            return None
        self._perform(run)
        return run.job

    def look_after(self) -> None:
        """From another thread: write what could not be written, and leave a hung run to itself."""
        self._records.settle()
        self._put_back_held()
        with self._guard:
            going = self._going
            if going is None or self._clock.monotonic() <= going.deadline or self._stop.is_set():
                return
            self._going = None
            self._hung[going.run.job] = going
            replaces = going.thread is self.thread and going.thread.is_alive()
            if replaces:
                self.thread = self._new_thread()
        self._records.give_up(going.run, self._jobs[going.run.job].deadline_seconds)
        if replaces:
            self.start()
        self._guarded(going.run.job, lambda: self._tell_hung(going.run))

    def join(self, timeout_seconds: float) -> bool:
        """Wake the thread and wait for the end that `stop` brings; False where it did not come."""
        self._queue.put(None)
        self.thread.join(timeout_seconds)
        with self._guard:
            return not self.thread.is_alive() and not self._hung

    def _new_thread(self) -> threading.Thread:
        # A daemon thread: where it hangs, the process ends without it. Every step is durable.
        return threading.Thread(target=self._run, name="sprintd-worker", daemon=True)

    def _run(self) -> None:
        while not self._stop.is_set() and threading.current_thread() is self.thread:
            self.turn()

    def _take(self, wait_seconds: float) -> Run | None:
        try:
            run = (
                self._queue.get(timeout=wait_seconds) if wait_seconds else self._queue.get_nowait()
            )
        except queue.Empty:
            return None
        if run is None or self._stop.is_set():
            return None
        job = self._jobs[run.job]
        with self._guard:
            self._queued.discard(run.job)
            others = [other for other in self._hung if self._jobs[other].changes_files]
            if not (job.changes_files and others):
                deadline = self._clock.monotonic() + job.deadline_seconds
                self._going = Going(run, threading.current_thread(), deadline)
                return run
        self._records.keep_apart(run, others[0])
        return None

    def _perform(self, run: Run) -> None:
        job = self._jobs[run.job]
        try:
            if not self._records.begin(run, job.deadline_seconds):
                self._leave(run)
                return
        except StoreError as error:
            self._leave(run)
            self._tell(run.job, error)
            self._held.append(run)  # back into the queue once the database can be written
            return
        if job.quiet:
            self._heartbeat.expect(job.deadline_seconds)
        state, note = self._outcome(job, run)
        write = self._records.end_late if self._leave(run) else self._records.end
        write(run, state, note)

    def _outcome(self, job: Job, run: Run) -> tuple[EndState, str]:
        try:
            return "done", job.work(run)
        except Exception as error:  # noqa: BLE001 - whatever a job raises, the next one runs
            self._tell(run.job, error)
            return "failed", f"{type(error).__name__}: {error}"

    def _leave(self, run: Run) -> bool:
        """The run came back; whether it had been given up as hung."""
        with self._guard:
            hung = self._hung.get(run.job)
            if hung is not None and hung.thread is threading.current_thread():
                del self._hung[run.job]
                return True
            self._going = None
            return False

    def _put_back_held(self) -> None:
        while self._held:
            self.put(self._held.pop())

    def _guarded(self, name: str, act: Callable[[], None]) -> None:
        try:
            act()
        except Exception as error:  # noqa: BLE001 - whatever it raises, the thread goes on
            self._tell(name, error)

    def _tell(self, name: str, error: Exception) -> None:
        try:
            self._report(name, error)
        except Exception:  # noqa: BLE001 - the thread goes on
            _log.exception("%s failed, and so did the report of it", name)
