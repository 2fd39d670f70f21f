"""Writes one file of the memory: whole or not at all, and never through a link."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from daemon.errors import SprintdError
from daemon.knowledge.paths import path_fault
from daemon.memory.opening import OpenRoot, Unreadable

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_OLD_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER_MODE = 0o755
_FILE_MODE = 0o644


class MemoryUnwritable(SprintdError):
    """A file of the memory cannot be written; nothing of it is left behind."""


def write_file(root: Path, path: str, data: bytes) -> None:
    """Put `data` at a workspace path: temporary file, fsync, rename, fsync of the folder.

    Folders are made as needed. Raises MemoryUnwritable, with one line that says what to do.
    """
    fault = path_fault(path)
    if fault or not root.is_absolute():
        raise MemoryUnwritable(f"cannot write {path!r}: the path {fault or 'has no absolute root'}")
    folder, _, name = path.rpartition("/")
    try:
        descriptor = _open_folder(root, folder)
        try:
            _refuse_odd_target(descriptor, name, path)
            _replace(descriptor, name, data)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise MemoryUnwritable(f"cannot write {path}: {_reason(error)}") from error


def move_file(root: Path, path: str, to: str, sha256: str) -> bool:
    """Give a file of the memory another name, as it is; False, and it stays where it is, where its
    content is not what `sha256` says: somebody has just changed it.

    It lasts once `sync_folders` was called for both folders. Raises MemoryUnwritable: a link or a
    second name, `to` is taken, a read-only folder, a full disk.
    """
    if any(map(path_fault, (path, to))) or not root.is_absolute():
        raise MemoryUnwritable(f"cannot move {path!r} to {to!r}: a path is faulty")
    (folder, _, name), (new_folder, _, new_name) = path.rpartition("/"), to.rpartition("/")
    try:
        here, there = _open_folder(root, folder), -1
        try:
            there = _open_folder(root, new_folder)
            _refuse_odd_target(here, name, path)
            _refuse_taken(there, new_name, to)
            return _rename(here, name, there, new_name, sha256)
        finally:
            os.close(here)
            if there >= 0:
                os.close(there)
    except OSError as error:
        raise MemoryUnwritable(f"cannot move {path}: {_reason(error)}") from error


def sync_folders(root: Path, folders: Iterable[str]) -> None:
    """Make the names in them last; one that is gone has none. Raises MemoryUnwritable."""
    for folder in sorted(set(folders)):
        try:
            descriptor = _open_folder(root, folder)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise MemoryUnwritable(f"cannot sync {folder}: {_reason(error)}") from error


def is_taken(root: Path, path: str, data: bytes) -> bool:
    """Whether an ordinary file with another content stands there.

    Anything else in the way (a link, a folder) is for `write_file` to refuse.
    """
    try:
        with OpenRoot(root) as opened:
            there = opened.size(path)
            return there != len(data) or opened.read(path, max_bytes=there) != data
    except Unreadable:
        return False


def _open_folder(root: Path, folder: str) -> int:
    """A descriptor of the folder; a step that is missing is made, and none follows a link."""
    here = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    for name in folder.split("/") if folder else ():
        try:
            here, above = _enter(here, name), here
        except OSError:
            os.close(here)
            raise
        os.close(above)
    return here


def _enter(above: int, name: str) -> int:
    with suppress(FileNotFoundError):
        return os.open(name, _FOLDER, dir_fd=above)
    os.mkdir(name, _FOLDER_MODE, dir_fd=above)
    made = os.open(name, _FOLDER, dir_fd=above)
    os.fchmod(made, _FOLDER_MODE)  # whatever the umask of the service is
    os.fsync(above)
    return made


def _replace(folder: int, name: str, data: bytes) -> None:
    temporary = f".{name}.new"
    with suppress(FileNotFoundError):
        os.unlink(temporary, dir_fd=folder)  # left by a crash
    try:
        _write_new(folder, temporary, data)
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise
    os.fsync(folder)


def _rename(here: int, name: str, there: int, new_name: str, sha256: str) -> bool:
    """Renamed first and looked at then: nobody can change it between the two under its old name."""
    if _digest(here, name) != sha256:
        return False
    os.rename(name, new_name, src_dir_fd=here, dst_dir_fd=there)
    same = _digest(there, new_name) == sha256
    if not same:
        os.rename(new_name, name, src_dir_fd=there, dst_dir_fd=here)
    return same


def _digest(folder: int, name: str) -> str:
    descriptor = os.open(name, _OLD_FILE, dir_fd=folder)
    with os.fdopen(descriptor, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _refuse_taken(folder: int, name: str, path: str) -> None:
    with suppress(FileNotFoundError):
        os.stat(name, dir_fd=folder, follow_symlinks=False)
        raise MemoryUnwritable(f"cannot move a file to {path}: the name is taken")


def _write_new(folder: int, name: str, data: bytes) -> None:
    descriptor = os.open(name, _NEW_FILE, _FILE_MODE, dir_fd=folder)
    with os.fdopen(descriptor, "wb") as stream:
        os.fchmod(descriptor, _FILE_MODE)
        stream.write(data)
        stream.flush()
        os.fsync(descriptor)


def _refuse_odd_target(folder: int, name: str, path: str) -> None:
    """A target that is a link or has a second name is somebody's trap or mistake: say so."""
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return
    if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1:
        odd = "a symbolic link" if stat.S_ISLNK(found.st_mode) else "no ordinary file with one name"
        raise MemoryUnwritable(f"cannot write {path}: what is there is {odd}; remove it")


def _reason(error: OSError) -> str:
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT | errno.EFBIG:
            return "the disk or the quota is full; free some space"
        case errno.EROFS | errno.EACCES | errno.EPERM:
            return "the folder is read-only; let the user that sprintd runs as write there"
        case errno.ELOOP | errno.ENOTDIR:
            return "a symbolic link or a file is in the way; remove it"
        case errno.ENAMETOOLONG:
            return "the name is too long; give the item a shorter id"
        case _:
            return error.strerror or type(error).__name__
