"""Wrong tokens are counted by the address they come from; each one makes the next wait longer."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass

FREE_TRIES = 5
LONGEST_WAIT_SECONDS = 60
_FORGOTTEN_AFTER_SECONDS = 3_600
_MOST_ADDRESSES = 1_000


@dataclass
class _Count:
    wrong: int
    last_at: float


class Tries:
    """After `FREE_TRIES` wrong ones the wait is 1, 2, 4 ... seconds, at most a minute.

    Kept in memory: a restart forgets it. The oldest of more than 1,000 addresses are forgotten, so
    whoever has that many guesses faster; the token's 256 bits are what stands then.
    """

    def __init__(self) -> None:
        self._counts: OrderedDict[str, _Count] = OrderedDict()
        self._lock = threading.Lock()

    def wait_seconds(self, address: str, now: float) -> int:
        """How long this address has to wait before its next try counts; 0 for not at all."""
        with self._lock:
            count = self._counts.get(address)
            if count is None or count.wrong < FREE_TRIES:
                return 0
            wait = min(2 ** min(count.wrong - FREE_TRIES, 20), LONGEST_WAIT_SECONDS)
            return max(0, int(count.last_at + wait - now + 0.999))

    def wrong(self, address: str, now: float) -> None:
        """Count a wrong one at `now` (monotonic seconds)."""
        with self._lock:
            count = self._counts.pop(address, _Count(0, now))
            if now - count.last_at > _FORGOTTEN_AFTER_SECONDS:
                count.wrong = 0
            self._counts[address] = _Count(count.wrong + 1, now)
            while len(self._counts) > _MOST_ADDRESSES:
                self._counts.popitem(last=False)

    def right(self, address: str) -> None:
        """Forget the wrong ones of an address."""
        with self._lock:
            self._counts.pop(address, None)
