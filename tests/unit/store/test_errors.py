"""Errors on record."""

from __future__ import annotations

from datetime import datetime

from daemon.store import errors
from daemon.store.database import Database
from daemon.store.errors import ErrorRow


def note(db: Database, now: datetime, message: str) -> int:
    return errors.record(db, place="provider", cause="overloaded", message=message, now=now)


def test_an_error_comes_back_as_it_was_met(db: Database, now: datetime) -> None:
    """With its place, its cause, and the sprint and item that it stopped."""
    number = errors.record(
        db, place="sprint", cause="timeout", message="no reply", now=now, sprint_id=7, item="T01"
    )
    assert errors.list_after(db, 0, 10) == [
        ErrorRow(number, now, "sprint", "timeout", "no reply", 7, "T01")
    ]


def test_the_newest_errors_are_listed_the_oldest_of_them_first(db: Database, now: datetime) -> None:
    """A limit drops the oldest, and what came before a given error is left out."""
    ids = [note(db, now, f"error {number}") for number in range(5)]
    assert [row.message for row in errors.list_after(db, 0, 2)] == ["error 3", "error 4"]
    assert [row.id for row in errors.list_after(db, ids[2], 10)] == ids[3:]
    assert errors.last_id(db) == ids[-1]


def test_the_last_id_of_no_errors_is_0(db: Database) -> None:
    """So that everything comes after it."""
    assert errors.last_id(db) == 0


def test_a_message_of_a_megabyte_is_cut(db: Database, now: datetime) -> None:
    """A service may answer with anything."""
    note(db, now, "x" * 1_000_000)
    assert len(errors.list_after(db, 0, 1)[0].message) == errors.LONGEST_MESSAGE


def test_the_causes_of_a_sprint_are_its_own(db: Database, now: datetime) -> None:
    """Each once; those of other sprints and of none are left out."""
    for sprint_id, cause in ((1, "timeout"), (1, "timeout"), (1, "overloaded"), (2, "wrong_key")):
        errors.record(db, place="sprint", cause=cause, message="", now=now, sprint_id=sprint_id)
    note(db, now, "of no sprint")
    assert errors.list_causes(db, 1) == {"timeout", "overloaded"}
    assert errors.list_causes(db, 3) == set()
