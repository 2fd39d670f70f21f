"""Trouble with the database is kept as soon as it can be, and its end is told once."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from daemon.bootstrap import Services, build_services, database_of
from daemon.clock import ManualClock
from daemon.errors import StoreError
from daemon.scheduling.store_watch import StoreWatch
from daemon.store import errors, events, incidents
from daemon.store.database import open_database
from tests.workspaces import NOON, copy_sample

MINUTE = timedelta(minutes=1)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOON)


@pytest.fixture
def services(tmp_path: Path, clock: ManualClock) -> Iterator[Services]:
    root = copy_sample(tmp_path / "venture")
    db = open_database(database_of(root), busy_timeout_seconds=0.05)
    built = build_services(root, environ={}, say=lambda line: None, clock=clock, db=db)
    yield built
    built.close()


def kinds(services: Services) -> list[str]:
    return [event.kind for event in events.list_after(services.db, 0)]


def test_a_sound_database_is_no_news(services: Services, clock: ManualClock) -> None:
    """Checked for an hour."""
    watch = StoreWatch(services)
    for _ in range(60):
        watch.check()
        clock.advance(MINUTE)
    assert kinds(services) == []


def test_what_could_not_be_written_is_written_when_it_works_again(
    services: Services, clock: ManualClock
) -> None:
    """Held by another program for ten minutes: alert and end, the alert with its own moment."""
    watch = StoreWatch(services)
    watch.check()
    other = open_database(services.db.path)
    with other.immediate():
        for _ in range(10):
            clock.advance(MINUTE)
            watch.check()
        assert "locked" in services.probe.fault
        assert kinds(services) == []
    clock.advance(MINUTE)
    watch.check()
    other.close()
    assert services.probe.fault == ""
    assert kinds(services) == ["alert", "recovered"]
    (record,) = errors.list_after(services.db, 0, 10)
    assert (record.cause, record.place, record.at) == ("store_locked", "store", NOON + MINUTE)
    watch.check()
    assert kinds(services) == ["alert", "recovered"]


def test_an_error_that_somebody_met_is_told_at_once_where_it_can_be(services: Services) -> None:
    """Many of them are one alert; the next check ends it."""
    watch = StoreWatch(services)
    for _ in range(5):
        watch.met(StoreError("x.db: the disk is full (SQLITE_FULL)"))
    assert services.probe.fault
    assert kinds(services) == ["alert"]
    watch.check()
    assert kinds(services) == ["alert", "recovered"]


def test_what_an_earlier_life_left_open_ends_with_the_first_good_check(
    services: Services,
) -> None:
    """The database was put right while nothing ran."""
    incidents.count(services.db, "store_full", "full", "", NOON)
    StoreWatch(services).check()
    assert incidents.list_open(services.db) == []
