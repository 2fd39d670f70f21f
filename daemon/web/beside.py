"""What takes too long for a page is worked out beside it: the page waits a moment, then shows the last."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from daemon.clock import Clock
from daemon.errors import SprintdError

WAIT_SECONDS = 0.04
FIRST_WAIT_SECONDS = 1.0  # while there is nothing at all to show
_log = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass(frozen=True)
class Kept(Generic[T]):
    """What was worked out, and when that began."""

    value: T
    at: datetime


class Beside(Generic[T]):
    """Keeps the newest answer to one question. Safe to use from many threads.

    It is worked out anew where `key` is another, and where it is older than `old_after_seconds`: files
    that the key does not know of may have changed.
    """

    def __init__(self, name: str, clock: Clock, *, old_after_seconds: float) -> None:
        self._name, self._clock, self._old = name, clock, old_after_seconds
        self._lock = threading.Lock()
        self._key: object = None
        self._began = 0.0
        self._kept: Kept[T] | None = None
        self._done: threading.Event | None = None

    def answer(self, key: object, work: Callable[[], T]) -> Kept[T] | None:
        """The newest there is, which may be of an earlier key. None where it is being worked out for the
        first time, or cannot be (the log says why)."""
        with self._lock:
            age = self._clock.monotonic() - self._began
            if self._kept is not None and self._key == key and age < self._old:
                return self._kept
            done = self._done
            if done is None:
                done = self._done = threading.Event()
                threading.Thread(
                    target=self._run, args=(key, work, done), name=self._name, daemon=True
                ).start()
            wait = WAIT_SECONDS if self._kept else FIRST_WAIT_SECONDS
        done.wait(wait)
        with self._lock:
            return self._kept

    def _run(self, key: object, work: Callable[[], T], done: threading.Event) -> None:
        began, at = self._clock.monotonic(), self._clock.now()
        kept = None
        try:
            kept = Kept(work(), at)
        except SprintdError as error:
            _log.warning("%s cannot be worked out: %s", self._name, error)
        finally:
            with self._lock:
                self._kept, self._key, self._began, self._done = kept, key, began, None
            done.set()
