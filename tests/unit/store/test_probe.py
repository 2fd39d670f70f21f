"""Whether the database can be written is found out by writing."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from daemon.clock import ManualClock
from daemon.errors import StoreError
from daemon.store import control
from daemon.store.database import Database, open_database
from daemon.store.probe import StoreProbe

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    database = open_database(tmp_path / "state" / "sprintd.db", busy_timeout_seconds=0.1)
    yield database
    database.close()


def test_it_writes_at_most_once_in_its_interval(db: Database) -> None:
    """Each trial is one small row, so it costs a disk nothing."""
    clock = ManualClock(NOON)
    probe = StoreProbe(db, clock, every_seconds=30)
    probe.check()
    control.delete(db, "probe")
    clock.advance(timedelta(seconds=29))
    probe.check()
    assert control.get(db, "probe") is None
    clock.advance(timedelta(seconds=1))
    probe.check()
    assert control.get(db, "probe") == 0
    assert probe.fault == ""


def test_a_full_disk_is_a_fault_until_there_is_room(db: Database) -> None:
    """The line names the file; the next good write takes it back."""
    clock = ManualClock(NOON)
    probe = StoreProbe(db, clock, every_seconds=30)
    log = db.path.with_name("sprintd.db-wal")
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (log.stat().st_size, most))
    try:
        probe.check()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    assert "sprintd.db" in probe.fault
    assert "\n" not in probe.fault
    clock.advance(timedelta(seconds=30))
    probe.check()
    assert probe.fault == ""


def test_what_somebody_else_met_is_a_fault_until_the_next_trial(db: Database) -> None:
    """A job's StoreError shows at once."""
    clock = ManualClock(NOON)
    probe = StoreProbe(db, clock, every_seconds=30)
    probe.note(StoreError("the disk failed"))
    assert probe.fault == "the disk failed"
    probe.check()
    assert probe.fault == ""
