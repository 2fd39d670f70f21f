"""Small files that are there whole or not at all, also after a power cut."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

MOST_BYTES = 1_000_000


def make_folder(path: Path) -> None:
    """For its owner only; its name is on the disk when this returns. Raises OSError."""
    if path.is_dir():
        return
    make_folder(path.parent)
    with suppress(FileExistsError):
        path.mkdir(mode=0o700)
    sync_folder(path.parent)


def read_small(path: Path) -> bytes:
    """A whole small file. Raises OSError, also for a pipe or a device and for one that is longer."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "is no ordinary file", str(path))
        content = stream.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise OSError(errno.EFBIG, f"is longer than {MOST_BYTES:,} bytes", str(path))
    return content


def sync_folder(path: Path) -> None:
    """Put the names in a folder on the disk. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_new(path: Path, content: bytes) -> None:
    """A file for its owner only that was not there before. Raises FileExistsError, OSError."""
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW
    descriptor = os.open(path, flags, 0o600)
    try:
        _write_all(descriptor, content)
        os.fsync(descriptor)
    except OSError:
        path.unlink(missing_ok=True)
        raise
    finally:
        os.close(descriptor)
    sync_folder(path.parent)


def create(path: Path, content: bytes) -> None:
    """A file that was not there before, whole or not at all; for who works alone in the folder.

    Raises FileExistsError, OSError.
    """
    if os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    replace(path, content)


def replace(path: Path, content: bytes) -> None:
    """The file as it is to be, in place of the one that is there.

    Raises OSError, also where a device, a pipe or a folder is there, which would be gone for good.
    """
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "is no ordinary file", str(path))
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    beside.unlink(missing_ok=True)
    try:
        write_new(beside, content)
        beside.replace(path)
        sync_folder(path.parent)
    except OSError:
        beside.unlink(missing_ok=True)
        raise


def _write_all(descriptor: int, content: bytes) -> None:
    left = memoryview(content)
    while left:
        left = left[os.write(descriptor, left) :]
