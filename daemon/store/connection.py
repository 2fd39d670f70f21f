"""One SQLite connection, which one thread of one process uses."""

from __future__ import annotations

import ctypes
import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from sqlite_utils import Database as Tables

from daemon.errors import StoreError
from daemon.store.driver import sqlite3
from daemon.store.sqlite_errors import explain, is_busy, primary_code, store_errors
from daemon.store.stored_text import Params, repair_params

Mode = Literal["rw", "ro"]

_TRIES = 3  # each waits a third of the busy timeout, so that the whole is bounded by it
_PAUSE_SECONDS = 0.02
_READ_ONLY = 8
_log = logging.getLogger(__name__)

_OUTER = (("PRAGMA query_only = OFF", "BEGIN IMMEDIATE"), ("COMMIT",), ("ROLLBACK",))
_INNER = (("SAVEPOINT part",), ("RELEASE part",), ("ROLLBACK TO part", "RELEASE part"))


class Connection:
    """Reads at any time; writes only inside `immediate()`.

    Outside of it `query_only` is on, so that a write by another road fails instead of opening a
    transaction that nobody ends. synchronous is FULL because a reservation must be on the disk
    before the call that it pays for: with NORMAL a power cut may take back the last commits, and
    the money would be spent without a trace.
    """

    def __init__(self, path: Path, mode: Mode, busy_timeout_seconds: float) -> None:
        self.path = path
        self._busy_timeout_seconds = busy_timeout_seconds
        self._pid = os.getpid()
        self._depth = 0
        self._in_use = threading.RLock()
        self._raw: Any = None
        with store_errors(path):
            # Never "rwc": a file that vanished must not come back empty, with an unspent budget.
            # check_same_thread is off only so that Database.close() can close idle connections.
            self._raw = sqlite3.connect(
                f"{path.as_uri()}?mode={mode}",
                uri=True,
                isolation_level=None,
                check_same_thread=False,
            )
            self._tables = Tables(self._raw, execute_plugins=False)
            self._set_up()

    def __del__(self) -> None:
        self.close()

    @property
    def usable(self) -> bool:
        """False after close() and in a process that was forked from the owner."""
        return self._raw is not None and self._pid == os.getpid()

    @property
    def in_transaction(self) -> bool:
        """True inside `immediate()`, where nothing is on the disk yet."""
        return self._depth > 0

    @property
    def schema(self) -> str:
        with store_errors(self.path):
            return str(self._tables.schema)

    def fetch(self, sql: str, params: Params = ()) -> list[dict[str, Any]]:
        """All rows of a statement, as dicts in the order of their columns."""
        with self._in_use:
            cursor = self._run(sql, params)
            with store_errors(self.path):
                names = [column[0] for column in cursor.description or ()]
                return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def change(self, sql: str, params: Params = ()) -> int:
        """Run one writing statement; the number of rows that it changed."""
        with self._in_use:
            return max(0, int(self._run(sql, params).rowcount))

    @contextmanager
    def immediate(self) -> Iterator[None]:
        """A transaction that has the write lock from its first statement on.

        Inside another one it is a part of that one: an exception undoes the part, and the whole
        too unless the caller catches it.
        """
        with self._in_use:
            opening, ending, undoing = _INNER if self._depth else _OUTER
            try:
                self._control(opening)
                self._depth += 1
                try:
                    yield
                    self._control(ending)
                except BaseException:
                    self._undo(undoing)
                    raise
                finally:
                    self._depth -= 1
            finally:
                self._forbid_writing()

    def use_write_ahead_log(self) -> None:
        """Switch the file to WAL. Raises StoreError where the file system cannot do it."""
        with store_errors(self.path):
            if self._journal_mode() == "wal":
                return
            # SQLite gives up here at once where two starters meet, so the waiting is done here.
            self._raw.execute("PRAGMA busy_timeout = 0")
            tries = 1 + round(self._busy_timeout_seconds / _PAUSE_SECONDS)
            self._patiently("PRAGMA journal_mode = WAL", tries)
            self._set_busy_timeout()
            if self._journal_mode() != "wal":
                raise StoreError(
                    f"{self.path}: this file system cannot share memory between programs, which "
                    "the database needs; put the state folder on a local disk"
                )

    def close(self, wait_seconds: float = 0.0) -> bool:
        """Close unless another thread is using it for longer than `wait_seconds`; True if closed.

        A connection that came through a fork is not closed: that would undo, in the memory that
        both share, what the parent is doing.
        """
        if not self._in_use.acquire(timeout=wait_seconds):
            return False
        try:
            raw, self._raw = self._raw, None
            if raw is not None and self._pid == os.getpid():
                raw.close()
        finally:
            self._in_use.release()
        return True

    def leave_to_parent(self) -> None:
        """After a fork, in the child: keep the inherited connection for ever, untouched.

        Python would close it when its last reference goes, so one reference is never given back.
        """
        if self._raw is not None:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._raw))
            self._raw = None

    def _set_up(self) -> None:
        self._set_busy_timeout()
        for pragma in (
            "foreign_keys = ON",
            "synchronous = FULL",
            "trusted_schema = OFF",
            "query_only = ON",
        ):
            self._raw.execute(f"PRAGMA {pragma}")

    def _set_busy_timeout(self) -> None:
        milliseconds = max(1, round(self._busy_timeout_seconds * 1000 / _TRIES))
        self._raw.execute(f"PRAGMA busy_timeout = {milliseconds}")

    def _journal_mode(self) -> str:
        return str(self._raw.execute("PRAGMA journal_mode").fetchone()[0])

    def _run(self, sql: str, params: Params) -> Any:
        self._check_usable()
        try:
            with store_errors(self.path):
                return self._tables.execute(sql, repair_params(params))
        except StoreError as error:
            if not self._depth and _is_own_ban(error.__cause__):
                raise StoreError(
                    f"{self.path}: a statement wrote outside of immediate(): {sql.strip()[:80]}"
                ) from error
            raise

    def _check_usable(self) -> None:
        if not self.usable:
            raise StoreError(f"{self.path}: the database was closed, or opened before a fork")
        if self._depth and not self._raw.in_transaction:
            # Going on would write the rest of the transaction without its beginning.
            raise StoreError(f"{self.path}: an earlier error has undone this transaction")

    def _control(self, statements: tuple[str, ...]) -> None:
        self._check_usable()
        with store_errors(self.path):
            for statement in statements:
                self._patiently(statement, _TRIES)

    def _patiently(self, sql: str, tries: int) -> None:
        for _ in range(tries - 1):
            try:
                self._raw.execute(sql)
            except sqlite3.OperationalError as error:
                if not is_busy(error):
                    raise
                threading.Event().wait(_PAUSE_SECONDS)
            else:
                return
        self._raw.execute(sql)

    def _undo(self, statements: tuple[str, ...]) -> None:
        if not self.usable or not self._raw.in_transaction:
            return  # SQLite undoes by itself after a full disk or a failed one
        try:
            for statement in statements:
                self._raw.execute(statement)
        except sqlite3.Error as error:
            _log.warning("undoing failed, reconnecting: %s", explain(error, self.path))
            self.close()

    def _forbid_writing(self) -> None:
        if self._depth or not self.usable:
            return
        if self._raw.in_transaction:  # a signal came between BEGIN and the block
            self._undo(_OUTER[2])
        with store_errors(self.path):
            self._raw.execute("PRAGMA query_only = ON")


def _is_own_ban(cause: BaseException | None) -> bool:
    code = getattr(cause, "sqlite_errorcode", 0)
    return isinstance(cause, sqlite3.Error) and code == primary_code(cause) == _READ_ONLY
