"""Where the words of a question stand in a map, without looking at every unit."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence

_BETWEEN = "\0"  # in no term: those are letters and digits


class WordIndex:
    """Built once from the texts and the triggers of each unit, in the order of the map."""

    def __init__(self, units: Iterable[tuple[Sequence[str], Sequence[str]]]) -> None:
        parts: list[str] = []
        self._starts: list[int] = []
        self._triggers: defaultdict[str, list[int]] = defaultdict(list)
        length = 0
        for position, (texts, triggers) in enumerate(units):
            lowered = [trigger.lower() for trigger in triggers]
            for trigger in lowered:
                self._triggers[trigger].append(position)
            part = _BETWEEN.join((*(text.lower() for text in texts), *lowered, ""))
            self._starts.append(length)
            parts.append(part)
            length += len(part)
        self._all = "".join(parts)

    def touched(self, terms: Iterable[str]) -> set[int]:
        """Positions of the units that have a term in a text or trigger, or a trigger in a term.

        Terms are in lower case and hold letters and digits only.
        """
        wanted = tuple(terms)
        found: set[int] = set()
        for term in wanted:
            found.update(self._having(term))
        for trigger, positions in self._triggers.items():
            if any(trigger in term for term in wanted):
                found.update(positions)
        return found

    def _having(self, term: str) -> Iterable[int]:
        at = self._all.find(term)
        while at >= 0:
            position = bisect_right(self._starts, at) - 1
            yield position
            if position + 1 == len(self._starts):
                return
            at = self._all.find(term, self._starts[position + 1])
