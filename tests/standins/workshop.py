"""A worker over plain functions and a real database, which writes down what happened."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

from daemon.clock import Clock, Heartbeat, ManualClock
from daemon.config.phrases import Phrases
from daemon.scheduling.run import Job, Run
from daemon.scheduling.run_records import RunRecords
from daemon.scheduling.worker import Worker
from daemon.store import job_runs
from daemon.store.database import open_database
from daemon.store.job_runs import JobRun
from tests.workspaces import NOON

DEADLINE_SECONDS = 600.0


class Workshop:
    """`jobs` are functions, or whole jobs where a deadline or the rest matters. Close it."""

    def __init__(
        self,
        folder: Path,
        jobs: Mapping[str, Callable[[], object] | Job],
        *,
        clock: Clock | None = None,
        heartbeat: Heartbeat | None = None,
        stop: threading.Event | None = None,
        report: Callable[[str, Exception], None] | None = None,
    ) -> None:
        self.db = open_database(folder / "state" / "sprintd.db")
        self.clock = clock or ManualClock(NOON)
        self.stop = stop or threading.Event()
        self.heartbeat = heartbeat or Heartbeat(self.clock, stale_after_seconds=120)
        self.log: list[str] = []
        self.reports: list[tuple[str, Exception]] = []
        self.hung: list[Run] = []
        self.worker = Worker(
            {name: _as_job(work) for name, work in jobs.items()},
            clock=self.clock,
            records=RunRecords(self.db, self.clock, Phrases("en")),
            heartbeat=self.heartbeat,
            stop=self.stop,
            idle=lambda: self.log.append("idle"),
            report=report or (lambda job, error: self.reports.append((job, error))),
            hung=self.hung.append,
        )

    def ask(self, job: str, slot: datetime = NOON) -> Run:
        """As the scheduler asks: the row first, then the queue."""
        run = Run(job, slot)
        assert job_runs.queue_run(self.db, job, slot, self.clock.now())
        self.worker.put(run)
        return run

    def row(self, job: str, slot: datetime = NOON) -> JobRun:
        found = job_runs.find_run(self.db, job, slot)
        assert found is not None
        return found

    def close(self) -> None:
        self.db.close()


def _as_job(work: Callable[[], object] | Job) -> Job:
    if isinstance(work, Job):
        return work
    return Job(lambda _run: str(work() or ""), DEADLINE_SECONDS)
