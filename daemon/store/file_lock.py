"""A lock on an open file or folder that the kernel gives back, however its holder dies."""

from __future__ import annotations

import fcntl
import threading

_PAUSE_SECONDS = 0.02


def lock_soon(descriptor: int, *, tries: int) -> bool:
    """Lock it for this process alone; False where another held it at each of so many tries.

    They are 20 ms apart. One is never enough: somebody who only looks holds a lock for a moment too.
    """
    for _ in range(tries):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            threading.Event().wait(_PAUSE_SECONDS)
        else:
            return True
    return False
