"""unblock, reset-failures and backup: what they say is what they did, also beside a daemon."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from daemon.governance.recovery import halt
from daemon.store.database import open_database, open_read_only
from daemon.store.events import list_newest
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
    assert done.returncode == 1
    assert "copy.db exists; name another file, or replace it with --overwrite" in done.stderr
    assert target.read_text() == "precious"
    assert as_json(worked, "backup", str(target), "--overwrite")["bytes"] > 10_000


def test_a_backup_into_a_missing_folder_is_one_clear_line(worked: Path, tmp_path: Path) -> None:
    """The path and the reason."""
    done = sprintd(worked, "backup", str(tmp_path / "nowhere" / "copy.db"))
    assert done.returncode == 1
    assert "nowhere/copy.db cannot be written: there is no folder" in done.stderr


def test_a_backup_onto_a_folder_names_it_as_a_folder(worked: Path, tmp_path: Path) -> None:
    """Also with --overwrite, which replaces no folder."""
    for more in ([], ["--overwrite"]):
        done = sprintd(worked, "backup", str(tmp_path), *more)
        assert done.returncode == 1
        assert f"{tmp_path} is a folder; name a file in it" in done.stderr


def test_a_backup_replaces_nothing_that_is_no_ordinary_file(worked: Path, tmp_path: Path) -> None:
    """A pipe stays a pipe, also with --overwrite; so would a device."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for more in ([], ["--overwrite"]):
        done = sprintd(worked, "backup", str(pipe), *more)
        assert done.returncode == 1
        assert f"{pipe} is not an ordinary file" in done.stderr
        assert pipe.is_fifo()


@pytest.mark.usefixtures("_beside_a_daemon")
def test_reopen_puts_a_done_item_back_and_keeps_its_finding(worked: Path) -> None:
    """Eligible again, the file and the row of the finding still there, the event recorded."""
    finding = as_json(worked, "show", "B01")["finding"]
    done = sprintd(worked, "reopen", "B01")
    assert (done.returncode, done.stdout) == (0, "1 item is put back, the findings stay: B01.\n")
    item = as_json(worked, "show", "B01")
    assert (item["standing"], item["rejections"], item["finding"]) == ("eligible", 0, finding)
    assert (worked / finding).is_file()
    db = open_read_only(worked / "state" / "sprintd.db")
    newest = list_newest(db, 1)[0]
    db.close()
    assert (newest.kind, newest.facts) == ("reopened", {"items": ["B01"]})


def test_a_reopened_item_is_worked_on_again(worked: Path) -> None:
    """The next sprint takes it up and leaves a second finding beside the first."""
    first = as_json(worked, "show", "B01")["finding"]
    assert as_json(worked, "reopen", "--offline") == {"reopened": ["B01"]}
    assert [one["item"] for one in as_json(worked, "sprint", code=0)["assignments"]] == ["B01"]
    second = as_json(worked, "show", "B01")["finding"]
    assert second != first
    assert (worked / first).is_file()
    assert (worked / second).is_file()


def test_reopen_offline_leaves_what_a_model_wrote(worked: Path) -> None:
    """Only what the offline writer quoted is done again; a second time there is nothing."""
    db = open_database(worked / "state" / "sprintd.db")
    with db.immediate() as tx:
        tx.execute("UPDATE attempt SET model = 'claude-sonnet-5-5' WHERE item = 'B01'")
    db.close()
    assert as_json(worked, "reopen", "--offline") == {"reopened": []}
    assert "nothing was changed" in sprintd(worked, "reopen", "--offline").stdout
    assert as_json(worked, "show", "B01")["standing"] == "done"


def test_what_is_not_done_is_not_reopened(worked: Path) -> None:
    """It says where the item stands, and the command that a blocked one needs."""
    done = sprintd(worked, "reopen", "B02", "B04")
    assert "B02 was not done (blocked); nothing was changed." in done.stdout
    assert "sprintd unblock B02" in done.stdout
    assert "B04 was not done (waiting)" in done.stdout
    assert "sprintd reopen B01" in sprintd(worked, "unblock", "B01").stdout


def test_reopen_wants_items_or_offline(worked: Path) -> None:
    """Neither, both, and an unknown item change nothing."""
    assert sprintd(worked, "reopen").returncode == 2
    assert sprintd(worked, "reopen", "B01", "--offline").returncode == 2
    assert sprintd(worked, "reopen", "B01", "B99").returncode == 1
    assert as_json(worked, "show", "B01")["standing"] == "done"
