"""One consolidation at a time on a workspace's memory: a lock that the kernel gives back, however its
holder dies. What the file holds is for people; nobody reads it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from daemon.errors import AlreadyRunning, StoreError
from daemon.store.file_lock import lock_soon

LOCK_FILE = "memory.lock"
_TRIES = 50  # a second
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


@contextmanager
def memory_lock(state_dir: Path) -> Iterator[None]:
    """Held while files are read for a plan and while one is carried out, never during a model call.

    Raises AlreadyRunning where another holds it for longer than a second, StoreError where the file
    cannot be made.
    """
    path = state_dir / LOCK_FILE
    try:
        state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, _FLAGS, 0o600)
    except OSError as error:
        raise StoreError(f"{path}: cannot be locked ({error.strerror})") from error
    try:
        if not lock_soon(descriptor, tries=_TRIES):
            raise AlreadyRunning(
                f"{path}: another consolidation is under way; try again when it is done"
            )
        yield
    finally:
        os.close(descriptor)
