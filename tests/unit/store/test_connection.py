"""Threads, forks and other programs beside each other lose no row."""

from __future__ import annotations

import contextlib
import logging
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from daemon.errors import StoreError
from daemon.store.database import Database, open_database
from tests.unit.store.control_rows import OPEN, PUT, names, put
from tests.unit.store.other_programs import run_script, running_script


def _open_files(path: Path) -> int:
    links = [
        str(entry.readlink()) for entry in Path("/proc/self/fd").iterdir() if entry.is_symlink()
    ]
    return links.count(str(path))


# -- threads and programs beside each other


def test_reading_then_writing_beside_another_writer_never_fails(db: Database) -> None:
    """While one reads and then writes, another's insert waits; both cost rows are kept."""
    reading, finished = threading.Event(), []

    def other_writer() -> None:
        reading.wait(10)
        put(db, "other")
        finished.append("other")

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(other_writer)
        with db.immediate() as tx:
            assert tx.rows("SELECT * FROM control") == []
            reading.set()
            assert not threading.Event().wait(0.05)
            assert finished == []
            tx.execute(PUT, ("cost", "1"))
        future.result()
    assert names(db) == ["cost", "other"]


def test_eight_threads_of_read_then_write_lose_no_row(db: Database) -> None:
    """8 threads x 25 times MAX + 1 under a unique key give 1..200 exactly."""
    sql = "SELECT COALESCE(MAX(CAST(value AS INTEGER)), 0) + 1 AS n FROM control"

    def add(_: int) -> None:
        with db.immediate() as tx:
            number = tx.rows(sql)[0]["n"]
            tx.execute(PUT, (f"n{number}", str(number)))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(200)))
    assert sorted(int(name[1:]) for name in names(db)) == list(range(1, 201))


def test_four_processes_of_read_then_write_lose_no_row(db: Database) -> None:
    """4 processes x 40 increments of one value end at 160."""
    put(db, "sum", "0")
    script = f"""{OPEN}
db = open_database(path)
for _ in range(40):
    with db.immediate() as tx:
        value = int(tx.rows("SELECT value FROM control WHERE name = 'sum'")[0]["value"])
        tx.execute("UPDATE control SET value = ? WHERE name = 'sum'", (str(value + 1),))
db.close()
"""
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: run_script(script, db.path), range(4)))
    assert db.rows("SELECT value FROM control") == [{"value": "160"}]


def test_half_a_surrogate_pair_is_repaired_and_the_row_is_kept(db: Database) -> None:
    """ "hello \\ud83d" is stored as hello and U+FFFD; a NUL likewise; whole pairs are joined."""
    texts = {"cut": "hello \ud83d", "nul": "a\0b", "pair": "\ud83d\ude00", "plain": "ñandú 😀"}
    with db.immediate() as tx:
        for name, text in texts.items():
            tx.execute(PUT, (name, text))
    kept = {row["name"]: row["value"] for row in db.rows("SELECT name, value FROM control")}
    assert kept == {"cut": "hello \ufffd", "nul": "a\ufffdb", "pair": "😀", "plain": "ñandú 😀"}


def test_a_damaged_key_is_found_under_the_same_damaged_key(db: Database) -> None:
    """Looking for a text repairs it as writing it did."""
    put(db, "key \udc80")
    assert db.row("SELECT value FROM control WHERE name = ?", ("key \udc80",)) == {"value": "1"}


def test_another_threads_rollback_does_not_take_this_threads_row(path: Path) -> None:
    """A thread that fails and rolls back meanwhile leaves the waiting cost row alone."""

    def fail() -> None:
        with pytest.raises(StoreError, match="locked"), db.immediate():
            pass
        with pytest.raises(StoreError):
            db.rows("SELECT * FROM no_such_table")

    with closing(open_database(path, busy_timeout_seconds=0.1)) as db:
        with ThreadPoolExecutor(1) as pool, db.immediate() as tx:
            tx.execute(PUT, ("cost", "1"))
            pool.submit(fail).result()
        assert names(db) == ["cost"]


def test_writing_stays_forbidden_after_a_transaction_that_could_not_begin(path: Path) -> None:
    """A thread that waited in vain for the lock cannot write by another road afterwards."""

    def fail_to_begin_then_write() -> None:
        with contextlib.suppress(StoreError), db.immediate():
            pytest.fail("the lock is held by the other thread")
        db.rows(f"{PUT} RETURNING name", ("stray", "1"))

    with closing(open_database(path, busy_timeout_seconds=0.1)) as db:
        with ThreadPoolExecutor(1) as pool, db.immediate():
            future = pool.submit(fail_to_begin_then_write)
            with pytest.raises(StoreError, match="outside of immediate"):
                future.result()
        assert names(db) == []


# -- one connection per thread and process


def test_each_thread_has_a_connection_of_its_own(db: Database) -> None:
    """The same in one thread at every call, another one in another thread."""
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(db.connection).result()
        assert other is pool.submit(db.connection).result()
        assert other is not db.connection()
        assert db.connection() is db.connection()


def test_connections_of_ended_threads_are_closed(db: Database) -> None:
    """Twenty threads come and go: at most one more file is open than before.

    SQLite keeps one for the next connection, because closing it would drop this thread's locks.
    """
    put(db, "one")
    before = _open_files(db.path)
    for _ in range(20):
        thread = threading.Thread(target=names, args=(db,))
        thread.start()
        thread.join()
    assert _open_files(db.path) <= before + 1


def test_close_also_closes_the_connections_of_living_threads(path: Path) -> None:
    """No file stays open after close, and every later use is refused clearly."""
    db = open_database(path)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(names, db).result()
        db.close()
        assert _open_files(path) == 0
        with pytest.raises(StoreError, match="was closed"):
            pool.submit(names, db).result()
    db.close()


def test_close_does_not_tear_a_transaction_of_another_thread(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A thread in the middle of a transaction finishes it; the warning says so."""
    db = open_database(path, busy_timeout_seconds=0.05)
    inside, go_on = threading.Event(), threading.Event()

    def slow() -> None:
        with db.immediate() as tx:
            inside.set()
            go_on.wait(10)
            tx.execute(PUT, ("slow", "1"))

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(slow)
        inside.wait(10)
        with caplog.at_level(logging.WARNING):
            db.close()
        go_on.set()
        future.result()
    assert "still using the database" in caplog.text
    with closing(open_database(path)) as again:
        assert names(again) == ["slow"]


def test_a_store_opened_before_a_fork_is_sound_after_1000_writes(path: Path) -> None:
    """Two forked workers write 500 rows each through the inherited object; integrity is ok."""
    script = f"""{OPEN}
db = open_database(path)
with db.immediate() as tx:
    tx.execute(PUT, ("parent", "1"))
inherited, children = db.connection(), []
for worker in range(2):
    pid = os.fork()
    if not pid:
        assert not inherited.usable and db.connection() is not inherited
        for number in range(100):
            with db.immediate() as tx:
                for part in range(5):
                    tx.execute(PUT, (f"{{worker}}-{{number}}-{{part}}", "1"))
        sys.exit(0)
    children.append(pid)
print([os.waitpid(pid, 0)[1] for pid in children])
print(len(db.rows("SELECT * FROM control")), db.integrity_faults(), inherited.usable)
db.close()
"""
    assert run_script(script, path).splitlines() == ["[0, 0]", "1001 [] True"]


def test_a_child_that_ends_does_not_undo_its_parents_transaction(path: Path) -> None:
    """A fork in the middle of a transaction larger than the cache, part of it in the log already.

    The child cannot write through the inherited handle and exits normally. Closing the inherited
    connection there would forget, in memory that both share, what the parent had written.
    """
    script = f"""{OPEN}
def main():
    db = open_database(path)
    with db.immediate() as tx:
        for number in range(1200):
            tx.execute(PUT, (f"{{number * 797 % 1200:04}}", "x" * 3000))
        pid = os.fork()
        if not pid:
            try:
                tx.execute(PUT, ("child", "1"))
            except Exception as error:
                sys.exit(7 if "fork" in str(error) else 1)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        for name in [f"{{number:04}}" for number in range(1200)]:
            tx.execute("UPDATE control SET value = value || 'y' WHERE name = ?", (name,))
    print(db.rows("SELECT COUNT(*) AS n, SUM(LENGTH(value)) AS size FROM control"))
    print(db.integrity_faults())
    db.close()
main()
"""
    lines = run_script(script, path).splitlines()
    assert lines == ["7", "[{'n': 1200, 'size': 3601200}]", "[]"]


def test_kill_9_in_the_middle_leaves_whole_transactions_only(path: Path) -> None:
    """Pairs written by a killed process are there in pairs, and the next one can write."""
    script = f"""{OPEN}
db = open_database(path)
for number in range(100_000):
    with db.immediate() as tx:
        tx.execute(PUT, (f"{{number}}-a", "1"))
        tx.execute(PUT, (f"{{number}}-b", "1"))
    print(number, flush=True)
"""
    with running_script(script, path) as writer:
        for _ in range(20):
            assert writer.stdout
            writer.stdout.readline()
        writer.send_signal(signal.SIGKILL)
        writer.wait(10)
    with closing(open_database(path)) as db:
        found = names(db)
        assert len(found) >= 40
        assert len(found) % 2 == 0
        assert db.integrity_faults() == []
        put(db, "next")
