"""All repeats of one error are one row."""

from __future__ import annotations

from datetime import datetime, timedelta

from daemon.store import incidents
from daemon.store.database import Database


def test_repeats_of_a_cause_are_one_incident_with_a_count(db: Database, now: datetime) -> None:
    """It keeps when it began, and the newest words."""
    for minute in range(3):
        at = now + timedelta(minutes=minute)
        row = incidents.count(db, "overloaded", f"busy {minute}", "wait", at)
    assert (row.count, row.detail, row.cure) == (3, "busy 2", "wait")
    assert (row.opened_at, row.last_at) == (now, now + timedelta(minutes=2))
    assert incidents.list_open(db) == [row]


def test_another_cause_is_another_incident(db: Database, now: datetime) -> None:
    """They are counted apart and listed in the order in which they began."""
    incidents.count(db, "overloaded", "", "", now)
    incidents.count(db, "timeout", "", "", now)
    incidents.count(db, "overloaded", "", "", now)
    assert [(row.cause, row.count) for row in incidents.list_open(db)] == [
        ("overloaded", 2), ("timeout", 1),
    ]  # fmt: skip


def test_after_its_end_the_same_cause_is_a_new_incident(db: Database, now: datetime) -> None:
    """An end is written once."""
    first = incidents.count(db, "overloaded", "", "", now)
    assert incidents.close(db, first.id, now)
    assert not incidents.close(db, first.id, now)
    assert incidents.find_open(db, "overloaded") is None
    second = incidents.count(db, "overloaded", "", "", now)
    assert (second.count, second.id != first.id) == (1, True)
    newest, older = incidents.list_newest(db, 10)
    assert (newest, older.closed_at) == (second, now)
