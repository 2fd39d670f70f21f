"""A copy of the database that is whole, checked, and put in its place in one move."""

from __future__ import annotations

import os
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

from daemon.errors import StoreError
from daemon.store.connection import Connection
from daemon.store.driver import sqlite3
from daemon.store.sqlite_errors import explain, is_damage, store_errors

_BESIDE = ("", "-wal", "-shm", "-journal")


def copy_database(source: Path, target: Path, *, overwrite: bool) -> None:
    """SQLite's backup into a file beside `target`, fsync, integrity_check, rename.

    A plain copy of the file would miss what is still in the write-ahead log. The copy is made from
    one read snapshot: writers go on and none of their transactions is in it by half.
    """
    target = Path(target).absolute()
    _check_target(source, target, overwrite=overwrite)
    temporary = _create_beside(target)
    try:
        _copy(source, temporary, target)
        _check_copy(temporary, target)
        _sync(temporary)
        _check_target(source, target, overwrite=overwrite)  # again: copying takes a while
        temporary.replace(target)
        sync_folder(target.parent)
    except OSError as error:
        raise StoreError(
            f"{target}: the backup failed ({error.strerror}); nothing was changed"
        ) from error
    finally:
        for suffix in _BESIDE:
            temporary.with_name(temporary.name + suffix).unlink(missing_ok=True)


def list_faults(connection: Connection) -> list[str]:
    """What integrity_check and foreign_key_check find; empty: nothing."""
    found = connection.fetch("PRAGMA integrity_check(100)")
    lines = [line for row in found for line in str(row["integrity_check"]).splitlines()]
    faults = [line for line in lines if line != "ok" and not line.startswith("***")]
    for row in connection.fetch("PRAGMA foreign_key_check"):
        faults.append(f"table {row['table']}, row {row['rowid']}: no such row in {row['parent']}")
    return faults


def sync_folder(folder: Path) -> None:
    """Make a new name in a folder survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _check_target(source: Path, target: Path, *, overwrite: bool) -> None:
    if target.exists() and target.samefile(source):
        raise StoreError(f"{target}: is the database itself; name another file")
    if target.exists() and not target.is_file():
        raise StoreError(f"{target}: is not an ordinary file; name another file")
    if target.exists() and not overwrite:
        raise StoreError(f"{target}: exists; name another file or ask for it to be replaced")
    log = target.with_name(target.name + "-wal")
    if log.exists():
        # SQLite would mix the log of the old copy into the new one.
        raise StoreError(f"{log}: the old copy is in use; close what has it open")


def _create_beside(target: Path) -> Path:
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        raise StoreError(
            f"{target}: cannot be written ({error.strerror}); check its folder"
        ) from error
    os.close(descriptor)
    return Path(name)


def _copy(source: Path, temporary: Path, target: Path) -> None:
    with closing(_open(source, "ro")) as from_, closing(_open(temporary, "rw")) as to:
        try:
            from_.backup(to)
            # One file without a log beside it: that is what people move about.
            to.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.Error as error:
            raise StoreError(explain(error, source if is_damage(error) else target)) from error


def _check_copy(temporary: Path, target: Path) -> None:
    with closing(Connection(temporary, "ro", 1.0)) as copy:
        faults = list_faults(copy)
    if faults:
        raise StoreError(
            f"{target}: not written, the copy is not sound ({faults[0]}); the database is damaged: "
            "stop the daemon and put back the newest backup"
        )


def _sync(file: Path) -> None:
    with file.open("rb+") as opened:
        os.fsync(opened.fileno())


def _open(path: Path, mode: str) -> Any:
    with store_errors(path):
        raw = sqlite3.connect(f"{path.as_uri()}?mode={mode}", uri=True, isolation_level=None)
        raw.execute("PRAGMA busy_timeout = 10000")
        return raw
