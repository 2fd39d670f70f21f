"""Times of the timetable, and what is said to one that is none."""

from __future__ import annotations

import pytest

from daemon.config.sections import JobsSection
from daemon.config.times import TimeOfDay, parse_time
from daemon.config.toml_file import parse_config
from daemon.errors import WorkspaceInvalid


def faults_of(line: str) -> list[str]:
    with pytest.raises(WorkspaceInvalid) as caught:
        parse_config(f"[jobs]\n{line}\n", "config.toml")
    return [str(fault) for fault in caught.value.faults]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("13:00", TimeOfDay(None, 13, 0)),
        ("00:00", TimeOfDay(None, 0, 0)),
        ("mon 14:05", TimeOfDay("mon", 14, 5)),
        ("sun 23:59", TimeOfDay("sun", 23, 59)),
    ],
)
def test_a_time_is_hours_and_minutes_with_or_without_a_weekday(
    text: str, expected: TimeOfDay
) -> None:
    """Nothing else is a time, so nothing else can be meant."""
    assert parse_time(text) == expected


@pytest.mark.parametrize("day", ["0", "1", "7", "monday", "Mon", "lun"])
def test_a_weekday_is_one_of_seven_names(day: str) -> None:
    """A number is a different day to different programs; the fault names line, key and the names."""
    assert faults_of(f'review = "{day} 14:00"') == [
        f"config.toml:2: jobs.review: expects a weekday as mon, tue, wed, thu, fri, sat, sun, found {day!r}"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "1pm",
        "13.00",
        "9:00",
        "13:00:00",
        "13:00+02:00",
        "13:00 Europe/Madrid",
        "13:00Z",
        "",
        "١٣:٠٠",
    ],
)
def test_a_zone_or_another_form_is_refused(text: str) -> None:
    """Only UTC has no hour that is missing or comes twice."""
    (fault,) = faults_of(f'daily_report = "{text}"')
    assert fault.startswith("config.toml:2: jobs.daily_report: expects a ")


@pytest.mark.parametrize("text", ["24:00", "12:60", "99:99"])
def test_an_hour_that_no_day_has_is_refused(text: str) -> None:
    """It would otherwise only show when the schedule is built."""
    (fault,) = faults_of(f'day_close = "{text}"')
    assert fault == (
        f"config.toml:2: jobs.day_close: expects a time from 00:00 to 23:59, found {text!r}"
    )


def test_daily_and_weekly_are_not_mixed_up() -> None:
    """A daily job with a weekday, and a weekly one without, say which of the two is wanted."""
    (daily,) = faults_of('silence_alarm = "mon 08:00"')
    (weekly,) = faults_of('consolidation = "06:00"')
    assert "comes every day, so it has no weekday" in daily
    assert "comes once a week, so it needs a weekday" in weekly


def test_all_faulty_times_are_told_at_once() -> None:
    """Each with its own line."""
    found = faults_of('daily_report = "noon"\nreview = "1 14:00"\napprovals_every_minutes = 0')
    assert [fault.split(":")[1] for fault in found] == ["2", "3", "4"]


def test_the_defaults_are_times() -> None:
    """Defaults are not validated by the library, so a test does it."""
    texts = [value for value in JobsSection().model_dump().values() if isinstance(value, str)]
    assert len(texts) == 5
    assert all(parse_time(text) for text in texts)
