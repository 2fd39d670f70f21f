"""The only place that asks the machine what time it is. Every time is an aware UTC datetime."""

from __future__ import annotations

import threading
import time
from datetime import UTC, date, datetime, timedelta
from typing import Protocol

_TEXT_LENGTH = len("2026-11-30T09:00:00.000000Z")


class Clock(Protocol):
    """What the rest of the house knows of time."""

    def now(self) -> datetime:
        """The present moment, aware, in UTC."""

    def monotonic(self) -> float:
        """Seconds from an unknown start that never run backwards."""

    def sleep(self, seconds: float, stop: threading.Event) -> bool:
        """Wait; return True at once when `stop` is set, False when the time is over."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float, stop: threading.Event) -> bool:
        return stop.wait(max(0.0, seconds))


class ManualClock:
    """A clock that moves only when it is told to, or when somebody sleeps on it."""

    def __init__(self, start: datetime) -> None:
        if start.tzinfo is None:
            raise ValueError("a clock starts at an aware time; add tzinfo=UTC")
        self._now = start.astimezone(UTC)
        self._elapsed = 0.0
        self._lock = threading.Lock()
        self.slept: list[float] = []

    def now(self) -> datetime:
        with self._lock:
            return self._now

    def monotonic(self) -> float:
        with self._lock:
            return self._elapsed

    def advance(self, by: timedelta) -> None:
        """Move on (or back, as a machine's clock can); monotonic time never goes back."""
        with self._lock:
            self._now += by
            self._elapsed += max(0.0, by.total_seconds())

    def sleep(self, seconds: float, stop: threading.Event) -> bool:
        if stop.is_set():
            return True
        self.slept.append(seconds)
        self.advance(timedelta(seconds=max(0.0, seconds)))
        return stop.is_set()


class Heartbeat:
    """When somebody was last known to be alive.

    `stale_after_seconds` is the longest silence. A wait that is known to be longer is announced with
    `expect`; a thread given to `watch` must also be running.
    """

    def __init__(self, clock: Clock, *, stale_after_seconds: float) -> None:
        self._clock = clock
        self._stale_after = stale_after_seconds
        self._last: float | None = None
        self._allowed = stale_after_seconds
        self._thread: threading.Thread | None = None

    def beat(self) -> None:
        self._last, self._allowed = self._clock.monotonic(), self._stale_after

    def expect(self, seconds: float) -> None:
        """Beat, and say that the next beat may take this long (plus the usual silence)."""
        self.beat()
        self._allowed = self._stale_after + max(0.0, seconds)

    def watch(self, thread: threading.Thread) -> None:
        self._thread = thread

    def age_seconds(self) -> float | None:
        """Seconds since the last beat; None where there was none yet."""
        return None if self._last is None else max(0.0, self._clock.monotonic() - self._last)

    def has_ended(self) -> bool:
        """Whether the watched thread runs no more (or not yet); False where none is watched."""
        return self._thread is not None and not self._thread.is_alive()

    def is_fresh(self) -> bool:
        age = self.age_seconds()
        return age is not None and not self.has_ended() and age <= self._allowed


def day_of(moment: datetime) -> date:
    """The UTC calendar day of an aware moment."""
    return moment.astimezone(UTC).date()


def end_of_day(moment: datetime) -> datetime:
    """The next UTC midnight after an aware moment."""
    start = datetime.combine(day_of(moment), datetime.min.time(), tzinfo=UTC)
    return start + timedelta(days=1)


def to_text(moment: datetime) -> str:
    """An aware moment as the store writes it: 2026-11-30T09:00:00.000000Z (sorts as text).

    Raises ValueError for a naive moment.
    """
    if moment.tzinfo is None:
        raise ValueError("a moment without its zone; add tzinfo=UTC")
    return moment.astimezone(UTC).isoformat(timespec="microseconds")[:-6] + "Z"


def utc_text(moment: datetime) -> str:
    """A moment in UTC as people read it: 2026-11-30 09:00 UTC."""
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def from_text(text: str) -> datetime:
    """The reverse of `to_text`; raises ValueError for any other form."""
    if len(text) != _TEXT_LENGTH or text[-1] != "Z":
        raise ValueError(f"not a moment as the store writes it: {text!r}")
    return datetime.fromisoformat(text)
