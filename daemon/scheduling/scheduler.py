"""When things run. The scheduler only asks for jobs, by the slot that was due; the worker runs them."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from apscheduler.events import (
    EVENT_JOB_MAX_INSTANCES,
    EVENT_JOB_MISSED,
    EVENT_JOB_SUBMITTED,
    EVENT_SCHEDULER_STARTED,
)
from apscheduler.executors.debug import DebugExecutor
from apscheduler.schedulers.base import STATE_STOPPED
from apscheduler.schedulers.blocking import BlockingScheduler
from apscheduler.triggers.cron import CronTrigger
from apscheduler.triggers.interval import IntervalTrigger

from daemon.clock import Clock, Heartbeat
from daemon.config.sections import Config
from daemon.config.times import parse_time
from daemon.scheduling.clock_watch import ClockWatch

BEAT_SECONDS = 15.0
_START_SECONDS = 10.0
_RESOLUTION = timedelta(milliseconds=1)
_ANCHOR = datetime(2026, 1, 1, tzinfo=UTC)  # so that a slot depends on nothing but the calendar
# No grace limit: what came due while the machine slept or was busy runs once, late. The
# scheduler's own grace is one second, and only `job_defaults` can change it for every job.
_JOB_DEFAULTS = {"misfire_grace_time": None, "coalesce": True, "max_instances": 1}
_TROUBLES = {
    EVENT_JOB_MISSED: "was missed",
    EVENT_JOB_MAX_INSTANCES: "was skipped because it is still being asked for",
}
_log = logging.getLogger(__name__)

Trigger = Any  # apscheduler has no type information


def every_minutes(minutes: int, *, start: datetime) -> Trigger:
    """At this interval; the first time one interval after `start`."""
    first = start + timedelta(minutes=minutes)
    return IntervalTrigger(minutes=minutes, start_date=first, timezone=UTC)


def at_utc(*, minute: int, hour: int | None = None, weekday: str | None = None) -> Trigger:
    """Hourly at `minute`, or daily at `hour`, or weekly on `weekday`; always in UTC.

    UTC has no hour that is missing or comes twice. `weekday` is a name such as "sun": as a number
    0 means Monday here and Sunday in a crontab, so numbers raise ValueError.
    """
    if weekday is not None and not weekday.isalpha():
        raise ValueError(f"a weekday is written as mon .. sun, not {weekday!r}")
    return CronTrigger(minute=minute, hour=hour, day_of_week=weekday, timezone=UTC)


def at_time(text: str) -> Trigger:
    """Daily or weekly, as config.toml writes it ("13:00", "mon 14:00"). Raises ValueError."""
    time = parse_time(text)
    return at_utc(minute=time.minute, hour=time.hour, weekday=time.weekday)


@dataclass(frozen=True)
class Entry:
    """One line of the timetable: which job is asked for, when, and what it does.

    `trigger` gets the settings and the moment from which on the schedule holds. `catches_up`: a slot
    that was missed is run later, once; False where the next slot does the same work.
    """

    job: str
    trigger: Callable[[Config, datetime], Trigger]
    does: str
    catches_up: bool = True


TIMETABLE = (
    Entry(
        "sprint",
        lambda config, start: every_minutes(config.sprint.interval_minutes, start=start),
        "works the backlog, unless the daemon is halted, out of money or nothing is eligible",
        catches_up=False,
    ),
    Entry(
        "day_close",
        lambda config, _start: at_time(config.jobs.day_close),
        "writes down the money of the UTC day before; deletes nothing",
    ),
    Entry(
        "consolidation",
        lambda config, _start: at_time(config.jobs.consolidation),
        "brings together the findings of the week",
    ),
    Entry(
        "review",
        lambda config, _start: at_time(config.jobs.review),
        "counts the evidence for each kill criterion and the days to its deadline",
    ),
    Entry(
        "daily",
        lambda config, _start: at_time(config.jobs.daily_report),
        "reports on the UTC day before",
    ),
    Entry(
        "approvals",
        lambda config, _start: every_minutes(config.jobs.approvals_every_minutes, start=_ANCHOR),
        "ends approvals whose time is over",
    ),
    Entry(
        "digest",
        lambda config, _start: at_utc(minute=config.digest.minute),
        "says what happened since the last digest, or nothing",
    ),
    Entry(
        "silence",
        lambda config, _start: at_time(config.jobs.silence_alarm),
        "says why it was quiet, if there was no digest for 24 hours",
    ),
)


@dataclass(frozen=True, order=True)
class Due:
    """A job's slot: the moment it is due, whenever it runs."""

    slot: datetime
    place: int  # in TIMETABLE: of jobs that are due at once the upper one runs first
    job: str


class Schedule:
    """The timetable under one configuration, counted from `start`. Pure: it asks no clock."""

    def __init__(self, config: Config, start: datetime) -> None:
        self.triggers = {entry.job: entry.trigger(config, start) for entry in TIMETABLE}

    def slots(self, job: str, after: datetime, until: datetime) -> Iterator[datetime]:
        """The moments a job is due later than `after`, `until` included, in order."""
        trigger = self.triggers[job]
        while (slot := trigger.get_next_fire_time(None, after + _RESOLUTION)) and slot <= until:
            yield slot
            after = slot

    def due(self, after: datetime, until: datetime) -> list[Due]:
        """The slots of all jobs later than `after`, `until` included, in the order they run."""
        found = [
            Due(slot, place, entry.job)
            for place, entry in enumerate(TIMETABLE)
            for slot in self.slots(entry.job, after, until)
        ]
        return sorted(found)


class Scheduler:
    """Calls `ask` with a job's name and slot whenever the schedule says so.

    `look` is called every BEAT_SECONDS, between asks and in the same thread; `set_back` where the
    machine's clock was set back, with how far. A fault in one of the three is logged, and it goes on.
    """

    def __init__(
        self,
        config: Config,
        clock: Clock,
        *,
        ask: Callable[[str, datetime], object],
        heartbeat: Heartbeat,
        look: Callable[[], object],
        set_back: Callable[[timedelta], object],
    ) -> None:
        # Its warnings are told by the listener; its errors have tracebacks that only it has.
        logging.getLogger("apscheduler").setLevel(logging.ERROR)
        self._config, self._clock = config, clock
        self._ask, self._look, self._set_back = ask, look, set_back
        self._heartbeat = heartbeat
        self._clock_watch = ClockWatch(clock)
        self._started = threading.Event()
        # Blocking, in a thread of ours, so that the heartbeat can see whether the thread lives.
        self._scheduler = _BeatingScheduler(
            self.beat,
            timezone=UTC,
            job_defaults=_JOB_DEFAULTS,
            executors={"default": DebugExecutor()},  # in this thread: there is nothing to do
        )
        for job, trigger in Schedule(config, clock.now()).triggers.items():
            self._scheduler.add_job(_nothing, trigger, id=job, name=job)
        # Not the job's function but this event knows the slot, and it comes without the lock that
        # `next_time` needs too.
        self._scheduler.add_listener(self._on_due, EVENT_JOB_SUBMITTED)
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

    def beat(self) -> None:
        """One look in between: the heartbeat, the machine's clock, and whatever `look` does."""
        self._heartbeat.beat()
        back = self._clock_watch.look()
        if back is not None:
            _log.warning("the machine's clock was set back by %s; the schedule is made anew", back)
            # The old one waits for moments as far ahead as the clock was set back.
            for job, trigger in Schedule(self._config, self._clock.now()).triggers.items():
                self._scheduler.reschedule_job(job, trigger=trigger)
            self._guarded("tell that the clock was set back", lambda: self._set_back(back))
        self._guarded("look after the worker", self._look)

    def _on_due(self, event: Any) -> None:
        for slot in event.scheduled_run_times:  # one: they are coalesced
            self._guarded(f"ask for {event.job_id}", partial(self._ask, event.job_id, slot))

    def _log_trouble(self, event: Any) -> None:
        _log.error("the job %s %s", event.job_id, _TROUBLES[event.code])

    def _guarded(self, what: str, act: Callable[[], object]) -> None:
        try:
            act()
        except Exception:  # noqa: BLE001 - whatever it raises, the next tick comes
            _log.exception("the scheduler could not %s", what)


class _BeatingScheduler(BlockingScheduler):  # type: ignore[misc]
    """Never sleeps longer than a beat. APScheduler sleeps until its next job by the machine's clock:
    set back by a day it would be still for a day, and set forward it would be late."""

    def __init__(self, beat: Callable[[], None], **options: Any) -> None:
        self._beat = beat
        super().__init__(**options)

    def _main_loop(self) -> None:
        wait_seconds = 0.0
        while self.state != STATE_STOPPED:
            self._event.wait(wait_seconds)
            self._event.clear()
            self._beat()
            left = self._process_jobs()
            wait_seconds = BEAT_SECONDS if left is None else min(left, BEAT_SECONDS)


def _nothing() -> None:
    """What APScheduler runs; the listener does the asking."""
