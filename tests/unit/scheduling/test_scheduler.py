"""The timetable and the settings of its jobs."""

from __future__ import annotations

import logging
import os
import queue
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from logging.handlers import QueueHandler

import pytest

from daemon.clock import Heartbeat, SystemClock
from daemon.config.sections import Config, DigestSection, SprintSection
from daemon.scheduling.scheduler import TIMETABLE, Scheduler, at_utc, every_minutes

THURSDAY = datetime(2026, 9, 17, 10, 0, tzinfo=UTC)


@contextmanager
def machine_in(zone: str) -> Iterator[None]:
    """The process believes that it stands in this time zone."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = zone
    time.tzset()
    try:
        yield
    finally:
        if before is None:
            del os.environ["TZ"]
        else:
            os.environ["TZ"] = before
        time.tzset()


def scheduler(enqueue: object = print, config: Config | None = None) -> Scheduler:
    heartbeat = Heartbeat(SystemClock(), stale_after_seconds=60)
    return Scheduler(config or Config(), enqueue=enqueue, heartbeat=heartbeat)  # type: ignore[arg-type]


def test_every_job_runs_late_once_and_never_twice_at_a_time() -> None:
    """The library's grace of one second would silently skip jobs of a busy machine."""
    built = scheduler()
    built.start()
    try:
        jobs = built._scheduler.get_jobs()
        assert {job.id for job in jobs} == {"sprint", "digest", "heartbeat"}
        for job in jobs:
            assert job.misfire_grace_time is None
            assert job.coalesce is True
            assert job.max_instances == 1
    finally:
        built.stop()


def test_every_trigger_is_in_utc_whatever_the_machine_says() -> None:
    """A local zone would move daily jobs twice a year, and fire one of them twice."""
    with machine_in("America/New_York"):
        for entry in TIMETABLE:
            trigger = entry.trigger(Config())
            assert trigger.timezone == UTC, entry.job
        assert at_utc(hour=2, minute=30).timezone == UTC
        spring = datetime(2026, 3, 8, 0, 0, tzinfo=UTC)
        daily = at_utc(hour=2, minute=30)
        assert daily.get_next_fire_time(None, spring) == datetime(2026, 3, 8, 2, 30, tzinfo=UTC)
        autumn = datetime(2026, 11, 1, 5, 0, tzinfo=UTC)
        first = at_utc(hour=5, minute=30).get_next_fire_time(None, autumn)
        second = at_utc(hour=5, minute=30).get_next_fire_time(first, first)
        assert second - first == timedelta(days=1)


@pytest.mark.parametrize(
    ("weekday", "hour", "expected"),
    [("sun", 6, datetime(2026, 9, 20, 6, tzinfo=UTC)), ("mon", 14, datetime(2026, 9, 21, 14, tzinfo=UTC))],
)  # fmt: skip
def test_a_weekday_is_a_name(weekday: str, hour: int, expected: datetime) -> None:
    """Sunday 06:00 is a Sunday: as a number it would be a Monday here."""
    assert (
        at_utc(weekday=weekday, hour=hour, minute=0).get_next_fire_time(None, THURSDAY) == expected
    )


@pytest.mark.parametrize("number", ["0", "1", "6", "0-4"])
def test_a_weekday_by_number_is_refused(number: str) -> None:
    """0 means Monday here and Sunday in a crontab, so it is no way to write a day."""
    with pytest.raises(ValueError, match=r"mon \.\. sun"):
        at_utc(weekday=number, hour=6, minute=0)


def test_the_digest_comes_at_its_minute_and_sprints_at_their_interval() -> None:
    """Both come from config.toml."""
    config = Config(digest=DigestSection(minute=17), sprint=SprintSection(interval_minutes=5))
    by_job = {entry.job: entry.trigger(config) for entry in TIMETABLE}
    digest = by_job["digest"].get_next_fire_time(None, THURSDAY)
    assert digest == THURSDAY.replace(minute=17)
    assert by_job["sprint"].interval == timedelta(minutes=5)


def test_the_scheduler_only_asks_for_jobs() -> None:
    """What is due is put into the queue by name; nothing runs in the scheduler's threads."""
    asked: queue.Queue[str] = queue.Queue()
    built = scheduler(asked.put)
    soon = datetime.now(UTC)
    built._scheduler.modify_job("sprint", next_run_time=soon)
    built.start()
    try:
        assert asked.get(timeout=30) == "sprint"
        due = built.next_time("sprint")
        assert due is not None
        assert due > soon
    finally:
        built.stop()


def test_trouble_with_a_job_is_logged() -> None:
    """A job that raises is named in the log, and the scheduler goes on."""
    told: queue.Queue[logging.LogRecord] = queue.Queue()
    listener = QueueHandler(told)
    logging.getLogger("daemon.scheduling").addHandler(listener)

    def refuse(name: str) -> None:
        raise KeyError(name)

    built = scheduler(refuse)
    built._scheduler.modify_job("sprint", next_run_time=datetime.now(UTC))
    built.start()
    try:
        record = told.get(timeout=30)
        assert record.getMessage() == "the job sprint raised an error: 'sprint'"
        assert built.thread.is_alive()
    finally:
        built.stop()
        logging.getLogger("daemon.scheduling").removeHandler(listener)


def test_a_scheduler_that_ended_is_not_fresh() -> None:
    """The heartbeat watches the thread, not only the last beat."""
    heartbeat = Heartbeat(SystemClock(), stale_after_seconds=60)
    built = Scheduler(Config(), enqueue=print, heartbeat=heartbeat)
    assert built.next_time("sprint") is None
    built.start()
    assert heartbeat.is_fresh()
    built.stop()
    assert not heartbeat.is_fresh()
    built.stop()
    assert heartbeat.has_ended()


def test_stopping_one_that_never_started_is_harmless() -> None:
    """A start that failed half way is cleaned up by the same call."""
    built = scheduler()
    built.stop()
    assert not built.thread.is_alive()


def test_the_interval_counts_from_the_start() -> None:
    """The first sprint is asked for by the server at once; the timetable brings the second."""
    start = datetime.now(UTC)
    fires = every_minutes(15).get_next_fire_time(None, start)
    assert timedelta(minutes=14) < fires - start < timedelta(minutes=16)
