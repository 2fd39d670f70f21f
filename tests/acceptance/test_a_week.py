"""A week of the daemon on a clock that is moved by hand, with the daemon's own parts.

From Wednesday 2026-10-28 to Wednesday 2026-11-04, over the night in which the clocks of New York are
set back: 33 items are worked off under a cap that allows about ten of them a day, and then it is quiet.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from daemon.clock import ManualClock, from_text
from daemon.governance import recovery
from daemon.store import events, items, job_runs, reports
from daemon.store.database import Database
from tests.standins.life_on_a_clock import LifeOnAClock, life
from tests.standins.priced_writer import PricedWriter
from tests.workspaces import copy_sample

START = datetime(2026, 10, 28, 11, 50, tzinfo=UTC)
END = datetime(2026, 11, 4, 12, 0, tzinfo=UTC)
SUNDAY, MONDAY = date(2026, 11, 1), date(2026, 11, 2)
DAYS = [date(2026, 10, 29) + timedelta(days=n) for n in range(6)]  # the whole ones
BUSY, QUIET = DAYS[:3], DAYS[3:]
CAP = "[budget]\ndaily_cap_usd = 0.012\n"
HOUR = timedelta(hours=1)
OF_THE_KEY = {"checkpoint": None, "ledger": None}
ROOT = re.compile(r"root [0-9a-f]{64}|```\n.*?\n```", re.DOTALL)
NEWS = {"accepted", "rejected", "sprint_completed", "sprint_failed", "sprint_paused_budget",
        "budget_warning", "alert", "halted"}  # fmt: skip


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


@dataclass(frozen=True)
class Week:
    """What is left of a week when it is over."""

    runs: list[dict[str, Any]]
    reports: list[reports.ReportRow]
    news: list[datetime]
    sprints: list[dict[str, Any]]
    calls: list[dict[str, Any]]
    days: list[dict[str, Any]]
    posted: list[tuple[datetime, str]]

    def slots(self, job: str, state: str = "done") -> list[datetime]:
        rows = [row for row in self.runs if row["job"] == job and row["state"] == state]
        return [from_text(row["slot"]) for row in rows]

    def report_slots(self, kind: str) -> list[datetime]:
        return [row.slot for row in self.reports if row.kind == kind]

    def texts(self, kind: str) -> list[str]:
        return [row.body for row in self.reports if row.kind == kind]


def remains(db: Database, posted: list[tuple[datetime, str]]) -> Week:
    return Week(
        runs=db.rows("SELECT job, slot, state, late, note FROM job_run ORDER BY slot, job"),
        reports=sorted(reports.list_reports(db, 10_000), key=lambda row: (row.slot, row.kind)),
        news=[e.at for e in events.list_after(db, 0, 100_000) if e.kind in NEWS],
        sprints=db.rows("SELECT started_at, state FROM sprint ORDER BY id"),
        calls=db.rows("SELECT called_at, day, cost_micros FROM api_calls ORDER BY id"),
        days=db.rows("SELECT * FROM budget_day ORDER BY day"),
        posted=posted,
    )


def a_week(folder: Path) -> Week:
    root = copy_sample(folder, CAP)
    clock = ManualClock(START)
    with life(root, clock) as lived:
        lived.go_on_until(END)
        return remains(lived.db, lived.posted)


@pytest.fixture(scope="module")
def week(tmp_path_factory: pytest.TempPathFactory) -> Week:
    with machine_in("UTC"):
        return a_week(tmp_path_factory.mktemp("week") / "venture")


def hours_of(moments: list[datetime], day: date) -> list[int]:
    return [moment.hour for moment in moments if moment.date() == day]


def test_all_six_jobs_run_at_their_times(week: Week) -> None:
    """Digest 24 times a day, approvals 96 times, close and report once; each run ended well."""
    assert {row["state"] for row in week.runs} == {"done"}
    for day in DAYS:
        assert hours_of(week.slots("digest"), day) == list(range(24))
        assert len(hours_of(week.slots("approvals"), day)) == 96
        assert hours_of(week.slots("day_close"), day) == [0]
        assert hours_of(week.slots("daily"), day) == [13]
        assert hours_of(week.slots("silence"), day) == [8]
    assert week.slots("consolidation") == [datetime(2026, 11, 1, 6, 0, tzinfo=UTC)]
    assert week.slots("review") == [datetime(2026, 11, 2, 14, 0, tzinfo=UTC)]
    assert not any(row["late"] for row in week.runs)


def test_a_digest_comes_only_for_hours_with_events(week: Week) -> None:
    """And for each of them; beside these there is the one that follows a start's first sprint."""
    timely = [slot for slot in week.report_slots("digest") if slot != START]
    assert len(week.report_slots("digest")) == len(timely) + 1
    after_start = [at for at in week.news if at > START]
    expected = {at.replace(minute=0) + (HOUR if at.minute else timedelta(0)) for at in after_start}
    assert timely == sorted(expected)
    assert 4 < len(timely) < 12


def test_a_quiet_day_has_one_silence_line_and_a_busy_one_has_none(week: Week) -> None:
    """In one line: alive, why there was nothing, and how the backlog stands."""
    eight = [datetime(day.year, day.month, day.day, 8, tzinfo=UTC) for day in QUIET]
    assert week.report_slots("silence") == [*eight, datetime(2026, 11, 4, 8, tzinfo=UTC)]
    for text in week.texts("silence"):
        assert "\n" not in text
        assert text == (
            "sprintd is alive and had nothing to tell for 24 hours: no backlog item is eligible. "
            "Backlog now: 33 done, 4 waiting."
        )


def test_it_pauses_at_the_cap_and_goes_on_after_midnight(week: Week) -> None:
    """The cap of a day is never passed, nothing is asked while it pauses, and the new day works."""
    for row in week.days:
        assert row["used_micros"] <= row["cap_micros"] == 12_000
    paused = [from_text(s["started_at"]) for s in week.sprints if s["state"] == "paused_budget"]
    assert [moment.date() for moment in paused] == [date(2026, 10, 28), *BUSY[:2]]
    asked = [from_text(call["called_at"]) for call in week.calls]
    for moment in paused:
        midnight = datetime(moment.year, moment.month, moment.day, tzinfo=UTC) + 24 * HOUR
        assert not [at for at in asked if moment < at < midnight]
        (first, *_) = [at for at in asked if at >= midnight]
        assert first - midnight < timedelta(minutes=15)
    assert len(asked) == 33


def test_the_quiet_days_cost_nothing(week: Week) -> None:
    """With nothing eligible no model is asked and no sprint is opened; the ticks go on."""
    for day in QUIET:
        assert not [call for call in week.calls if call["day"] == day.isoformat()]
        assert not [s for s in week.sprints if s["started_at"].startswith(day.isoformat())]
        assert len([slot for slot in week.slots("sprint") if slot.date() == day]) == 96


def test_the_daily_report_is_about_the_day_before(week: Week) -> None:
    """With its findings and its money, to the micro-dollar; every day has one."""
    assert [slot.date() for slot in week.report_slots("daily")] == [date(2026, 10, 28), *DAYS]
    by_day = {row["day"]: row for row in week.days}
    found = 0
    for row in week.reports:
        if row.kind == "daily":
            day = (row.slot - 24 * HOUR).date().isoformat()
            assert row.body.startswith(f"sprintd, the UTC day {day}")
            assert row.facts["spent_micros"] == (by_day[day]["used_micros"] if day in by_day else 0)
            found += len(row.facts["findings"])
    assert found == 33


def test_the_close_of_a_day_adds_up_to_what_was_spent(week: Week) -> None:
    """By agent and by item; a day without a call is closed in the store and told nobody."""
    by_day = {row["day"]: row["used_micros"] for row in week.days}
    closed = [row for row in week.reports if row.kind == "day_close"]
    assert [row.facts["day"] for row in closed] == ["2026-10-28", *(d.isoformat() for d in DAYS)]
    for row in closed:
        spent = by_day.get(row.facts["day"], 0)
        assert row.facts["spent_micros"] == spent
        assert sum(row.facts["by_agent"].values()) == sum(row.facts["by_item"].values()) == spent
    told = [text for _at, text in week.posted if "is closed" in text]
    assert len(told) == len(by_day) == 4


def test_monday_reviews_and_sunday_consolidates_whole_days(week: Week) -> None:
    """Findings younger than a week are not merged yet; counts, days left, and no verdict."""
    (consolidation,) = week.texts("consolidation")
    assert consolidation.startswith("sprintd, memory of 2026-11-01: 0 notes merged")
    assert "33 notes wait for a later run." in consolidation
    (review,) = week.texts("review")
    assert "week 2026-10-26 to 2026-11-02" in review
    assert review.count(": NOT YET KNOWN, confidence 0.00") == 5
    assert "deadline 2027-03-31, 149 days left" in review
    assert "accepted findings: 7 in the 7 days before today (UTC), 7 in all" in review


def test_everything_told_stands_in_the_store_too(week: Week) -> None:
    """What was shown is what was kept, word for word and once."""
    kept = sorted(row.body for row in week.reports if row.kind != "day_close" or row.facts["calls"])
    assert sorted(text for _at, text in week.posted) == kept


def test_a_machine_whose_clocks_change_lives_the_same_week(week: Week, tmp_path: Path) -> None:
    """New York sets its clocks back on the Sunday of this week: not one run or report moves."""
    with machine_in("America/New_York"):
        assert time.tzname == ("EST", "EDT")
        assert without_roots(a_week(tmp_path / "venture")) == without_roots(week)


def without_roots(week: Week) -> Week:
    """The week without the roots and notes of its ledger, which has a key and a name of its own each time."""
    rows = [
        replace(row, body=ROOT.sub("", row.body), facts={**row.facts, **OF_THE_KEY})
        for row in week.reports
    ]
    told = [(at, ROOT.sub("", text)) for at, text in week.posted]
    return replace(week, reports=rows, posted=told)


def test_an_idle_day_with_an_empty_backlog_asks_no_model(tmp_path: Path) -> None:
    """Not one call, reservation or sprint in 24 hours of ticks, and one line that says so."""
    clock, provider = ManualClock(START), PricedWriter()
    root = copy_sample(tmp_path / "venture")
    (root / "backlog.yaml").write_text("items: []\n")
    with life(root, clock, provider) as lived:
        lived.go_on_until(START + 24 * HOUR)
        assert provider.calls == 0
        for table in ("api_calls", "reservation", "sprint", "attempt"):
            assert lived.db.rows(f"SELECT * FROM {table}") == []
        assert len(job_runs.list_runs(lived.db, "sprint")) == 97
        kinds = [row.kind for row in reports.list_reports(lived.db, 10)]
        assert sorted(kinds) == ["daily", "day_close", "silence"]  # yesterday's report at 13:00


def test_the_silence_of_a_halted_daemon_says_why_and_what_to_do(tmp_path: Path) -> None:
    """Five quiet days do not hide it: each has its line with the reason, since when, and the cure."""
    clock = ManualClock(START)
    root = copy_sample(tmp_path / "venture")
    with life(root, clock) as lived:
        halt(lived)
        lived.go_on_until(START + 5 * 24 * HOUR)
        lines = [row.body for row in reports.list_reports(lived.db, 100, kind="silence")]
        assert (
            len(lines) == 4
        )  # the digest about the halt is less than a day old on the first morning
        for line in lines:
            assert line.startswith("sprintd is alive and halted since 2026-10-28 11:50 UTC")
            assert "the key was refused" in line
            assert "sprintd reset-failures" in line
            assert "\n" not in line


def halt(lived: LifeOnAClock) -> None:
    kwargs: dict[str, Any] = {}
    if hasattr(lived.services, "voice"):
        kwargs["voice"] = lived.services.voice
    recovery.halt(lived.db, "the key was refused", lived.clock.now(), **kwargs)


def test_three_missed_times_run_once_each_late_and_say_so(tmp_path: Path) -> None:
    """Stopped from Sunday 05:30 to Monday 14:20: consolidation, daily report and review are missed.

    Each runs once at the next start, with the numbers of its own days and a line about being late;
    Sunday's report, which Monday's follows, is kept as passed over. A third start repeats nothing.
    """
    clock = ManualClock(datetime(2026, 11, 1, 4, 50, tzinfo=UTC))
    root = copy_sample(tmp_path / "venture")
    with life(root, clock) as lived:
        lived.go_on_until(datetime(2026, 11, 1, 5, 30, tzinfo=UTC))
    clock.advance(datetime(2026, 11, 2, 14, 20, tzinfo=UTC) - clock.now())
    with life(root, clock) as lived:
        told = {}
        for kind in ("consolidation", "daily", "review"):
            (row,) = reports.list_reports(lived.db, 10, kind=kind)
            told[kind] = row
            assert row.body.endswith(
                f"(late: was due {row.slot:%Y-%m-%d %H:%M} UTC, the daemon was not running)"
            )
            assert row.created_at == clock.now()
            assert (clock.now(), row.body) in lived.posted
        assert told["consolidation"].slot == datetime(2026, 11, 1, 6, 0, tzinfo=UTC)
        assert told["daily"].slot == datetime(2026, 11, 2, 13, 0, tzinfo=UTC)
        assert told["daily"].facts["day"] == "2026-11-01"
        assert told["review"].slot == datetime(2026, 11, 2, 14, 0, tzinfo=UTC)
        daily = job_runs.list_runs(lived.db, "daily")
        assert [(run.slot.day, run.state) for run in daily] == [(1, "skipped"), (2, "done")]
        assert "the daemon was not running" in daily[0].note
    with life(root, clock) as lived:
        lived.go_on_until(clock.now() + HOUR)
        assert len(reports.list_reports(lived.db, 10, kind="review")) == 1
        assert len(job_runs.list_runs(lived.db, "consolidation")) == 1


def test_a_week_of_findings_done_before_is_not_told_twice(tmp_path: Path) -> None:
    """A digest tells each event once, across any number of lives."""
    clock = ManualClock(START)
    root = copy_sample(tmp_path / "venture")
    posted: list[str] = []
    for _ in range(4):
        with life(root, clock) as lived:
            lived.go_on_until(clock.now() + timedelta(minutes=40))
            posted += [text for _at, text in lived.posted]
            done = sum(s.state == "done" for s in items.list_item_states(lived.db).values())
    told = [line for text in posted for line in text.splitlines() if "memory/findings" in line]
    assert len(told) == len(set(told))
    assert done >= len(told) > done - 7
