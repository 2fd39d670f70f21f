"""The odd days of the calendar, and a clock that is a year wrong: each report once, none left out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from daemon.config.sections import Config
from daemon.scheduling.scheduler import Schedule
from tests.unit.scheduling.test_slots import DAY, HOUR, MONDAY, House, started

YEAR = 365 * DAY


def slots(job: str, start: datetime, days: int) -> list[datetime]:
    return list(Schedule(Config(), start).slots(job, start, start + days * DAY))


def test_week_53_has_its_review_like_any_other() -> None:
    """Reviews are seven days apart over the year's end; no number of a week is reckoned with."""
    found = slots("review", datetime(2026, 12, 20, tzinfo=UTC), 30)
    assert [f"{slot:%m-%d %a %H:%M}" for slot in found] == [
        "12-21 Mon 14:00", "12-28 Mon 14:00", "01-04 Mon 14:00", "01-11 Mon 14:00", "01-18 Mon 14:00",
    ]  # fmt: skip
    assert found[1].isocalendar().week == 53


def test_a_leap_day_has_its_reports() -> None:
    """One daily report on each day, 24 digests on the 29th of February, and no day twice."""
    daily = slots("daily", datetime(2028, 2, 27, 12, tzinfo=UTC), 4)
    assert [f"{slot:%m-%d}" for slot in daily] == ["02-27", "02-28", "02-29", "03-01"]
    digests = slots("digest", datetime(2028, 2, 28, 12, tzinfo=UTC), 3)
    assert sum((slot.month, slot.day) == (2, 29) for slot in digests) == 24


def test_a_missed_monday_is_reviewed_once_late_and_the_next_one_in_time(tmp_path: Path) -> None:
    """The daemon was off from before Monday 14:00 until Wednesday: the review of Monday then, late."""
    house = House(tmp_path)
    started(house).shop.close()
    house.pass_time(2 * DAY)
    life = started(house)
    due = MONDAY.replace(hour=14)
    assert ("review", due) in life.work()
    late = next(run.late for run in life.ran if run.job == "review")
    assert late == "late: was due 2026-11-30 14:00 UTC, the daemon was not running"
    house.pass_time(5 * DAY + 5 * HOUR)
    assert life.slots.ask("review", due + 7 * DAY)
    assert not life.slots.ask("review", due + 7 * DAY)
    life.work()
    assert [run.late for run in life.ran if run.job == "review"] == [late, ""]
    life.shop.close()


def test_a_clock_a_year_ahead_between_two_runs_takes_no_review_away(tmp_path: Path) -> None:
    """Ahead, the last Monday of that year is reviewed; set right again, that of this year is."""
    house = House(tmp_path)
    started(house).shop.close()
    house.pass_time(YEAR)
    wrong = started(house)
    wrong.work()
    assert [run.slot.year for run in wrong.ran if run.job == "review"] == [2027]
    wrong.shop.close()
    house.pass_time(timedelta(hours=6) - YEAR)
    right = started(house)
    assert ("review", MONDAY.replace(hour=14)) in right.work()
    assert {row.slot.year for row in right.rows("review")} == {2026}
    right.shop.close()


def test_a_clock_a_year_back_between_two_runs_runs_nothing_a_second_time(tmp_path: Path) -> None:
    """Slots of the year before are before the first start, so a start then misses nothing; set right,
    the slot that has run does not run again."""
    house = House(tmp_path)
    life = started(house)
    house.pass_time(5 * HOUR)
    due = MONDAY.replace(hour=14)
    assert life.slots.ask("review", due)
    life.work()
    life.shop.close()
    house.pass_time(-YEAR)
    back = started(house)
    assert back.work() == []
    back.shop.close()
    house.pass_time(YEAR)
    again = started(house)
    assert ("review", due) not in again.work()
    again.shop.close()
