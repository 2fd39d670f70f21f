"""One report for a kind and slot."""

from __future__ import annotations

from datetime import timedelta

from daemon.store.database import Database
from daemon.store.reports import (
    ReportRow,
    find_report,
    last_report,
    list_of_day,
    list_reports,
    list_slots,
    save_report,
    was_written,
)
from tests.workspaces import NOON

HOUR = timedelta(hours=1)


def test_a_report_is_kept_once(db: Database) -> None:
    """The first one stays, with its text and figures."""
    first = ReportRow("daily", NOON, "Nothing was learned.", {"spent_micros": 0}, NOON)
    assert save_report(db, first)
    assert not save_report(db, ReportRow("daily", NOON, "Something else.", {}, NOON + HOUR))
    assert find_report(db, "daily", NOON) == first
    assert find_report(db, "daily", NOON + HOUR) is None
    assert find_report(db, "review", NOON) is None


def test_the_newest_come_first(db: Database) -> None:
    """All of them, or those of one kind."""
    for hours in (0, 1, 2):
        save_report(
            db, ReportRow("digest", NOON + hours * HOUR, f"{hours}", {}, NOON + hours * HOUR)
        )
    save_report(db, ReportRow("daily", NOON, "daily", {}, NOON + HOUR))
    assert [row.body for row in list_reports(db, 3)] == ["2", "daily", "1"]
    assert [row.body for row in list_reports(db, 9, kind="digest")] == ["2", "1", "0"]
    last = last_report(db, "digest")
    assert last is not None
    assert last.body == "2"
    assert last_report(db, "review") is None


def test_whether_one_was_written_goes_by_its_slot(db: Database) -> None:
    """Both bounds belong to the stretch."""
    save_report(db, ReportRow("digest", NOON, "", {}, NOON + 5 * HOUR))
    assert was_written(db, "digest", NOON, NOON)
    assert not was_written(db, "digest", NOON + timedelta(seconds=1), NOON + HOUR)
    assert not was_written(db, "digest", NOON - HOUR, NOON - timedelta(seconds=1))
    assert not was_written(db, "daily", NOON, NOON)


def test_slots_are_listed_by_kind_the_newest_first(db: Database) -> None:
    """From a moment on; without their texts."""
    for hour, kind in enumerate(("digest", "daily", "silence", "digest")):
        save_report(db, ReportRow(kind, NOON + timedelta(hours=hour), "b", {}, NOON))  # type: ignore[arg-type]
    found = list_slots(db, ("digest", "daily"), NOON + timedelta(hours=1), 10)
    assert found == [("digest", NOON + timedelta(hours=3)), ("daily", NOON + timedelta(hours=1))]
    assert list_slots(db, ("digest",), NOON, 1) == found[:1]


def test_the_reports_of_a_day_are_the_oldest_first(db: Database) -> None:
    """Its end is not part of it."""
    day = timedelta(days=1)
    for slot in (NOON + day, NOON + timedelta(hours=1), NOON):
        save_report(db, ReportRow("digest", slot, "b", {}, NOON))
    found = list_of_day(db, "digest", NOON, NOON + day)
    assert [row.slot for row in found] == [NOON, NOON + timedelta(hours=1)]
