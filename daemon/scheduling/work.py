"""All that works: the worker, the slots it is asked for, and the schedule that asks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Self

from daemon.bootstrap import Services
from daemon.config.sections import Config
from daemon.reports.job_states import JobWatch
from daemon.scheduling.jobs import Jobs
from daemon.scheduling.run_records import RunRecords
from daemon.scheduling.scheduler import TIMETABLE, Schedule, Scheduler
from daemon.scheduling.slots import Slots
from daemon.scheduling.worker import Worker
from daemon.store import events


@dataclass(frozen=True)
class Work:
    """One life's jobs. Nothing runs before `start`."""

    jobs: Jobs
    worker: Worker
    slots: Slots
    scheduler: Scheduler

    @classmethod
    def build(cls, services: Services, config: Config, post: Callable[[str], None]) -> Self:
        """`post` shows a text to whoever watches; `config` is the one that this life began with."""
        clock, db = services.clock, services.db
        jobs = Jobs(services, post=post, next_sprint_at=lambda: scheduler.next_time("sprint"))
        worker = Worker(
            jobs.by_name(),
            clock=clock,
            records=RunRecords(db, clock, services.phrases),
            heartbeat=services.worker_heartbeat,
            stop=services.stop,
            idle=jobs.idle,
            report=jobs.report,
            hung=lambda run: slots.tell_hung(run),
        )
        voice = services.sprint_parts.voice
        slots = Slots(db, clock, voice, Schedule(config, clock.now()), worker)
        scheduler = Scheduler(
            config,
            clock,
            ask=slots.ask,
            heartbeat=services.scheduler_heartbeat,
            look=lambda: _look(services, worker, slots),
            set_back=lambda by: _set_back(services, slots, by),
        )
        return cls(jobs, worker, slots, scheduler)

    def start(self) -> None:
        """Begin with what was missed, then with a sprint; the timetable brings the rest."""
        self.slots.begin()
        self.slots.ask_now("sprint")
        self.worker.start()
        self.scheduler.start()

    def sprint_now(self) -> bool:
        """Ask for a sprint outside of the timetable; False where one waits already."""
        return self.slots.ask_now("sprint")

    def watch(self) -> tuple[JobWatch, ...]:
        """How each job stands, from memory, in the order of the timetable."""
        hung = {run.job: run.slot for run in self.worker.hung_runs()}
        return tuple(
            JobWatch(
                entry.job,
                self.scheduler.next_time(entry.job),
                self.slots.skips_in_a_row(entry.job),
                hung.get(entry.job),
            )
            for entry in TIMETABLE
        )


def _look(services: Services, worker: Worker, slots: Slots) -> None:
    services.probe.check()  # the worker, who looks between jobs, may be in a long call
    worker.look_after()
    slots.look()


def _set_back(services: Services, slots: Slots, by: timedelta) -> None:
    slots.set_back()
    whole = timedelta(seconds=round(by.total_seconds()))
    reason = services.phrases.text("jobs.set_back", by=whole)
    events.record(services.db, "alert", services.clock.now(), facts={"reason": reason})
