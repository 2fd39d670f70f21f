"""Whether the database can be written is found out by writing."""

from __future__ import annotations

import resource
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from daemon.clock import ManualClock
from daemon.errors import StoreError
from daemon.store import control
from daemon.store.database import Database, open_database
from daemon.store.owner_lock import OwnerLock
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


def test_a_deleted_database_is_a_fault_at_the_next_look(db: Database) -> None:
    """Without waiting for the interval, for the look costs no write."""
    probe = StoreProbe(db, ManualClock(NOON), every_seconds=30)
    probe.check()
    db.path.unlink()
    probe.check()
    assert "was deleted or replaced" in probe.fault


def test_a_workspace_that_was_lost_is_a_fault_at_the_next_look(db: Database) -> None:
    """The owner's word comes before the file's: it says what happened."""
    lock = OwnerLock(db.path.parent)
    lock.acquire(NOON)
    db.let_only(lock.check)
    probe = StoreProbe(db, ManualClock(NOON), every_seconds=30)
    probe.check()
    assert probe.fault == ""
    db.path.parent.rename(db.path.parent.with_name("moved"))
    probe.check()
    assert "state folder was deleted or replaced" in probe.fault
    lock.release()


def test_threads_check_one_at_a_time(db: Database) -> None:
    """While one waits for a lock the other goes on; the one that waited tells what came of it."""
    probe = StoreProbe(db, ManualClock(NOON), every_seconds=30)
    entered, leave = threading.Event(), threading.Event()

    def wait() -> None:
        entered.set()
        assert leave.wait(30)
        raise StoreError("the disk failed")

    db.let_only(wait)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(probe.check)
        assert entered.wait(30)
        probe.check()
        assert probe.fault == ""
        leave.set()
        first.result(30)
    assert probe.fault == "the disk failed"
