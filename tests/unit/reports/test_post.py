"""A report and its messages stand together or not at all."""

from __future__ import annotations

from datetime import timedelta

import pytest

from daemon.reports.post import post_report, slot_name
from daemon.reports.written import Written
from daemon.store.database import Database
from daemon.store.reports import find_report
from tests.unit.reports.money import NOON


def post(db: Database, body: str = "All is quiet.", channels: tuple[str, ...] = ()) -> bool:
    written = Written(body, {"calls": 0})
    return post_report(db, kind="daily", slot=NOON, written=written, now=NOON, channels=channels)


def messages(db: Database) -> list[tuple[str, str]]:
    rows = db.rows("SELECT key, channel FROM outbox ORDER BY key")
    return [(row["key"], row["channel"]) for row in rows]


def test_each_channel_gets_its_message_with_the_report(db: Database) -> None:
    """Under a key that is made of kind, slot and channel."""
    assert post(db, channels=("slack", "notion"))
    assert messages(db) == [
        ("report/daily/2026-11-30T12:00Z/notion", "notion"),
        ("report/daily/2026-11-30T12:00Z/slack", "slack"),
    ]


def test_without_channels_it_stays_in_the_store(db: Database) -> None:
    """No row waits for a way out that is not there."""
    assert post(db)
    assert messages(db) == []
    kept = find_report(db, "daily", NOON)
    assert kept is not None
    assert kept.body == "All is quiet."


def test_a_second_time_changes_nothing(db: Database) -> None:
    """Neither another text nor a second message, whatever became of the first."""
    post(db, channels=("slack",))
    assert not post(db, "Something else.", channels=("slack", "notion"))
    assert len(messages(db)) == 1
    kept = find_report(db, "daily", NOON)
    assert kept is not None
    assert kept.body == "All is quiet."


def test_what_is_undone_leaves_neither(db: Database) -> None:
    """It joins the transaction that it is called in."""

    def post_and_fail() -> None:
        with db.immediate():
            post(db, channels=("slack",))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        post_and_fail()
    assert find_report(db, "daily", NOON) is None
    assert messages(db) == []


def test_a_slot_is_named_to_the_minute_and_exactly_where_it_is_none() -> None:
    """Two runs of a job outside of its times have two names."""
    assert slot_name(NOON) == "2026-11-30T12:00Z"
    assert slot_name(NOON + timedelta(microseconds=1)) == "2026-11-30T12:00:00.000001Z"
