"""Each slot of a job runs once at most; what was missed runs once, late, and says so."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from daemon.clock import Clock, ManualClock
from daemon.config.phrases import Phrases
from daemon.config.sections import Config
from daemon.governance.incidents import Voice
from daemon.scheduling.run import Job, Run
from daemon.scheduling.scheduler import TIMETABLE, Schedule
from daemon.scheduling.slots import LOOK_BACK, MOST_TRIES, Slots
from daemon.store import events, incidents, job_runs
from daemon.store.job_runs import JobRun
from tests.standins.workshop import DEADLINE_SECONDS, Workshop

MONDAY = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
NAMES = [entry.job for entry in TIMETABLE]


class Life:
    """One life of the daemon: a worker over jobs that only write down that they ran."""

    def __init__(self, folder: Path, clock: ManualClock, **jobs: Job) -> None:
        self.ran: list[Run] = []
        plain = {name: Job(self._ran, DEADLINE_SECONDS) for name in NAMES}
        self.shop = Workshop(folder, {**plain, **jobs}, clock=clock)
        self.db, self.worker = self.shop.db, self.shop.worker
        self.slots = self._slots(clock)

    def _slots(self, clock: Clock) -> Slots:
        schedule = Schedule(Config(), clock.now())
        return Slots(self.db, clock, Voice(Phrases("en")), schedule, self.worker)

    def _ran(self, run: Run) -> str:
        self.ran.append(run)
        return "posted"

    def work(self) -> list[tuple[str, datetime]]:
        """Run what waits; what ran since the last time."""
        before = len(self.ran)
        while self.worker.turn(0) is not None:
            pass
        return [(run.job, run.slot) for run in self.ran[before:]]

    def rows(self, job: str) -> list[JobRun]:
        return job_runs.list_runs(self.db, job)

    def alerts(self) -> list[str]:
        return [e.facts["reason"] for e in events.list_after(self.db, 0) if e.kind == "alert"]


class House:
    """A folder in which one life follows the other."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.clock = folder, ManualClock(MONDAY)
        self.lives: list[Life] = []

    def live(self, **jobs: Job) -> Life:
        self.lives.append(Life(self.folder, self.clock, **jobs))
        return self.lives[-1]

    def pass_time(self, by: timedelta) -> None:
        self.clock.advance(by)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    built = House(tmp_path)
    yield built
    for life in built.lives:
        life.shop.close()


def started(house: House, **jobs: Job) -> Life:
    life = house.live(**jobs)
    life.slots.catch_up()
    return life


def test_at_the_very_first_start_nothing_was_missed(house: House) -> None:
    """Neither this morning's report nor last Sunday's consolidation."""
    life = house.live()
    assert life.slots.catch_up() == []
    assert all(life.rows(name) == [] for name in NAMES)


def test_a_slot_runs_once_whoever_asks(house: House) -> None:
    """Two schedulers over one database: two runs are asked for, one is made; agronholm/apscheduler#160."""
    one, other = started(house), started(house)
    house.pass_time(HOUR)
    slot = MONDAY + HOUR
    assert one.slots.ask("digest", slot)
    assert not other.slots.ask("digest", slot)
    assert not one.slots.ask("digest", slot)
    assert one.work() + other.work() == [("digest", slot)]


def test_two_schedulers_at_the_same_moment_make_one_run(house: House) -> None:
    """The row is written in one transaction, so only one of many threads gets it."""
    life = started(house)
    others = [started(house) for _ in range(3)]
    house.pass_time(HOUR)
    barrier = threading.Barrier(8)
    answers: list[bool] = []

    def ask(slots: Slots) -> None:
        barrier.wait(30)
        answers.append(slots.ask("digest", MONDAY + HOUR))

    threads = [
        threading.Thread(target=ask, args=[one.slots]) for one in [life, *others] for _ in "ab"
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(answers) == [False] * 7 + [True]


def test_what_was_missed_runs_once_late_and_says_so(house: House) -> None:
    """Stopped over the day: one report and one digest, for the last slot of each."""
    started(house).shop.close()
    house.pass_time(timedelta(hours=7, minutes=20))
    life = started(house)
    assert sorted(life.work()) == [
        ("approvals", MONDAY + timedelta(hours=7, minutes=15)),
        ("daily", MONDAY + 4 * HOUR),
        ("digest", MONDAY + 7 * HOUR),
        ("review", MONDAY + 5 * HOUR),
    ]
    late = {run.job: run.late for run in life.ran}
    assert late["daily"] == "late: was due 2026-11-30 13:00 UTC, the daemon was not running"
    (row,) = life.rows("daily")
    assert (row.late, row.state) == (True, "done")
    assert started(house).slots.catch_up() == []


def test_older_slots_that_were_missed_are_kept_as_skipped(house: House) -> None:
    """Nobody has to guess why there was no digest at ten."""
    started(house)
    house.pass_time(4 * HOUR + timedelta(minutes=20))
    life = started(house)
    life.work()
    rows = life.rows("digest")
    assert [(row.slot.hour, row.state) for row in rows] == [
        (10, "skipped"), (11, "skipped"), (12, "skipped"), (13, "done"),
    ]  # fmt: skip
    expected = "passed over: the daemon was not running, and a later time was due"
    assert {row.note for row in rows[:3]} == {expected}


def test_what_came_due_a_moment_ago_is_not_called_late(house: House) -> None:
    """A restart across the hour makes no story of it."""
    started(house)
    house.pass_time(HOUR + timedelta(seconds=30))
    life = started(house)
    life.work()
    assert [run.late for run in life.ran if run.job == "digest"] == [""]
    assert not life.rows("digest")[0].late


def test_what_was_missed_runs_in_the_order_it_was_due(house: House) -> None:
    """Not in the order of the timetable: Saturday's report comes before Sunday's close."""
    started(house)
    house.pass_time(6 * DAY)
    jobs = [job for job, _slot in started(house).work()]
    assert jobs[:5] == ["review", "daily", "day_close", "consolidation", "silence"]
    assert sorted(jobs[5:]) == ["approvals", "digest"]


def test_a_year_of_downtime_is_soon_caught_up(house: House) -> None:
    """A month of slots is kept; each job runs once all the same."""
    started(house)
    house.pass_time(365 * DAY)
    life = started(house)
    assert sorted(job for job, _ in life.work()) == sorted(set(NAMES) - {"sprint"})
    oldest = life.rows("digest")[0].slot
    assert oldest > house.clock.now() - LOOK_BACK


def test_sprints_are_not_caught_up(house: House) -> None:
    """The start asks for one anyway."""
    started(house)
    house.pass_time(3 * HOUR)
    life = started(house)
    assert "sprint" not in [job for job, _ in life.work()]
    assert life.slots.ask_now("sprint")
    assert not life.slots.ask_now("sprint")
    assert [job for job, _ in life.work()] == ["sprint"]


def test_a_machine_that_slept_runs_the_last_slot_late(house: House) -> None:
    """The scheduler tells of one slot; the ones before it are kept as passed over."""
    life = started(house)
    house.pass_time(3 * HOUR + timedelta(minutes=10))
    assert life.slots.ask("digest", MONDAY + 3 * HOUR)
    assert life.work() == [("digest", MONDAY + 3 * HOUR)]
    assert "the machine slept or its clock was set forward" in life.ran[0].late
    assert [row.state for row in life.rows("digest")] == ["skipped", "skipped", "done"]


def test_a_clock_set_back_runs_nothing_a_second_time(house: House) -> None:
    """The slots of these hours have their runs; the next new one runs again."""
    life = started(house)
    for hour in (1, 2, 3):
        house.pass_time(HOUR)
        life.slots.ask("digest", MONDAY + hour * HOUR)
        assert len(life.work()) == 1
    house.pass_time(-2 * HOUR)
    for hour in (2, 3):
        house.pass_time(HOUR)
        assert not life.slots.ask("digest", MONDAY + hour * HOUR)
    house.pass_time(HOUR)
    assert life.slots.ask("digest", MONDAY + 4 * HOUR)
    assert life.work() == [("digest", MONDAY + 4 * HOUR)]


def test_a_clock_that_was_far_ahead_for_a_moment_hides_nothing_later(house: House) -> None:
    """Slots of the wrong year stand in the way of no slot of the right one."""
    life = started(house)
    house.pass_time(5 * 365 * DAY)
    life.slots.ask("daily", datetime(2031, 11, 29, 13, 0, tzinfo=UTC))
    life.work()
    house.pass_time(-5 * 365 * DAY)
    house.pass_time(5 * HOUR)
    assert started(house).work()
    assert [row.slot.year for row in life.rows("daily")] == [2026]


def test_a_run_that_a_crash_cut_off_runs_again(house: House) -> None:
    """It may have written nothing yet; its own steps are keyed by the slot."""
    life = started(house)
    house.pass_time(HOUR)
    life.slots.ask("digest", MONDAY + HOUR)
    job_runs.start_run(
        life.db, "digest", MONDAY + HOUR, house.clock.now(), deadline_at=house.clock.now()
    )
    house.pass_time(timedelta(minutes=10))
    later = started(house)
    assert ("digest", MONDAY + HOUR) in later.work()
    (row,) = later.rows("digest")
    assert (row.state, row.tries, row.late) == ("done", 2, True)
    assert later.ran[-1].late == (
        "late: was due 2026-11-30 10:00 UTC, the daemon stopped while it ran"
    )


def test_a_run_that_ends_the_daemon_each_time_is_given_up(house: House) -> None:
    """Three times, then an alert in place of a fourth; the next slot is tried again."""
    life = started(house)
    house.pass_time(HOUR)
    slot = MONDAY + HOUR
    life.slots.ask("digest", slot)
    for _ in range(MOST_TRIES):
        job_runs.start_run(life.db, "digest", slot, MONDAY, deadline_at=MONDAY)
        job_runs.queue_again(life.db, "digest", slot, late=False)
    last = started(house)
    assert "digest" not in [job for job, _ in last.work()]
    assert last.rows("digest")[0].state == "failed"
    assert "was begun 3 times and never came to its end" in last.alerts()[0]
    house.pass_time(HOUR)
    assert last.slots.ask("digest", slot + HOUR)


def test_a_run_cut_off_is_closed_where_a_later_slot_is_due(house: House) -> None:
    """One run of a job is enough after a downtime."""
    life = started(house)
    house.pass_time(HOUR)
    life.slots.ask("digest", MONDAY + HOUR)
    life.slots.ask("sprint", MONDAY + HOUR)
    job_runs.start_run(life.db, "sprint", MONDAY + HOUR, MONDAY, deadline_at=MONDAY)
    house.pass_time(HOUR)
    later = started(house)
    assert [slot for job, slot in later.work() if job == "digest"] == [MONDAY + 2 * HOUR]
    assert later.rows("digest")[0].note == "the daemon stopped before it began"
    sprint = later.rows("sprint")[0]
    assert (sprint.state, sprint.note) == ("failed", "cut off: the daemon stopped while it ran")


def ask_on_time(house: House, life: Life, job: str, hour: int) -> bool:
    slot = MONDAY + hour * HOUR
    house.clock.advance(slot - house.clock.now())
    return life.slots.ask(job, slot)


def test_the_second_skip_in_a_row_is_an_alert_and_only_one(house: House) -> None:
    """The first may be chance; what goes on is one incident; agronholm/apscheduler#474."""
    life = started(house)
    assert ask_on_time(house, life, "digest", 1)
    assert not ask_on_time(house, life, "digest", 2)
    assert life.slots.skips_in_a_row("digest") == 1
    assert life.alerts() == []
    for hour in (3, 4, 5):
        assert not ask_on_time(house, life, "digest", hour)
    assert life.slots.skips_in_a_row("digest") == 4
    assert len(life.alerts()) == 1
    assert "The job digest was skipped" in life.alerts()[0]
    assert "2 times in a row" in life.alerts()[0]
    assert [row.state for row in life.rows("digest")] == ["queued", *["skipped"] * 4]
    incident = incidents.find_open(life.db, "job_skipped/digest")
    assert incident is not None
    assert incident.count == 3


def test_a_job_that_runs_again_ends_the_incident(house: House) -> None:
    """Told once, and the count begins anew."""
    life = started(house)
    for hour in (1, 2, 3):
        ask_on_time(house, life, "digest", hour)
    life.work()
    assert ask_on_time(house, life, "digest", 4)
    assert life.slots.skips_in_a_row("digest") == 0
    assert incidents.find_open(life.db, "job_skipped/digest") is None
    life.work()
    assert ask_on_time(house, life, "digest", 5)


def test_a_skip_says_what_it_waits_behind(house: House) -> None:
    """A report that waits behind a long sprint is not the one to look at."""
    told: list[bool] = []

    def sprint(_run: Run) -> str:
        told.append(ask_on_time(house, life, "digest", 1))
        told.append(ask_on_time(house, life, "digest", 2))
        return ""

    life = started(house, sprint=Job(sprint, DEADLINE_SECONDS))
    life.slots.ask_now("sprint")
    life.work()
    assert told == [True, False]
    skipped = life.rows("digest")[1]
    assert skipped.note == "skipped: the run before it still waits behind sprint"


def test_a_hung_run_is_told_once(house: House) -> None:
    """Until the job runs again."""
    life = started(house)
    for _ in range(3):
        life.slots.tell_hung(Run("digest", MONDAY))
    assert len(life.alerts()) == 1
    assert "The job digest (due 2026-11-30 09:00 UTC) is past its deadline" in life.alerts()[0]
    ask_on_time(house, life, "digest", 1)
    assert incidents.find_open(life.db, "job_hung/digest") is None


def test_what_the_database_did_not_let_through_is_asked_for_again(house: House) -> None:
    """No slot is lost to a full disk, and none runs without its row."""
    life = started(house)
    house.pass_time(HOUR)
    with life.db.immediate() as tx:
        tx.execute("ALTER TABLE job_run RENAME TO away")
    assert not life.slots.ask("digest", MONDAY + HOUR)
    assert not life.slots.ask_now("sprint")
    assert life.work() == []
    life.slots.look()
    with life.db.immediate() as tx:
        tx.execute("ALTER TABLE away RENAME TO job_run")
    life.slots.look()
    assert sorted(life.work()) == [("digest", MONDAY + HOUR), ("sprint", MONDAY + HOUR)]
    life.slots.look()
    assert life.work() == []


def test_catching_up_waits_for_the_database_and_is_done_once(house: House) -> None:
    """A start with a locked database is a start; runs of this life are not taken for old ones."""
    started(house)
    house.pass_time(HOUR + timedelta(minutes=5))
    life = house.live()
    with life.db.immediate() as tx:
        tx.execute("ALTER TABLE control RENAME TO away")
    life.slots.begin()
    assert life.work() == []
    with life.db.immediate() as tx:
        tx.execute("ALTER TABLE away RENAME TO control")
    life.slots.ask_now("sprint")
    life.slots.look()
    life.slots.look()
    assert sorted(job for job, _slot in life.work()) == ["approvals", "digest", "sprint"]
    assert [row.tries for row in life.rows("digest")] == [1]
