"""How many refusals of presses the ledger keeps, so that nobody can fill it by pressing a button."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

WINDOW_SECONDS = 3_600.0
MOST_OF_ONE = 5  # entries about one person in a window
MOST_OF_ALL = 40
MOST_TOLD = 10  # people named at the end of a window; the others are one entry together
_MOST_NAMES = 1_000
OTHERS = "others"


@dataclass(frozen=True)
class HeldBack:
    """`count` refusals of a person (or of OTHERS together) that have no entry of their own."""

    who: str
    count: int


class RefusalLimit:
    """In a window of an hour, which begins with the first refusal: MOST_OF_ONE entries about one
    person, MOST_OF_ALL about all of them, and at its end at most MOST_TOLD + 1 that say how many more
    there were. Moments are monotonic seconds. For one thread."""

    def __init__(self) -> None:
        self._began: float | None = None
        self._entered: Counter[str] = Counter()
        self._held_back: Counter[str] = Counter()

    def admits(self, who: str, now: float) -> bool:
        """Whether a refusal gets an entry of its own; it is counted otherwise."""
        if self._began is None:
            self._began = now
        if self._entered[who] < MOST_OF_ONE and self._entered.total() < MOST_OF_ALL:
            self._entered[who] += 1
            return True
        is_known = who in self._held_back or len(self._held_back) < _MOST_NAMES
        self._held_back[who if is_known else OTHERS] += 1
        return False

    def due(self, now: float, *, at_end: bool = False) -> tuple[HeldBack, ...]:
        """What was held back, the most first, once the window is over (or the process ends); empty before.
        It is given again until `told`."""
        if self._began is None or (now - self._began < WINDOW_SECONDS and not at_end):
            return ()
        if not self._held_back:
            self.told()
            return ()
        ranked = self._held_back.most_common()
        named = [HeldBack(who, count) for who, count in ranked if who != OTHERS][:MOST_TOLD]
        rest = self._held_back.total() - sum(one.count for one in named)
        return (*named, HeldBack(OTHERS, rest)) if rest else tuple(named)

    def told(self) -> None:
        """What was due is in the ledger: another window begins with the next refusal."""
        self._began = None
        self._entered.clear()
        self._held_back.clear()
