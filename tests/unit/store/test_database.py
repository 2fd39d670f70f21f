"""What a new database is like, how it is written, and who may open it."""

from __future__ import annotations

import contextlib
import logging
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from daemon.errors import StoreError
from daemon.store.connection import Connection
from daemon.store.database import Database, open_database, open_read_only
from tests.unit.store.control_rows import OPEN, PUT, names, put, put_all
from tests.unit.store.other_programs import running_script


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


# -- what a new database is like


def test_folder_and_files_are_for_their_owner_only(db: Database) -> None:
    """state/ is 0700 and every file of the database is 0600, also under a lax umask."""
    put(db, "one")
    assert _mode(db.path.parent) == 0o700
    files = list(db.path.parent.iterdir())
    assert {file.name for file in files} >= {"sprintd.db", "sprintd.db-wal"}
    assert {_mode(file) for file in files} == {0o600}


def test_every_connection_survives_a_power_cut_and_checks_references(db: Database) -> None:
    """WAL, synchronous FULL (2), foreign keys on: in this thread's connection and in a new one."""

    def settings() -> tuple[object, ...]:
        pragmas = ("journal_mode", "synchronous", "foreign_keys", "query_only")
        return tuple(db.rows(f"PRAGMA {name}")[0][name] for name in pragmas)

    with ThreadPoolExecutor(1) as pool:
        assert settings() == pool.submit(settings).result() == ("wal", 2, 1, 1)


def test_size_counts_the_write_ahead_log(db: Database) -> None:
    """A megabyte that is only in the log yet is on the disk all the same."""
    put(db, "big", "x" * 1_000_000)
    assert db.size_bytes() > db.path.stat().st_size
    assert db.size_bytes() > 1_000_000


# -- transactions


def test_an_exception_undoes_the_whole_transaction(db: Database) -> None:
    """The first of two writes is gone when the second part of the work fails."""
    with pytest.raises(RuntimeError, match="half way"):
        put_all(db, ("half", "1"), then=RuntimeError("half way"))
    assert names(db) == []


def test_a_nested_transaction_joins_the_outer_one(db: Database) -> None:
    """What the inner one wrote is undone when the outer one fails after it."""

    def write_and_fail() -> None:
        with db.immediate():
            put(db, "inner")
            assert names(db) == ["inner"]
            raise RuntimeError("after the inner one")

    with pytest.raises(RuntimeError, match="after the inner one"):
        write_and_fail()
    assert names(db) == []


def test_a_failed_inner_part_is_undone_alone_when_the_outer_goes_on(db: Database) -> None:
    """Nobody can commit half of a part whose failure was caught."""
    with db.immediate() as tx:
        tx.execute(PUT, ("outer", "1"))
        with pytest.raises(StoreError):
            put_all(db, ("inner", "1"), ("outer", "again"))
    assert names(db) == ["outer"]


def test_other_threads_do_not_see_a_transaction_before_its_end(db: Database) -> None:
    """A reader is neither blocked nor shown what is not committed."""
    with ThreadPoolExecutor(1) as pool, db.immediate() as tx:
        tx.execute(PUT, ("secret", "1"))
        assert pool.submit(names, db).result() == []
        assert names(db) == ["secret"]


def test_execute_gives_the_number_of_changed_rows(db: Database) -> None:
    """0 where a condition met no row: that is how a cap refuses."""
    with db.immediate() as tx:
        assert tx.execute(PUT, ("a", "1")) == 1
        assert tx.execute("UPDATE control SET value = '2'") == 1
        assert tx.execute("UPDATE control SET value = '3' WHERE name = 'b'") == 0


def test_a_write_outside_of_a_transaction_is_refused(db: Database) -> None:
    """`rows` cannot write by itself, not even with RETURNING, and says what it was asked."""
    with pytest.raises(StoreError, match=r"outside of immediate\(\): INSERT INTO control"):
        db.rows(f"{PUT} RETURNING name", ("a", "1"))
    assert names(db) == []


def test_a_transaction_is_of_no_use_after_its_end(db: Database) -> None:
    """A kept handle cannot write into the next transaction."""
    with db.immediate() as tx:
        tx.execute(PUT, ("a", "1"))
    with db.immediate(), pytest.raises(StoreError, match="after its end"):
        tx.execute(PUT, ("b", "1"))
    assert names(db) == ["a"]


def test_a_transaction_is_of_no_use_in_another_thread(db: Database) -> None:
    """A handle that was passed on cannot mix two threads' work."""
    with ThreadPoolExecutor(1) as pool, db.immediate() as tx:
        future = pool.submit(tx.execute, PUT, ("a", "1"))
        with pytest.raises(StoreError, match="another thread"):
            future.result()
    assert names(db) == []


def test_nothing_is_written_after_sqlite_itself_undid_the_transaction(db: Database) -> None:
    """Swallowing an error that undid everything does not let the second half in alone."""

    def swallow_and_go_on() -> None:
        with db.immediate() as tx:
            tx.execute(PUT, ("first", "1"))
            with contextlib.suppress(StoreError):
                tx.execute(PUT.replace("INSERT", "INSERT OR ROLLBACK"), ("first", "2"))
            tx.execute(PUT, ("second", "1"))

    with pytest.raises(StoreError, match="undone"):
        swallow_and_go_on()
    assert names(db) == []
    put(db, "later")
    assert names(db) == ["later"]


def test_a_refused_row_names_the_file_and_the_rule(db: Database) -> None:
    """A broken constraint is one line with SQLite's own words in it."""
    with pytest.raises(StoreError) as caught, db.immediate() as tx:
        tx.execute("INSERT INTO finding (path) VALUES ('p')")
    assert str(caught.value).startswith(f"{db.path}: a row was refused (SQLITE_CONSTRAINT")
    assert "\n" not in str(caught.value)


def test_a_value_that_no_column_holds_is_a_store_error(db: Database) -> None:
    """A number beyond 64 bits is refused as such, not as a crash of the caller."""
    with pytest.raises(StoreError, match="cannot be stored"), db.immediate() as tx:
        tx.execute("INSERT INTO event (at, kind, sprint_id) VALUES ('', '', ?)", (2**70,))


# -- looking on


def test_a_read_only_database_never_writes(db: Database) -> None:
    """A second program looks on while the daemon has it open, and cannot change anything."""
    put(db, "one")
    with closing(open_read_only(db.path)) as watcher:
        assert names(watcher) == ["one"]
        with pytest.raises(StoreError, match="read-only"):
            put(watcher, "two")
    assert names(db) == ["one"]


def test_looking_on_makes_no_database(path: Path) -> None:
    """Where there is none, the error says so and nothing is created."""
    with pytest.raises(StoreError, match="there is no database"):
        open_read_only(path)
    assert not path.parent.exists()


def test_looking_on_works_after_a_crash(path: Path) -> None:
    """What a killed writer had committed is read from its log."""
    script = f"""{OPEN}
db = open_database(path)
with db.immediate() as tx:
    tx.execute(PUT, ("committed", "1"))
print("done", flush=True)
sys.stdin.read()
"""
    with running_script(script, path):
        pass
    with closing(open_read_only(path)) as watcher:
        assert names(watcher) == ["committed"]


# -- the version of SQLite


@pytest.mark.parametrize("version", ["3.7.0", "3.40.1", "3.51.2"])
def test_a_sqlite_that_can_corrupt_the_log_is_refused(path: Path, version: str) -> None:
    """Versions before 3.51.3: the version and the cure are named, and no file is made."""
    with pytest.raises(StoreError, match=rf"SQLite {version} .*install the package pysqlite3"):
        open_database(path, sqlite_version=version)
    assert not path.exists()


def test_a_sqlite_that_can_corrupt_the_log_may_be_allowed(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """On an explicit word it is used, with a warning."""
    with caplog.at_level(logging.WARNING):
        open_database(path, sqlite_version="3.51.2", allow_unsafe_sqlite=True).close()
    assert "SQLite 3.51.2 can corrupt" in caplog.text


@pytest.mark.parametrize("version", ["3.51.3", "3.53.4", "3.100.0", "4.0.0"])
def test_a_sound_sqlite_is_accepted(path: Path, version: str) -> None:
    """Versions compare as numbers, not as text."""
    open_database(path, sqlite_version=version).close()
    assert path.exists()


def test_no_resource_warning_comes_from_a_forgotten_database(path: Path) -> None:
    """An object that nobody closed leaves no warning and no open file at exit."""
    script = f"{OPEN}\nopen_database(path).rows('SELECT 1')\n"
    command = [sys.executable, "-X", "dev", "-W", "error::ResourceWarning", "-c", script, path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_connection_reports_itself_unusable_after_close(path: Path, db: Database) -> None:
    """Using it then is a clear error."""
    connection = Connection(path, "ro", 1.0)
    assert connection.usable
    connection.close()
    assert not connection.usable
    with pytest.raises(StoreError, match="was closed"):
        connection.fetch("SELECT 1")
