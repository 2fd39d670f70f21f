"""The file of the log: its lock, durable appends, and reading from either end."""

from __future__ import annotations

import fcntl
import io
import os
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from daemon.errors import LedgerError
from daemon.ledger.durable import sync_folder
from daemon.ledger.entry import LONGEST_LINE

LOG_FILE = "log.jsonl"
_BLOCK = 262_144
_TRIES, _PAUSE_SECONDS = 3_000, 0.01  # an append holds the lock for milliseconds


class LogFile:
    """One log at a path, opened anew for each piece of work, so that a fork shares nothing.

    The kernel's lock makes one chain of what several processes append. Who waits for it gives up
    after `tries`, a hundredth of a second apart: the holder may be stopped, and the work must know.
    """

    def __init__(self, path: Path, *, tries: int = _TRIES) -> None:
        self.path = path
        self._tries = tries
        self._identity: tuple[int, int] | None = None

    def create(self) -> None:
        """An empty one, where there is none. Raises LedgerError."""
        flags = os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            os.close(os.open(self.path, flags, 0o600))
            sync_folder(self.path.parent)
        except OSError as error:
            raise _unusable(self.path, error) from error

    @contextmanager
    def locked(self) -> Iterator[int]:
        """A descriptor that no other process appends beside.

        Raises LedgerError where the log is gone, is not the one that was opened first, or cannot
        be written.
        """
        try:
            flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
            descriptor = os.open(self.path, flags)
        except FileNotFoundError:
            raise LedgerError(
                f"{self.path}: the log is gone; stop everything that works here and put the log "
                "back from a backup"
            ) from None
        except OSError as error:
            raise _unusable(self.path, error) from error
        try:
            self._lock(descriptor)
            self._check(descriptor)
            yield descriptor
        except OSError as error:
            raise LedgerError(
                f"{error.filename or self.path}: {error.strerror or error}; the ledger cannot go on before "
                "this is mended, so nothing may be decided"
            ) from error
        finally:
            os.close(descriptor)

    def _lock(self, descriptor: int) -> None:
        for _ in range(self._tries):
            try:
                return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                threading.Event().wait(_PAUSE_SECONDS)
        raise LedgerError(
            f"{self.path}: another process has held its lock for {self._tries * _PAUSE_SECONDS:g} s; "
            "is a command of the ledger stopped halfway? end it"
        )

    def _check(self, descriptor: int) -> None:
        folder = self.path.parent
        if stat.S_IMODE(folder.stat().st_mode) & 0o022:
            raise LedgerError(f"{folder}: others may change it; run: chmod 700 {folder}")
        state = os.fstat(descriptor)
        identity = (state.st_dev, state.st_ino)
        if not stat.S_ISREG(state.st_mode) or state.st_uid != os.geteuid():
            raise LedgerError(f"{self.path}: is no file of this user; run this as its owner")
        if stat.S_IMODE(state.st_mode) & 0o022:
            raise LedgerError(f"{self.path}: others may write it; run: chmod 600 {self.path}")
        if state.st_nlink != 1 or identity != (self._identity or identity):
            raise LedgerError(
                f"{self.path}: the log was replaced or linked while it was in use; stop everything "
                "that works here, put back the log that was there, and run: sprintd ledger verify"
            )
        self._identity = identity


def append_durably(descriptor: int, lines: bytes, offset: int) -> None:
    """All of it on the disk at `offset`, the end of the file, or none of it.

    Raises LedgerError; what a failed removal leaves is a torn tail for the next append to put aside.
    """
    try:
        written = os.write(descriptor, lines)
        if written != len(lines):  # the disk is full, or a limit is reached; ask it which
            os.write(descriptor, lines[written:])
            raise OSError(0, f"{written} of {len(lines)} bytes were taken")
        os.fdatasync(descriptor)
    except OSError as error:
        with suppress(OSError):
            os.ftruncate(descriptor, offset)
            os.fdatasync(descriptor)
        raise LedgerError(
            f"the ledger cannot be written ({error.strerror}), so nothing may be decided; make "
            "room on the disk, or make it writable again"
        ) from error


def read_lines(descriptor: int, offset: int) -> Iterator[tuple[bytes, bool]]:
    """Each line from `offset` on with its end, and whether it is the last of the file."""
    stream = io.BufferedReader(io.FileIO(descriptor, closefd=False), _BLOCK)
    stream.seek(offset)
    before: bytes | None = None
    for line in stream:
        if before is not None:
            yield before, False
        before = line
    if before is not None:
        yield before, True


def lines_backwards(descriptor: int, end: int) -> Iterator[bytes]:
    """The whole lines before `end`, the newest first, without their ends.

    Raises LedgerError at something that is longer than any line.
    """
    rest, is_whole = b"", False
    while end > 0:
        start = max(0, end - _BLOCK)
        rest, *newer = (os.pread(descriptor, end - start, start) + rest).split(b"\n")
        if newer and not is_whole:
            newer.pop()  # what follows the last line end is no whole line
            is_whole = True
        yield from reversed(newer)
        if len(rest) > LONGEST_LINE:
            raise LedgerError("log.jsonl: has a line that is no entry; run: sprintd ledger verify")
        end = start
    if is_whole:
        yield rest


def _unusable(path: Path, error: OSError) -> LedgerError:
    return LedgerError(
        f"{path}: cannot be opened ({error.strerror}); the folder must be yours, writable, and on "
        "a local disk"
    )
