"""When an outage that costs nothing is tried again."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from daemon.governance import outage
from daemon.store.database import Database, open_database

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    database = open_database(tmp_path / "a.db")
    yield database
    database.close()


@pytest.mark.parametrize(
    ("interval", "waits"), [(15, [15, 30, 60, 60]), (1, [1, 2, 4, 8]), (90, [90, 90, 90, 90])]
)
def test_the_waits_double_up_to_an_hour(db: Database, interval: int, waits: list[int]) -> None:
    """From one interval of the timetable on; a timetable that is slower is left as it is."""
    every = timedelta(minutes=interval)
    met = [outage.met(db, "overloaded", NOON, interval=every) for _ in waits]
    assert [one.until - NOON for one in met] == [timedelta(minutes=wait) for wait in waits]
    assert outage.over(db)
    assert not outage.over(db)
    assert outage.met(db, "overloaded", NOON, interval=every).tries == 1


def test_the_tick_that_is_meant_may_come_a_little_early(db: Database) -> None:
    """The sprint ended two minutes after its tick; the one a quarter of an hour later tries."""
    every, end = timedelta(minutes=15), NOON + timedelta(minutes=2)
    assert outage.waited_for(db, end, interval=every) is None
    outage.met(db, "overloaded", end, interval=every)
    assert outage.waited_for(db, end + timedelta(minutes=5), interval=every)
    assert outage.waited_for(db, NOON + every, interval=every) is None


def test_a_clock_that_was_set_back_ends_the_wait(db: Database) -> None:
    """The moment it names means nothing then."""
    every = timedelta(minutes=15)
    outage.met(db, "overloaded", NOON, interval=every)
    assert outage.waited_for(db, NOON - timedelta(days=7), interval=every) is None
