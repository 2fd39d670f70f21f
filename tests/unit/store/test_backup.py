"""Copies are whole, checked, and never in the way of what was there."""

from __future__ import annotations

import os
import shutil
import stat
import threading
from contextlib import closing
from pathlib import Path

import pytest

from daemon.errors import StoreError
from daemon.store.connection import Connection
from daemon.store.database import Database, open_database, open_read_only
from tests.unit.store.control_rows import OPEN, PUT, names, put, put_all
from tests.unit.store.other_programs import mounting, run_script


@pytest.fixture
def target(tmp_path: Path) -> Path:
    folder = tmp_path / "copies"
    folder.mkdir()
    return folder / "copy.db"


def _count(path: Path) -> int:
    with closing(open_read_only(path)) as copy:
        assert copy.integrity_faults() == []
        return len(names(copy))


def test_a_backup_holds_all_50_committed_rows(db: Database, target: Path) -> None:
    """50 rows that are only in the log: a copy of the file has none of them, a backup all."""
    for number in range(50):
        put(db, f"n{number}")
    plain = target.with_name("plain.db")
    shutil.copy(db.path, plain)
    with closing(Connection(plain, "rw", 1.0)) as copied:
        assert copied.fetch("SELECT name FROM sqlite_master WHERE name = 'control'") == []
    db.backup(target)
    assert _count(target) == 50


def test_a_backup_is_one_private_file(db: Database, target: Path) -> None:
    """No log beside it, no temporary file left, and only its owner reads it."""
    put(db, "one")
    db.backup(target)
    assert list(target.parent.iterdir()) == [target]
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_a_backup_can_be_opened_and_written_as_a_database(db: Database, target: Path) -> None:
    """Put in the place of the database it is one again."""
    put(db, "one")
    db.backup(target)
    with closing(open_database(target)) as restored:
        put(restored, "two")
        assert names(restored) == ["one", "two"]


def test_backups_are_consistent_while_a_writer_is_writing(db: Database, target: Path) -> None:
    """Rows are written in pairs; five copies made meanwhile hold whole pairs, growing in number."""
    stop = threading.Event()

    def write_pairs() -> None:
        number = 0
        while not stop.is_set():
            put_all(db, (f"{number}-a", "x" * 500), (f"{number}-b", "x" * 500))
            number += 1

    writer = threading.Thread(target=write_pairs)
    writer.start()
    try:
        counts = []
        for _ in range(5):
            db.backup(target, overwrite=True)
            counts.append(_count(target))
    finally:
        stop.set()
        writer.join()
    assert counts == sorted(counts)
    assert [count % 2 for count in counts] == [0] * 5
    assert len(names(db)) >= counts[-1]


def test_a_backup_does_not_hold_what_is_not_committed(db: Database, target: Path) -> None:
    """Taken in the middle of this thread's own transaction it has the state before it."""
    with db.immediate() as tx:
        tx.execute(PUT, ("open", "1"))
        db.backup(target)
    assert _count(target) == 0


def test_an_existing_file_is_not_replaced_unless_told(db: Database, target: Path) -> None:
    """The refusal names the file, which stays as it was; with overwrite it is replaced."""
    target.write_text("last week's")
    with pytest.raises(StoreError, match=f"{target}: exists"):
        db.backup(target)
    assert target.read_text() == "last week's"
    put(db, "one")
    db.backup(target, overwrite=True)
    assert _count(target) == 1


def test_a_pipe_is_not_replaced_by_a_copy(db: Database, target: Path) -> None:
    """Not even where it was told to overwrite: somebody waits at its other end."""
    os.mkfifo(target)
    with pytest.raises(StoreError, match="is not an ordinary file"):
        db.backup(target, overwrite=True)
    assert target.is_fifo()


def test_the_database_is_never_replaced_by_its_own_copy(db: Database) -> None:
    """Not even where it was told to overwrite, and not by another name for it."""
    put(db, "one")
    other_name = db.path.with_name("link.db")
    other_name.symlink_to(db.path)
    for name in (db.path, other_name):
        with pytest.raises(StoreError, match="is the database itself"):
            db.backup(name, overwrite=True)
    assert names(db) == ["one"]


def test_a_copy_that_another_program_has_open_is_not_replaced(db: Database, target: Path) -> None:
    """Its log would be mixed into the new copy."""
    db.backup(target)
    with closing(open_database(target)) as in_use:
        put(in_use, "two")
        with pytest.raises(StoreError, match="copy is in use"):
            db.backup(target, overwrite=True)


def test_a_backup_of_a_damaged_database_is_refused(path: Path, target: Path) -> None:
    """No unsound copy takes the place of a sound one, and no temporary file stays."""
    with closing(open_database(path)) as db:
        for number in range(40):
            put(db, f"n{number}", "x" * 2000)
        db.backup(target)
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size // 4096 * 4096 - 4 * 4096)  # rows, not the schema
        file.write(b"\xa5" * 8192)
    before = target.read_bytes()
    with closing(open_database(path)) as db, pytest.raises(StoreError, match=str(target)) as caught:
        db.backup(target, overwrite=True)
    assert "not sound" in str(caught.value)
    assert target.read_bytes() == before
    assert list(target.parent.iterdir()) == [target]


def test_a_folder_that_does_not_exist_is_named(db: Database, tmp_path: Path) -> None:
    """The error names the target and what is wrong with its folder."""
    with pytest.raises(StoreError, match=r"gone/copy\.db: cannot be written"):
        db.backup(tmp_path / "gone" / "copy.db")


def test_a_full_disk_leaves_the_older_copy(db: Database, tmp_path: Path) -> None:
    """The copy does not fit: the error says so, the older one is whole, nothing is left over."""
    put(db, "big", "x" * 2_000_000)
    script = f"""{OPEN}
import subprocess
from daemon.errors import StoreError
folder = Path(sys.argv[2])
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", folder], check=True)
target = folder / "copy.db"
target.write_text("older")
db = open_database(path)
try:
    db.backup(target, overwrite=True)
except StoreError as error:
    print(error)
print(target.read_text(), os.listdir(folder))
db.close()
"""
    folder = tmp_path / "small disk"
    folder.mkdir()
    lines = run_script(script, db.path, folder, before=mounting()).splitlines()
    assert "the disk is full" in lines[0]
    assert str(folder / "copy.db") in lines[0]
    assert lines[1] == "older ['copy.db']"
