"""Whatever is wrong with the file ends in one clear line, and nothing is lost or made up."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from daemon.errors import StoreError
from daemon.store import control
from daemon.store.database import Database, open_database
from tests.unit.store.control_rows import OPEN, PUT, names, put, put_all
from tests.unit.store.other_programs import mounting, run_script, running_script

# -- what can be wrong with the file


def _hold(begin: str) -> str:
    return f"""{OPEN}
from daemon.store.driver import sqlite3
raw = sqlite3.connect(path, isolation_level=None)
raw.execute("{begin}")
print("held", flush=True)
sys.stdin.read()
"""


def test_a_lock_of_another_program_ends_in_a_clear_error(db: Database) -> None:
    """A writer waits for the busy timeout only, then names the file and the cure."""
    with running_script(_hold("BEGIN IMMEDIATE"), db.path):
        with pytest.raises(StoreError) as caught:
            open_database(db.path, busy_timeout_seconds=0.1)
        assert names(db) == []
    assert str(caught.value) == (
        f"{db.path}: locked by another program (SQLITE_BUSY: database is locked); "
        "close what has it open, such as a sqlite3 shell"
    )
    put(db, "afterwards")
    assert names(db) == ["afterwards"]


def test_the_first_start_waits_for_another_first_start(path: Path) -> None:
    """Another program is writing the file before it has a log: SQLite would give up at once."""
    path.parent.mkdir()
    path.touch()
    with (
        running_script(_hold("BEGIN IMMEDIATE"), path) as other,
        ThreadPoolExecutor(1) as pool,
    ):
        with pytest.raises(StoreError, match="locked by another program"):
            open_database(path, busy_timeout_seconds=0.1)
        waiting = pool.submit(open_database, path)
        other.communicate()
        with closing(waiting.result()) as db:
            put(db, "one")


def test_two_programs_that_start_together_on_nothing_both_open(path: Path) -> None:
    """Four first starts at the same moment make one sound database."""
    script = f"""{OPEN}
print("ready", flush=True)
db = open_database(path)
with db.immediate() as tx:
    tx.execute(PUT, (str(os.getpid()), "1"))
db.close()
"""
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: run_script(script, path), range(4)))
    with closing(open_database(path)) as db:
        assert len(names(db)) == 4
        assert db.integrity_faults() == []


def test_a_full_database_undoes_the_transaction_and_says_so(db: Database) -> None:
    """SQLITE_FULL leaves nothing half written; with room again the same write works."""
    pages = db.rows("PRAGMA page_count")[0]["page_count"]
    db.rows(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(StoreError, match="the disk is full") as caught:
        put_all(db, ("small", "1"), ("big", "x" * 100_000))
    assert "free some space" in str(caught.value)
    assert names(db) == []
    db.rows("PRAGMA max_page_count = 100000")
    put(db, "big", "x" * 100_000)
    assert names(db) == ["big"]


def test_a_disk_without_room_is_reported_as_full(tmp_path: Path) -> None:
    """A real file system of 1 MiB: the write is refused, what was there stays readable."""
    script = f"""{OPEN}
import subprocess
from daemon.errors import StoreError
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", path], check=True)
db = open_database(path / "state" / "sprintd.db")
with db.immediate() as tx:
    tx.execute(PUT, ("kept", "1"))
try:
    with db.immediate() as tx:
        tx.execute(PUT, ("big", "x" * 2_000_000))
except StoreError as error:
    print(error)
print([row["name"] for row in db.rows("SELECT name FROM control")], db.integrity_faults())
db.close()
"""
    lines = run_script(script, tmp_path, before=mounting()).splitlines()
    assert "the disk is full (SQLITE_FULL" in lines[0]
    assert lines[1] == "['kept'] []"


def test_a_failing_disk_is_reported_as_such(path: Path) -> None:
    """A write that the system refuses (file size limit) is an I/O error in one line."""
    script = f"""{OPEN}
import resource, signal
from daemon.errors import StoreError
db = open_database(path)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, 500_000))
try:
    with db.immediate() as tx:
        tx.execute(PUT, ("big", "x" * 1_000_000))
except StoreError as error:
    print(error)
print(db.rows("SELECT name FROM control"))
db.close()
"""
    lines = run_script(script, path).splitlines()
    assert "the disk failed (SQLITE_IOERR" in lines[0]
    assert lines[1] == "[]"


def test_a_read_only_disk_is_found_at_the_start(db: Database) -> None:
    """Opening for writing fails at once; looking on still works."""
    put(db, "kept")
    script = f"""{OPEN}
import subprocess
from daemon.errors import StoreError
from daemon.store.database import open_read_only
subprocess.run(["mount", "--bind", path.parent, path.parent], check=True)
subprocess.run(["mount", "-o", "remount,bind,ro", path.parent], check=True)
try:
    open_database(path)
except StoreError as error:
    print(error)
db = open_read_only(path)
print([row["name"] for row in db.rows("SELECT name FROM control")])
db.close()
"""
    lines = run_script(script, db.path, before=mounting()).splitlines()
    assert f"{db.path}: read-only (SQLITE_READONLY" in lines[0]
    assert lines[1] == "['kept']"


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    """A file where the folder should be, and a place where nobody may write."""
    (tmp_path / "state").write_text("in the way")
    for folder in (tmp_path / "state", Path("/proc/sprintd-state")):
        with pytest.raises(StoreError, match=str(folder)):
            open_database(folder / "sprintd.db")


def test_a_folder_in_place_of_the_file_is_named(path: Path) -> None:
    """state/sprintd.db is a folder: said, not overwritten."""
    path.mkdir(parents=True)
    with pytest.raises(StoreError, match="is in the way"):
        open_database(path)


def test_a_file_that_is_not_a_database_is_left_alone(path: Path) -> None:
    """A text file, or a database with a damaged first page: an error with the cure, no change."""
    path.parent.mkdir()
    path.write_bytes(b"this is a diary, not a database; " * 200)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"not a SQLite database .* newest backup"):
        open_database(path)
    assert path.read_bytes() == before


def test_a_database_of_another_program_is_left_alone(path: Path) -> None:
    """Tables that sprintd did not make: no migration is run over them."""
    path.parent.mkdir()
    script = f"""{OPEN}
from daemon.store.driver import sqlite3
raw = sqlite3.connect(path)
raw.execute("CREATE TABLE recipes (name TEXT)")
raw.close()
"""
    run_script(script, path)
    with pytest.raises(StoreError, match="database of another program"):
        open_database(path)


@pytest.mark.parametrize("offset", [0, 1500])
def test_damage_in_the_middle_is_found_and_named(path: Path, offset: int) -> None:
    """Overwritten pages or texts: found by integrity_faults, reading them raises with the cure.

    The message does not quote the damaged text.
    """
    with closing(open_database(path)) as db, db.immediate() as tx:
        for number in range(200):
            tx.execute(PUT, (f"n{number:03}", "x" * 2000))
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size // 8192 * 4096 + offset)
        file.write(b"\xa5" * 4096 * 9)
    with closing(open_database(path)) as db:
        assert db.integrity_faults()
        with pytest.raises(StoreError, match=r"damaged .* newest backup") as caught:
            db.rows("SELECT * FROM control")
    assert len(str(caught.value)) < 400


def test_a_database_that_vanished_is_not_made_anew(db: Database) -> None:
    """A new thread must not find an empty database with an unspent budget."""
    for file in db.path.parent.iterdir():
        file.unlink()
    with ThreadPoolExecutor(1) as pool, pytest.raises(StoreError, match="was deleted"):
        pool.submit(names, db).result()
    assert not db.path.exists()


def test_a_database_that_was_replaced_while_in_use_is_refused(db: Database, path: Path) -> None:
    """A backup put over a running daemon's file is noticed by the next thread."""
    db.backup(path.with_name("copy.db"))
    path.with_name("copy.db").replace(path)
    with ThreadPoolExecutor(1) as pool, pytest.raises(StoreError, match="replaced while in use"):
        pool.submit(names, db).result()


@pytest.mark.parametrize("replaced", [False, True])
def test_a_write_into_a_file_that_is_no_longer_there_is_refused(
    db: Database, path: Path, now: datetime, *, replaced: bool
) -> None:
    """Also by the thread that has it open, where SQLite would write into the deleted file."""
    control.put(db, "before", 1, now)
    db.backup(path.with_name("copy.db"))
    path.unlink()
    if replaced:
        path.with_name("copy.db").rename(path)
    with pytest.raises(StoreError, match=r"deleted or replaced .* newest backup"):
        control.put(db, "after", 1, now)
    assert control.get(db, "after") is None
