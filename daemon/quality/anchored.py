"""Regexes that are tried only where a text holds what their matches begin with.

A word boundary at the front of a regex makes its search ask at every character. What its matches
begin with is read from the regex itself, looked for in the one pass that finds the pieces of all
patterns, and the regex is tried there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from daemon.quality.normalise import Reading
from daemon.quality.openings import openings
from daemon.quality.pieces import offer

_LEAST_ANCHOR = 2


class Anchored:
    """A regex for the folded views of a reading. One that can begin with anything is searched as ever."""

    def __init__(self, source: str) -> None:
        self.regex = re.compile(source)
        offer(lambda: self.anchors)

    @cached_property
    def anchors(self) -> frozenset[str]:
        """What its matches begin with, blanks at the edges left out; empty where that tells nothing."""
        begins = frozenset(map(str.rstrip, openings(self.regex.pattern)))
        plain = all(len(one) >= _LEAST_ANCHOR and not one[0].isspace() for one in begins)
        return begins if plain else frozenset()

    def finditer(self, reading: Reading, text: str) -> Iterator[re.Match[str]]:
        """What the regex finds in `text`, which is the reading's `open` or its `masked`."""
        if not self.anchors:
            yield from self.regex.finditer(text)
            return
        end = 0
        for at in sorted({at for one in self.anchors for at in reading.pieces.get(one, ())}):
            found = self.regex.match(text, at) if at >= end else None
            if found:
                end = found.end()
                yield found
