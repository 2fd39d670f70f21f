"""The newest reading of files without faults: a broken edit never stops the daemon."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Generic, TypeVar

from daemon.errors import Fault, WorkspaceInvalid

T = TypeVar("T")
_Stamp = tuple[tuple[str, int, int, int, int], ...]


class LastGood(Generic[T]):
    """Reads again whenever the files have changed, and only then.

    `read` raises WorkspaceInvalid for faults; `files` names what it looks at. `first` is a reading
    of the files as they are now, or None where nothing was read yet.
    """

    def __init__(
        self, read: Callable[[], T], files: Callable[[], Iterable[Path]], first: T | None = None
    ) -> None:
        self._read, self._files = read, files
        self._good = first
        self._faults: tuple[Fault, ...] = ()
        self._stamp: _Stamp | None = None if first is None else self._take_stamp()

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What is wrong with the files as last looked at; empty where `load` gave them."""
        return self._faults

    @property
    def latest(self) -> T | None:
        """What `load` gave last, or None before; reads nothing, so that a page never waits."""
        return self._good

    def load(self) -> T:
        """The files as they are now, or the last good reading where they have faults.

        Raises WorkspaceInvalid only where there never was a good one.
        """
        stamp = self._take_stamp()  # before reading: an edit meanwhile is seen the next time
        if stamp != self._stamp:
            self._read_again()
            self._stamp = stamp
        if self._good is None:
            raise WorkspaceInvalid(self._faults)
        return self._good

    def _read_again(self) -> None:
        try:
            self._good = self._read()
            self._faults = ()
        except WorkspaceInvalid as error:
            self._faults = error.faults

    def _take_stamp(self) -> _Stamp:
        return tuple(_stamp_of(path) for path in self._files())


def _stamp_of(path: Path) -> tuple[str, int, int, int, int]:
    """Name, times, size and inode: an edit of the same length in the same moment shows as well."""
    try:
        state = path.stat()
    except OSError:
        return str(path), 0, 0, -1, 0
    return str(path), state.st_mtime_ns, state.st_ctime_ns, state.st_size, state.st_ino
