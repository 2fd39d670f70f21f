"""Where many pieces of text stand in a text: all of them are found in one pass (Aho-Corasick)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

import ahocorasick

Places = Mapping[str, Sequence[int]]


class PieceFinder:
    """Looks for a fixed set of pieces. Building it costs about a microsecond for each of them."""

    def __init__(self, pieces: Iterable[str]) -> None:
        self._automaton = ahocorasick.Automaton()
        for piece in sorted(set(pieces) - {""}):
            self._automaton.add_word(piece, (piece, len(piece) - 1))
        self._is_empty = len(self._automaton) == 0
        self._automaton.make_automaton()

    def places(self, text: str) -> Places:
        """Every place of every piece that occurs, in order; pieces that do not occur are left out."""
        found: dict[str, list[int]] = {}
        for end, (piece, before) in () if self._is_empty else self._automaton.iter(text):
            if piece in found:
                found[piece].append(end - before)
            else:
                found[piece] = [end - before]
        return found


def offer(pieces: Callable[[], Iterable[str]]) -> None:
    """Have these pieces looked for in every text that is read; asked for at the first of them."""
    _OFFERED.append(pieces)


def places_of_offered(text: str) -> Places:
    """Where the pieces of all rules stand in a folded text."""
    return _finder(len(_OFFERED)).places(text)


@lru_cache(maxsize=1)
def _finder(count: int) -> PieceFinder:
    return PieceFinder(piece for some in _OFFERED[:count] for piece in some())


_OFFERED: list[Callable[[], Iterable[str]]] = []
