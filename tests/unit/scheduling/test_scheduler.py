"""The timetable and the settings of its jobs."""

from __future__ import annotations

import logging
import os
import queue
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from logging.handlers import QueueHandler
from pathlib import Path
from typing import Any

import pytest

from daemon.clock import Clock, Heartbeat, ManualClock, SystemClock
from daemon.config.sections import Config, DigestSection, JobsSection, SprintSection
from daemon.scheduling.scheduler import TIMETABLE, Schedule, Scheduler, at_time, at_utc

THURSDAY = datetime(2026, 9, 17, 10, 0, tzinfo=UTC)
PATIENCE = 30.0
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
SIX = ("digest", "daily", "review", "consolidation", "approvals", "day_close")


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


def scheduler(
    ask: Callable[[str, datetime], object] = lambda job, slot: None,
    *,
    clock: Clock | None = None,
    look: Callable[[], object] = lambda: None,
    set_back: Callable[[timedelta], object] = lambda by: None,
) -> Scheduler:
    return Scheduler(
        Config(),
        clock or SystemClock(),
        ask=ask,
        heartbeat=Heartbeat(SystemClock(), stale_after_seconds=60),
        look=look,
        set_back=set_back,
    )


def first_slots(after: datetime, config: Config | None = None) -> dict[str, datetime]:
    """When each job is due next."""
    schedule = Schedule(config or Config(), after)
    found: dict[str, datetime] = {}
    for due in schedule.due(after, after + timedelta(days=8)):
        found.setdefault(due.job, due.slot)
    return found


def test_the_six_jobs_are_due_when_they_are_promised() -> None:
    """Hourly digest; daily report 13:00; review Monday 14:00; consolidation Sunday 06:00; approvals
    every 15 minutes; day close 00:00; beside them sprints and the line about silence."""
    assert first_slots(THURSDAY) == {
        "digest": datetime(2026, 9, 17, 11, 0, tzinfo=UTC),
        "daily": datetime(2026, 9, 17, 13, 0, tzinfo=UTC),
        "review": datetime(2026, 9, 21, 14, 0, tzinfo=UTC),
        "consolidation": datetime(2026, 9, 20, 6, 0, tzinfo=UTC),
        "approvals": datetime(2026, 9, 17, 10, 15, tzinfo=UTC),
        "day_close": datetime(2026, 9, 18, 0, 0, tzinfo=UTC),
        "silence": datetime(2026, 9, 18, 8, 0, tzinfo=UTC),
        "sprint": datetime(2026, 9, 17, 10, 15, tzinfo=UTC),
    }
    assert set(SIX) < {entry.job for entry in TIMETABLE}
    assert all(entry.does for entry in TIMETABLE)


def test_every_time_can_be_set() -> None:
    """All of them come from config.toml."""
    jobs = JobsSection(
        daily_report="07:30",
        review="fri 16:05",
        consolidation="sat 03:00",
        approvals_every_minutes=40,
        day_close="00:10",
        silence_alarm="09:00",
    )
    config = Config(
        jobs=jobs, digest=DigestSection(minute=17), sprint=SprintSection(interval_minutes=5)
    )
    assert first_slots(THURSDAY, config) == {
        "digest": datetime(2026, 9, 17, 10, 17, tzinfo=UTC),
        "daily": datetime(2026, 9, 18, 7, 30, tzinfo=UTC),
        "review": datetime(2026, 9, 18, 16, 5, tzinfo=UTC),
        "consolidation": datetime(2026, 9, 19, 3, 0, tzinfo=UTC),
        "approvals": datetime(2026, 9, 17, 10, 40, tzinfo=UTC),
        "day_close": datetime(2026, 9, 18, 0, 10, tzinfo=UTC),
        "silence": datetime(2026, 9, 17, 9, 0, tzinfo=UTC) + DAY,
        "sprint": datetime(2026, 9, 17, 10, 5, tzinfo=UTC),
    }


def test_a_slot_depends_on_nothing_but_the_calendar() -> None:
    """Whoever asks, and whenever they began: only then is a slot the name of one run."""
    week = timedelta(days=7)
    early = Schedule(Config(), THURSDAY - timedelta(days=3, minutes=7))
    late = Schedule(Config(), THURSDAY + timedelta(seconds=11))
    for entry in TIMETABLE:
        if entry.catches_up:
            one = list(early.slots(entry.job, THURSDAY, THURSDAY + week))
            assert one == list(late.slots(entry.job, THURSDAY, THURSDAY + week))


def test_slots_begin_after_the_first_moment_and_include_the_last() -> None:
    """So that two stretches of time that meet share no slot and leave none out."""
    schedule = Schedule(Config(), THURSDAY)
    hours = [THURSDAY + HOUR * n for n in (1, 2, 3)]
    assert list(schedule.slots("digest", THURSDAY, THURSDAY + 3 * HOUR)) == hours
    halves = [*schedule.slots("digest", THURSDAY, hours[0]),
              *schedule.slots("digest", hours[0], hours[2])]  # fmt: skip
    assert halves == hours
    assert list(schedule.slots("digest", hours[0], THURSDAY)) == []


def test_jobs_that_are_due_at_once_come_in_the_order_of_the_timetable() -> None:
    """On the hour the sprint comes first, so that the digest can tell of it."""
    midnight = datetime(2026, 9, 18, tzinfo=UTC)
    schedule = Schedule(Config(), THURSDAY)
    at_once = [due.job for due in schedule.due(midnight - HOUR, midnight) if due.slot == midnight]
    assert at_once == ["sprint", "day_close", "approvals", "digest"]


@pytest.mark.parametrize(
    "zone", ["America/New_York", "Europe/Madrid", "Asia/Tokyo", "Pacific/Apia"]
)
@pytest.mark.parametrize("month", [3, 10, 11])
def test_no_zone_of_the_machine_moves_a_slot(zone: str, month: int) -> None:
    """Also over the days on which its clocks are changed; see agronholm/apscheduler#606."""
    start = datetime(2026, month, 1, tzinfo=UTC)
    expected = Schedule(Config(), start).due(start, start + 30 * DAY)
    with machine_in(zone):
        assert Schedule(Config(), start).due(start, start + 30 * DAY) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("sun 06:00", datetime(2026, 9, 20, 6, tzinfo=UTC)), ("mon 14:00", datetime(2026, 9, 21, 14, tzinfo=UTC))],
)  # fmt: skip
def test_a_weekday_is_the_day_of_its_name(text: str, expected: datetime) -> None:
    """As a number Sunday would be a Monday here; see agronholm/apscheduler#286."""
    assert at_time(text).get_next_fire_time(None, THURSDAY) == expected


@pytest.mark.parametrize("number", ["0", "1", "6", "0-4"])
def test_a_weekday_by_number_is_refused(number: str) -> None:
    """0 means Monday here and Sunday in a crontab, so it is no way to write a day."""
    with pytest.raises(ValueError, match=r"mon \.\. sun"):
        at_utc(weekday=number, hour=6, minute=0)


def test_every_job_runs_late_once_and_never_twice_at_a_time() -> None:
    """The library's grace of one second would silently skip jobs of a busy machine."""
    built = scheduler()
    built.start()
    try:
        jobs = built._scheduler.get_jobs()
        assert {job.id for job in jobs} == {entry.job for entry in TIMETABLE}
        for job in jobs:
            assert job.misfire_grace_time is None
            assert job.coalesce is True
            assert job.max_instances == 1
            assert job.trigger.timezone == UTC
    finally:
        built.stop()


def asked_after(job: str, due: datetime) -> tuple[str, datetime]:
    """What a scheduler asks for that finds a job due since `due`, as after a SIGSTOP."""
    asked: queue.Queue[tuple[str, datetime]] = queue.Queue()
    built = scheduler(lambda name, slot: asked.put((name, slot)) if name == job else None)
    built._scheduler.modify_job(job, next_run_time=due)
    built.start()
    try:
        first = asked.get(timeout=PATIENCE)
        assert asked.empty()
        following = built.next_time(job)
        assert following is not None
        assert following > datetime.now(UTC)
        return first
    finally:
        built.stop()


def test_what_came_due_while_the_process_stood_still_is_asked_for_once() -> None:
    """Long past the library's grace, and for the slot that was due; see rfsbraz/deleterr#292."""
    due = datetime.now(UTC).replace(hour=13, minute=0, second=0, microsecond=0) - DAY
    job, slot = asked_after("daily", due)
    assert (job, slot.hour, slot.minute, slot.second) == ("daily", 13, 0, 0)


def test_of_many_slots_that_passed_the_last_one_is_asked_for() -> None:
    """They are coalesced; what becomes of the others is kept by whoever is asked."""
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    due = now - timedelta(minutes=now.minute) - 5 * HOUR
    job, slot = asked_after("digest", due)
    assert job == "digest"
    assert timedelta(0) <= datetime.now(UTC) - slot < HOUR + timedelta(minutes=1)
    assert slot.minute == 0


def test_an_ask_that_fails_is_logged_and_the_scheduler_goes_on() -> None:
    """With the job's name and where it failed."""
    told: queue.Queue[logging.LogRecord] = queue.Queue()
    listener = QueueHandler(told)
    logging.getLogger("daemon.scheduling").addHandler(listener)

    def refuse(name: str, slot: datetime) -> None:
        raise KeyError(name)

    built = scheduler(refuse)
    built._scheduler.modify_job("sprint", next_run_time=datetime.now(UTC))
    built.start()
    try:
        record = told.get(timeout=PATIENCE)
        assert record.getMessage().startswith("the scheduler could not ask for sprint")
        assert built.thread.is_alive()
    finally:
        built.stop()
        logging.getLogger("daemon.scheduling").removeHandler(listener)


def test_next_time_does_not_wait_for_whoever_is_asked() -> None:
    """/health needs it, and an ask may wait for the database."""
    entered, leave = threading.Event(), threading.Event()

    def slow(name: str, slot: datetime) -> None:
        entered.set()
        leave.wait(PATIENCE)

    built = scheduler(slow)
    built._scheduler.modify_job("sprint", next_run_time=datetime.now(UTC))
    built.start()
    try:
        assert entered.wait(PATIENCE)
        answers: queue.Queue[Any] = queue.Queue()
        threading.Thread(target=lambda: answers.put(built.next_time("daily")), daemon=True).start()
        assert answers.get(timeout=PATIENCE) is not None
    finally:
        leave.set()
        built.stop()


def test_a_clock_set_back_does_not_stop_the_ticks() -> None:
    """The library waits for moments of the old time; the schedule is made anew from the new one."""
    clock = ManualClock(THURSDAY)
    back: list[timedelta] = []
    built = scheduler(clock=clock, set_back=back.append)
    built.beat()
    assert back == []
    built._scheduler.reschedule_job("digest", trigger=at_utc(hour=3, minute=0))
    clock.advance(timedelta(days=-2))
    clock.advance(timedelta(seconds=15))
    built.beat()
    assert [round(by.total_seconds()) for by in back] == [2 * 86_400]
    assert built._scheduler.get_job("digest").trigger.fields[5].expressions[0].__str__() == "*"
    built.beat()
    assert len(back) == 1


def test_the_first_sprint_after_a_clock_was_set_back_is_one_interval_away() -> None:
    """Not two days, as the interval of the old time would have it."""
    clock = ManualClock(THURSDAY)
    built = scheduler(clock=clock)
    clock.advance(timedelta(days=-2))
    built.beat()
    trigger = built._scheduler.get_job("sprint").trigger
    assert trigger.get_next_fire_time(None, clock.now()) == clock.now() + timedelta(minutes=15)


def test_it_looks_after_the_work_at_every_beat_whatever_that_raises() -> None:
    """A look that fails ends no thread."""
    looks: list[int] = []

    def look() -> None:
        looks.append(1)
        raise OSError("the disk failed")

    built = scheduler(look=look)
    built.beat()
    built.beat()
    assert len(looks) == 2


def test_it_beats_and_looks_from_its_start_on() -> None:
    """The thread that ticks is the one that beats, so a thread that ended is not fresh."""
    looked = threading.Event()
    heartbeat = Heartbeat(SystemClock(), stale_after_seconds=60)
    built = Scheduler(
        Config(), SystemClock(), ask=lambda job, slot: None, heartbeat=heartbeat,
        look=looked.set, set_back=lambda by: None,
    )  # fmt: skip
    assert built.next_time("sprint") is None
    built.start()
    assert looked.wait(PATIENCE)
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


def test_sprints_count_from_the_start() -> None:
    """The first one is asked for by the server at once; the timetable brings the second."""
    start = THURSDAY + timedelta(minutes=7, seconds=3)
    slots = list(Schedule(Config(), start).slots("sprint", start, start + HOUR))
    assert slots == [start + timedelta(minutes=15 * n) for n in (1, 2, 3, 4)]


def test_every_job_of_the_timetable_is_documented() -> None:
    """And the document promises no other."""
    text = (Path(__file__).parents[3] / "docs" / "architecture.md").read_text("utf-8")
    table = text.split("## The jobs")[1].split("A **slot**")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == {e.job for e in TIMETABLE}
