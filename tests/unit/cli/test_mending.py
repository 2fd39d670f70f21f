"""unblock, reset-failures and backup: what they say is what they did, also beside a daemon."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from daemon.governance.recovery import halt
from daemon.store.database import open_database, open_read_only
from daemon.store.items import list_item_states
from daemon.store.owner_lock import OwnerLock
from tests.unit.cli.small import as_json, sprintd

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.fixture
def _beside_a_daemon(worked: Path) -> Iterator[None]:
    lock = OwnerLock(worked / "state")
    lock.acquire(NOON)
    yield
    lock.release()


@pytest.mark.usefixtures("_beside_a_daemon")
def test_unblock_puts_one_item_back(worked: Path) -> None:
    """Eligible again, its rejections forgotten; the breaker's count stays."""
    done = sprintd(worked, "unblock", "B02")
    assert done.returncode == 0
    assert done.stdout == "B02 is put back; it was rejected 3 times.\n"
    item = as_json(worked, "show", "B02")
    assert (item["standing"], item["rejections"]) == ("eligible", 0)
    assert as_json(worked, "status")["consecutive_failures"] == 2


def test_unblocking_what_is_not_blocked_changes_nothing(worked: Path) -> None:
    """It says where the item stands; done stays done."""
    assert "was not blocked (done)" in sprintd(worked, "unblock", "B01").stdout
    assert as_json(worked, "unblock", "B04")["unblocked"] == []
    assert as_json(worked, "show", "B01")["standing"] == "done"


def test_unblocking_an_unknown_item_is_an_error(worked: Path) -> None:
    """With the item that was meant."""
    done = sprintd(worked, "unblock", "B2")
    assert done.returncode == 1
    assert "did you mean" in done.stderr


@pytest.mark.usefixtures("_beside_a_daemon")
def test_a_reset_ends_the_halt_and_puts_everything_back(worked: Path) -> None:
    """State idle, no failures, every blocked item back; all of it said."""
    db = open_database(worked / "state" / "sprintd.db")
    halt(db, "three failed sprints", NOON)
    db.close()
    done = sprintd(worked, "reset-failures")
    assert done.returncode == 0
    assert "The halt is ended." in done.stdout
    assert "2 before, 0 now" in done.stdout
    assert "B02" in done.stdout
    found = as_json(worked, "status")
    assert (found["state"]["name"], found["consecutive_failures"]) == ("idle", 0)
    assert found["backlog"]["blocked"] == 0


def test_a_second_reset_says_that_nothing_was_to_do(worked: Path) -> None:
    """Doing it twice is harmless."""
    sprintd(worked, "reset-failures")
    found = as_json(worked, "reset-failures")
    assert found == {"failures": 0, "was_halted": False, "unblocked": []}


def test_a_reset_of_one_item_leaves_the_halt(worked: Path) -> None:
    """Only that item comes back."""
    db = open_database(worked / "state" / "sprintd.db")
    halt(db, "the key is wrong", NOON)
    db.close()
    assert as_json(worked, "reset-failures", "--item", "B02")["unblocked"] == ["B02"]
    assert as_json(worked, "status")["state"]["name"] == "halted"


def test_mending_needs_a_database(small: Path) -> None:
    """Nothing ran yet: exit 3, and no database is made."""
    for words in (["reset-failures"], ["backup", str(small / "copy.db")]):
        done = sprintd(small, *words)
        assert done.returncode == 3
        assert "nothing ran in this workspace yet" in done.stderr
    assert not (small / "state").exists()


@pytest.mark.usefixtures("_beside_a_daemon")
def test_a_backup_is_whole_also_while_the_daemon_runs(worked: Path, tmp_path: Path) -> None:
    """The copy opens, is sound and has the same states."""
    target = tmp_path / "copy.db"
    done = sprintd(worked, "backup", str(target))
    assert done.returncode == 0
    assert "checked" in done.stdout
    copy, original = open_read_only(target), open_read_only(worked / "state" / "sprintd.db")
    assert copy.integrity_faults() == []
    assert list_item_states(copy) == list_item_states(original) != {}
    copy.close()
    original.close()


def test_a_backup_replaces_only_when_told(worked: Path, tmp_path: Path) -> None:
    """An older copy stays as it was without --overwrite."""
    target = tmp_path / "copy.db"
    target.write_text("precious")
    done = sprintd(worked, "backup", str(target))
    assert done.returncode == 3
    assert target.read_text() == "precious"
    assert as_json(worked, "backup", str(target), "--overwrite")["bytes"] > 10_000


def test_a_backup_into_a_missing_folder_is_one_clear_line(worked: Path, tmp_path: Path) -> None:
    """The path and the reason."""
    done = sprintd(worked, "backup", str(tmp_path / "nowhere" / "copy.db"))
    assert done.returncode == 3
    assert "nowhere/copy.db: cannot be written" in done.stderr
