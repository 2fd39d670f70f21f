"""The door to the database: a file, one connection per thread and process, and clear errors."""

from __future__ import annotations

import logging
import os
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from daemon.errors import StoreError
from daemon.store import backup
from daemon.store.connection import Connection, Mode
from daemon.store.driver import sqlite3
from daemon.store.migrations import apply_pending, check_current, load_steps
from daemon.store.stored_text import Params

FIRST_SOUND_SQLITE = "3.51.3"
_log = logging.getLogger(__name__)


class Transaction:
    """What may be done inside `Database.immediate()`; of no use after it or in another thread."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._thread = threading.get_ident()
        self._ended = False

    def execute(self, sql: str, params: Params = ()) -> int:
        """Run one writing statement; the number of rows that it changed."""
        return self._checked().change(sql, params)

    def rows(self, sql: str, params: Params = ()) -> list[dict[str, Any]]:
        """All rows, also of INSERT .. RETURNING."""
        return self._checked().fetch(sql, params)

    def row(self, sql: str, params: Params = ()) -> dict[str, Any] | None:
        """The first row, or None where there is none."""
        return next(iter(self.rows(sql, params)), None)

    def end(self) -> None:
        self._ended = True

    def _checked(self) -> Connection:
        if self._ended or threading.get_ident() != self._thread:
            raise StoreError("a transaction was used after its end, or by another thread")
        return self._connection


class Database:
    """One database file. Threads and forked processes may share the object; each gets its own
    connection at its first use, and a thread's connection is closed when the thread ends."""

    def __init__(self, path: Path, mode: Mode, busy_timeout_seconds: float) -> None:
        self.path = path
        self._mode: Mode = mode
        self._busy_timeout_seconds = busy_timeout_seconds
        self._file = _identity(path)
        self._closed = False
        self._owns: Callable[[], None] = _nobody_asks
        self._forget_connections()
        _opened.add(self)

    def rows(self, sql: str, params: Params = ()) -> list[dict[str, Any]]:
        """All rows of a reading statement. A writing one raises StoreError; see `immediate`."""
        return self.connection().fetch(sql, params)

    def row(self, sql: str, params: Params = ()) -> dict[str, Any] | None:
        """The first row of a reading statement, or None where there is none."""
        return next(iter(self.rows(sql, params)), None)

    @contextmanager
    def immediate(self) -> Iterator[Transaction]:
        """The only way to write: BEGIN IMMEDIATE, commit at the end, rollback on an exception.

        A nested one in the same thread joins the outer: its writes stand when the outer commits.
        An exception that leaves the inner one undoes the inner one's writes. Waits for other
        writers at most the busy timeout, then raises StoreError; and at once where the file is no
        longer in its place, for what is written into a deleted file is lost.
        """
        connection = self.connection()
        if not connection.in_transaction:
            self.check_place()
        with connection.immediate():
            transaction = Transaction(connection)
            try:
                yield transaction
            finally:
                transaction.end()

    def in_transaction(self) -> bool:
        """True where this thread is inside `immediate()`, so that its writes are not kept yet."""
        return self.connection().in_transaction

    def let_only(self, owner: Callable[[], None]) -> None:
        """Write only as long as `owner` raises no StoreError; it is called before every write."""
        self._owns = owner

    def check_place(self) -> None:
        """Raise StoreError where the folder or the file was deleted or replaced; two looks, no read."""
        self._owns()
        try:
            found = self.path.stat()
        except OSError as error:
            raise StoreError(_gone(self.path)) from error
        if (found.st_dev, found.st_ino) != self._file:
            raise StoreError(_gone(self.path))

    def size_bytes(self) -> int:
        """Bytes on the disk: the file and its write-ahead log."""
        log = self.path.with_name(self.path.name + "-wal")
        return sum(file.stat().st_size for file in (self.path, log) if file.exists())

    def integrity_faults(self) -> list[str]:
        """What SQLite finds wrong with the file and between the rows; empty: nothing. Reads all."""
        try:
            return backup.list_faults(self.connection())
        except StoreError as error:
            return [str(error)]

    def backup(self, target: Path, *, overwrite: bool = False) -> None:
        """Write a consistent, checked, self-contained copy to `target`, also while others write.

        Raises StoreError where `target` exists and `overwrite` is False, or the copy is not sound;
        an older copy then stays as it was.
        """
        backup.copy_database(self.path, target, overwrite=overwrite)

    def close(self) -> None:
        """Close every thread's connection; one that is in the middle of a statement is waited for.

        A connection still busy after the busy timeout is closed when its thread ends.
        """
        self._closed = True
        with self._guard:
            connections = list(self._connections)
        for connection in connections:
            if connection.usable and not connection.close(self._busy_timeout_seconds):
                _log.warning("%s: a thread is still using the database", self.path)

    def connection(self) -> Connection:
        """This thread's connection, opened now if there is none yet."""
        if self._closed:
            raise StoreError(f"{self.path}: the database was closed")
        connection: Connection | None = getattr(self._local, "connection", None)
        if connection is None or not connection.usable:
            connection = self._local.connection = self._connect()
        return connection

    def leave_to_parent(self) -> None:
        """In a forked child: touch no inherited connection or lock, start with none."""
        for connection in list(self._connections):
            connection.leave_to_parent()
        self._forget_connections()

    def _forget_connections(self) -> None:
        self._guard = threading.Lock()
        self._local = threading.local()
        self._connections: weakref.WeakSet[Connection] = weakref.WeakSet()

    def _connect(self) -> Connection:
        self.check_place()
        connection = Connection(self.path, self._mode, self._busy_timeout_seconds)
        with self._guard:
            self._connections.add(connection)
        return connection


def open_database(
    path: Path,
    *,
    busy_timeout_seconds: float = 10.0,
    sqlite_version: str = sqlite3.sqlite_version,
    allow_unsafe_sqlite: bool = False,
) -> Database:
    """Open for reading and writing; make the file (0600), its folder (0700) and its tables.

    `busy_timeout_seconds` bounds the wait for another writer. Raises SchemaTooNew for the database
    of a newer sprintd, StoreError for anything else that stands in the way.
    """
    path = Path(path).absolute()
    _check_sqlite(path, sqlite_version, allow_unsafe_sqlite=allow_unsafe_sqlite)
    _create_private(path)
    database = Database(path, "rw", busy_timeout_seconds)
    try:
        database.connection().use_write_ahead_log()
        apply_pending(database.connection(), load_steps())
    except BaseException:
        database.close()
        raise
    return database


def open_read_only(path: Path, *, busy_timeout_seconds: float = 10.0) -> Database:
    """Open an existing, current database without ever changing it; for looking on."""
    path = Path(path).absolute()
    database = Database(path, "ro", busy_timeout_seconds)
    try:
        check_current(database.connection(), load_steps())
    except BaseException:
        database.close()
        raise
    return database


def _check_sqlite(path: Path, version: str, *, allow_unsafe_sqlite: bool) -> None:
    """Refuse the SQLite versions that can corrupt a write-ahead log (fixed in 3.51.3)."""
    if _numbers(version) >= _numbers(FIRST_SOUND_SQLITE):
        return
    message = (
        f"{path}: SQLite {version} can corrupt a database that several connections write "
        f"(fixed in {FIRST_SOUND_SQLITE}); install the package pysqlite3"
    )
    if not allow_unsafe_sqlite:
        raise StoreError(message)
    _log.warning("%s; going on because it was allowed", message)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _create_private(path: Path) -> None:
    """Make folder and file for their owner only; what exists keeps its mode."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
        backup.sync_folder(path.parent)
    except FileExistsError as error:
        if not path.is_file():
            raise StoreError(f"{path}: {error.filename} is in the way; move it aside") from error
    except OSError as error:
        raise StoreError(
            f"{path}: cannot be created ({error.strerror}); check the folder {path.parent}"
        ) from error


def _identity(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError as error:
        raise StoreError(
            f"{path}: there is no database ({error.strerror}); start the daemon once"
        ) from error
    return found.st_dev, found.st_ino


def _gone(path: Path) -> str:
    return (
        f"{path}: the database was deleted or replaced while in use; stop the daemon and put the "
        "newest backup back (docs/operations.md)"
    )


def _nobody_asks() -> None:
    return None


def _after_fork_in_child() -> None:
    for database in list(_opened):
        database.leave_to_parent()


_opened: weakref.WeakSet[Database] = weakref.WeakSet()
os.register_at_fork(after_in_child=_after_fork_in_child)
