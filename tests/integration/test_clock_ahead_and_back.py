"""A clock that was a week ahead and is set right: the real days have their reports."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from daemon.clock import ManualClock
from daemon.config.sections import Config
from daemon.scheduling.scheduler import TIMETABLE, Schedule
from daemon.store import events, job_runs, reports
from tests.standins.life_on_a_clock import LifeOnAClock, life
from tests.workspaces import NOON, copy_sample

START = NOON + timedelta(seconds=30)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def jump_ahead(lived: LifeOnAClock, by: timedelta) -> None:
    """As the scheduler does at such a jump: it tells of the newest slot of each job."""
    before = lived.clock.now()
    lived.clock.advance(by)
    schedule = Schedule(Config(), before)
    for entry in TIMETABLE:
        slots = list(schedule.slots(entry.job, before, lived.clock.now()))
        if slots:
            lived.work.slots.ask(entry.job, slots[-1])
    while lived.work.worker.turn(0) is not None:
        pass


def idle_workspace(tmp_path: Path) -> Path:
    root = copy_sample(tmp_path / "venture")
    (root / "backlog.yaml").write_text("items: []\n")
    return root


def happens(lived: LifeOnAClock, what: str) -> None:
    events.record(lived.db, "alert", lived.clock.now(), facts={"reason": what})


def kept(lived: LifeOnAClock, kind: reports.ReportKind) -> list[datetime]:
    return sorted(row.slot for row in reports.list_reports(lived.db, 1_000, kind=kind))


def after(lived: LifeOnAClock) -> LifeOnAClock:
    """A life over the same services and clock whose timetable begins now."""
    return LifeOnAClock(lived.services, lived.clock)


@pytest.mark.parametrize("ahead", [DAY, 7 * DAY])
def test_the_next_real_day_has_its_reports_although_the_clock_was_ahead(
    tmp_path: Path, ahead: timedelta
) -> None:
    """The digest with its event and the daily report next day, the silence line the day after."""
    clock = ManualClock(START)
    with life(idle_workspace(tmp_path), clock) as lived:
        happens(lived, "the wrong week")
        jump_ahead(lived, ahead)
        assert kept(lived, "daily")
        clock.advance(-ahead)
        lived.work.slots.set_back()
        lived.work.slots.look()
        right = after(lived)
        clock.advance(timedelta(seconds=1))
        happens(lived, "the right day")
        right.go_on_until(START + 3 * DAY)
        told = [(at, text) for at, text in right.posted if "the right day" in text]
        assert [at for at, _ in told] == [NOON + HOUR]
        days = Counter(at.date() for at in kept(lived, "daily"))
        assert all(days[(START + n * DAY).date()] >= 1 for n in range(3))
        assert (START + 2 * DAY).date() in {at.date() for at in kept(lived, "silence")}
        assert max(kept(lived, "daily")) <= clock.now()


def test_no_slot_runs_twice_in_the_days_after(tmp_path: Path) -> None:
    """Each slot of the real days has one run and each report one slot."""
    clock = ManualClock(START)
    with life(idle_workspace(tmp_path), clock) as lived:
        jump_ahead(lived, 7 * DAY)
        clock.advance(-7 * DAY)
        lived.work.slots.set_back()
        lived.work.slots.look()
        right = after(lived)
        right.go_on_until(START + 8 * DAY)
        rows = [row for row in job_runs.list_runs(lived.db, "daily") if row.state == "done"]
        assert [row.slot for row in rows] == [NOON + HOUR + n * DAY for n in range(8)]
        assert {row.tries for row in rows} == {1}


def test_a_start_after_the_clock_was_set_right_catches_up(tmp_path: Path) -> None:
    """The daemon was killed under the wrong clock: two days later what was missed runs once."""
    root, clock = idle_workspace(tmp_path), ManualClock(START)
    with life(root, clock) as lived:
        jump_ahead(lived, 7 * DAY)
    clock.advance(-5 * DAY)
    with life(root, clock) as lived:
        last = job_runs.last_run(lived.db, "daily", clock.now())
        assert last is not None
        assert (last.slot, last.state, last.late) == (NOON + HOUR + DAY, "done", True)
        assert max(kept(lived, "daily")) <= clock.now()


def test_a_start_on_a_clock_before_the_first_start_takes_nothing_away(tmp_path: Path) -> None:
    """A board without a battery begins in 1970: that clock is the wrong one."""
    root, clock = idle_workspace(tmp_path), ManualClock(START)
    with life(root, clock) as lived:
        lived.go_on_until(START + 2 * DAY)
        before = job_runs.list_runs(lived.db, "daily")
    clock.advance(-20_000 * DAY)
    with life(root, clock) as lived:
        assert job_runs.list_runs(lived.db, "daily") == before
