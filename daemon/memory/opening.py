"""The only way that a file named by a workspace path is opened.

The path is walked component by component from a folder that is already open, and no step follows a
symbolic link. What is not an ordinary file with exactly one name is refused: a second name (hard
link) would be a way in for a file that no scope covers.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from daemon.errors import SprintdError
from daemon.knowledge.paths import path_fault

MAX_FILE_BYTES = 1_048_576
_MISSING = "the file does not exist"

_MOST_OPEN = 200  # folders at a time; a service may have 1,024 descriptors

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK the opening of a pipe would wait for a writer for ever.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Unreadable(SprintdError):
    """A file of the workspace is not given out; `reason` says why, as words without the path."""

    def __init__(self, path: str, reason: str) -> None:
        shown = path.encode("utf-8", "backslashreplace").decode()
        super().__init__(f"{shown}: {reason}")
        self.path = path
        self.reason = reason

    @property
    def missing(self) -> bool:
        """Whether there is simply nothing of that name."""
        return self.reason == _MISSING


class OpenRoot:
    """A workspace folder held open, with the folders met below it. A context manager.

    `root` must be absolute: an empty root would quietly mean wherever the process happens to stand.
    Raises Unreadable where it is not, or is no folder.
    """

    def __init__(self, root: Path) -> None:
        if not root.is_absolute():
            raise Unreadable(str(root), "the workspace folder must be given as an absolute path")
        try:
            top = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise Unreadable(str(root), _reason(error)) from error
        self._folders: dict[str, int] = {"": top}

    def __enter__(self) -> OpenRoot:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for descriptor in self._folders.values():
            os.close(descriptor)
        self._folders.clear()

    def size(self, path: str) -> int:
        """Bytes of the file, without opening it. Raises Unreadable."""
        folder, name = self._place(path)
        try:
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except OSError as error:
            raise Unreadable(path, _reason(error)) from error
        _check_ordinary(path, found)
        return found.st_size

    def modified_at(self, path: str) -> datetime:
        """When the file was last written, in UTC. Raises Unreadable."""
        folder, name = self._place(path)
        try:
            seconds = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mtime
            return datetime.fromtimestamp(seconds, UTC)
        except (OSError, OverflowError, ValueError) as error:
            raise Unreadable(path, "cannot be read: its time is not known") from error

    def read(self, path: str, *, max_bytes: int = MAX_FILE_BYTES) -> bytes:
        """The bytes of the file, all of them. Raises Unreadable, also where there are more."""
        folder, name = self._place(path)
        try:
            descriptor = os.open(name, _FILE, dir_fd=folder)
            try:
                _check_ordinary(path, os.fstat(descriptor))
                data = _read_up_to(descriptor, max_bytes + 1)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise Unreadable(path, _reason(error)) from error
        if len(data) > max_bytes:
            raise Unreadable(path, f"is larger than {max_bytes:,} bytes; split it")
        return data

    def walk(self, folder: str) -> Iterator[tuple[str, str]]:
        """Every entry below a folder (empty: the root) that is no folder, sorted: (path, why it is
        refused or "").

        A folder that is a link is one refused entry; a folder that does not exist has none.
        """
        try:
            descriptor = self._folder(folder)
            with os.scandir(descriptor) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except FileNotFoundError:
            return
        except OSError as error:
            yield folder, _reason(error)
            return
        for entry in found:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_dir(follow_symlinks=False) and not path_fault(path):
                yield from self.walk(path)
            else:
                yield path, _link_reason(entry) or path_fault(path)

    def folders(self, folder: str) -> tuple[str, ...]:
        """The names of the folders right in it, sorted, links left out; none where it is missing."""
        try:
            with os.scandir(self._folder(folder)) as entries:
                found = [one.name for one in entries if one.is_dir(follow_symlinks=False)]
        except OSError:
            return ()
        return tuple(sorted(name for name in found if not path_fault(name)))

    def _place(self, path: str) -> tuple[int, str]:
        """The open folder that a path's last component stands in, and that component."""
        fault = path_fault(path)
        if fault:
            raise Unreadable(path, f"the path {fault}")
        folder, _, name = path.rpartition("/")
        try:
            return self._folder(folder), name
        except OSError as error:
            raise Unreadable(path, _reason(error)) from error

    def _folder(self, folder: str) -> int:
        if folder not in self._folders:
            above, _, name = folder.rpartition("/")
            self._folders[folder] = os.open(name, _FOLDER, dir_fd=self._folder(above))
            if len(self._folders) > _MOST_OPEN:
                oldest = next(known for known in self._folders if known)
                os.close(self._folders.pop(oldest))
        return self._folders[folder]


def _check_ordinary(path: str, found: os.stat_result) -> None:
    if stat.S_ISLNK(found.st_mode):
        raise Unreadable(path, "is a symbolic link")
    if not stat.S_ISREG(found.st_mode):
        raise Unreadable(path, "is not an ordinary file")
    if found.st_nlink != 1:
        raise Unreadable(path, "has a second name (hard link); copy it instead")


def _read_up_to(descriptor: int, limit: int) -> bytes:
    chunks: list[bytes] = []
    while limit > 0 and (chunk := os.read(descriptor, limit)):
        chunks.append(chunk)
        limit -= len(chunk)
    return b"".join(chunks)


def _link_reason(entry: os.DirEntry[str]) -> str:
    return "is a symbolic link" if entry.is_symlink() else ""


def _reason(error: OSError) -> str:
    match error.errno:
        case errno.ENOENT:
            return _MISSING
        case errno.ELOOP:
            return "is a symbolic link"
        case errno.ENOTDIR:
            return "a folder on the way is a symbolic link or a file"
        case errno.EACCES | errno.EPERM:
            return "may not be read by the user that sprintd runs as"
        case _:
            return f"cannot be read: {error.strerror or type(error).__name__}"
