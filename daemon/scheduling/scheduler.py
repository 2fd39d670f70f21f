"""When things run. The scheduler only asks for jobs; the worker runs them."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from apscheduler.events import (
    EVENT_JOB_ERROR,
    EVENT_JOB_MAX_INSTANCES,
    EVENT_JOB_MISSED,
    EVENT_SCHEDULER_STARTED,
)
from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.blocking import BlockingScheduler
from apscheduler.triggers.cron import CronTrigger
from apscheduler.triggers.interval import IntervalTrigger

from daemon.clock import Heartbeat
from daemon.config.sections import Config

BEAT_SECONDS = 15
_START_SECONDS = 10.0
# No grace limit: what came due while the machine slept or was busy runs once, late. The
# scheduler's own grace is one second, and only `job_defaults` can change it for every job.
_JOB_DEFAULTS = {"misfire_grace_time": None, "coalesce": True, "max_instances": 1}
_TROUBLES = {
    EVENT_JOB_ERROR: "raised an error",
    EVENT_JOB_MISSED: "was missed",
    EVENT_JOB_MAX_INSTANCES: "was skipped because it still runs",
}
_log = logging.getLogger(__name__)

Trigger = Any  # apscheduler has no type information


def every_minutes(minutes: int) -> Trigger:
    """From now on, at this interval."""
    return IntervalTrigger(minutes=minutes, timezone=UTC)


def at_utc(*, minute: int, hour: int | None = None, weekday: str | None = None) -> Trigger:
    """Hourly at `minute`, or daily at `hour`, or weekly on `weekday`; always in UTC.

    UTC has no hour that is missing or comes twice. `weekday` is a name such as "sun": as a number
    0 means Monday here and Sunday in a crontab, so numbers raise ValueError.
    """
    if weekday is not None and not weekday.isalpha():
        raise ValueError(f"a weekday is written as mon .. sun, not {weekday!r}")
    return CronTrigger(minute=minute, hour=hour, day_of_week=weekday, timezone=UTC)


@dataclass(frozen=True)
class Entry:
    """One line of the timetable: which job is asked for, when, and what it does."""

    job: str
    trigger: Callable[[Config], Trigger]
    does: str


TIMETABLE = (
    Entry(
        "sprint",
        lambda config: every_minutes(config.sprint.interval_minutes),
        "works the backlog, unless the daemon is halted, out of money or nothing is eligible",
    ),
    Entry(
        "digest",
        lambda config: at_utc(minute=config.digest.minute),
        "says what happened since the last digest, or nothing",
    ),
)


class Scheduler:
    """Calls `enqueue` with a job's name whenever the timetable says so, and beats in between."""

    def __init__(
        self, config: Config, *, enqueue: Callable[[str], object], heartbeat: Heartbeat
    ) -> None:
        # Its warnings are told by the listener; its errors have tracebacks that only it has.
        logging.getLogger("apscheduler").setLevel(logging.ERROR)
        self._heartbeat = heartbeat
        self._started = threading.Event()
        # Blocking, in a thread of ours, so that the heartbeat can see whether the thread lives.
        self._scheduler = BlockingScheduler(
            timezone=UTC,
            job_defaults=_JOB_DEFAULTS,
            executors={"default": ThreadPoolExecutor(max_workers=2)},
        )
        for entry in TIMETABLE:
            self._scheduler.add_job(
                enqueue, entry.trigger(config), args=[entry.job], id=entry.job, name=entry.job
            )
        self._scheduler.add_job(
            heartbeat.beat, IntervalTrigger(seconds=BEAT_SECONDS, timezone=UTC), id="heartbeat"
        )
        self._scheduler.add_listener(self._log_trouble, sum(_TROUBLES))
        self._scheduler.add_listener(lambda _event: self._started.set(), EVENT_SCHEDULER_STARTED)
        self.thread = threading.Thread(
            target=self._scheduler.start, name="sprintd-scheduler", daemon=True
        )

    def start(self) -> None:
        """Begin; returns once it runs. Raises RuntimeError where it does not begin to."""
        self._heartbeat.watch(self.thread)
        self._heartbeat.beat()
        self.thread.start()
        if not self._started.wait(_START_SECONDS):
            raise RuntimeError("the scheduler did not start")

    def stop(self) -> None:
        """Ask for nothing more; harmless where it did not start."""
        if self._scheduler.running:
            self._scheduler.shutdown(wait=False)
        if self.thread.ident is not None:
            self.thread.join(_START_SECONDS)

    def next_time(self, job: str) -> datetime | None:
        """When the job is asked for next, or None where that is not known (before the start)."""
        found = self._scheduler.get_job(job)
        moment: datetime | None = getattr(found, "next_run_time", None)
        return moment

    def _log_trouble(self, event: Any) -> None:
        trouble = _TROUBLES[event.code]
        error = getattr(event, "exception", None)
        _log.error("the job %s %s%s", event.job_id, trouble, f": {error}" if error else "")
