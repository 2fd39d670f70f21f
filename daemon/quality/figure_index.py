"""Where each figure of the sources stands: built in one pass over the digits, words on demand."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from daemon.quality.claims import SourceNote
from daemon.quality.dates import DateParts, find_dates
from daemon.quality.number_words import find_word_numbers, fraction_words, half_more, openings
from daemon.quality.passages import Passages

_MOST_PLACES = 400
_LONGEST_DATE = 34


class Place(NamedTuple):
    """A figure of a source: its number there, and whether it is written as per cent."""

    source: int
    start: int
    end: int
    value: float
    percent: bool


class FigureIndex:
    """The figures of all sources by value."""

    def __init__(self, sources: Sequence[SourceNote]) -> None:
        self.texts = [Passages(one.text) for one in sources]
        self._places: defaultdict[float, list[Place]] = defaultdict(list)
        for number in range(len(sources)):
            for found in self.texts[number].numbers:
                for value, _ in found.readings:
                    place = Place(number, found.start, found.end, value, found.percent)
                    self._places[value].append(place)
        self._worded: dict[tuple[int, str], list[Place]] = {}

    @cached_property
    def _values(self) -> list[float]:
        return sorted(self._places)

    def at(self, value: float) -> Sequence[Place]:
        """Every place in digits of exactly this number."""
        return self._places.get(round(value, 6), ())[:_MOST_PLACES]

    def between(self, low: float, high: float) -> Iterable[Place]:
        """Places of numbers in [low, high), without those of the value that lies on a grid of it."""
        first, last = bisect_left(self._values, low), bisect_left(self._values, high)
        for value in self._values[first:last][:20]:
            yield from self._places[value][:20]

    def in_range(self, source: int, start: int, end: int) -> list[Place]:
        """Figures of a source in [start, end)."""
        rows = self._by_source[source]
        first = bisect_left(rows, start, key=lambda one: one.start)
        return rows[first : bisect_right(rows, end - 1, key=lambda one: one.start)]

    @cached_property
    def _by_source(self) -> list[list[Place]]:
        rows: list[list[Place]] = [[] for _ in self.texts]
        for places in self._places.values():
            for place in places:
                rows[place.source].append(place)
        return [sorted(row, key=lambda one: one.start) for row in rows]

    def in_words(self, value: float) -> Iterable[Place]:
        """Places where the number is written out."""
        for opening in openings(value):
            for number in range(len(self.texts)):
                yield from (one for one in self._opened(number, opening) if one.value == value)

    def and_a_half(self, value: float) -> Iterable[Place]:
        """Places of "two and a half"."""
        pattern = half_more(value)
        for number, text in enumerate(self.texts) if pattern else ():
            if pattern is None or not (" and a half" in text.folded or " y medi" in text.folded):
                continue
            for found in pattern.finditer(text.folded):
                yield Place(number, found.start(), found.end(), value, percent=False)

    def as_fraction(self, percent: float) -> Iterable[Place]:
        """Places of a half, a third, a quarter ... in words."""
        for words in fraction_words(percent):
            for number, text in enumerate(self.texts):
                for start in (*_finds(text.folded, words), *_hyphened(text.folded, words)):
                    yield Place(number, start, start + len(words), percent, percent=True)

    def dates(self, wanted: DateParts) -> Iterable[Place]:
        """Places of a date that says all that `wanted` says, in any notation."""
        key = wanted.year if wanted.year is not None else wanted.day
        for place in self.at(float(key or 0)):
            text = self.texts[place.source].text
            first = max(0, place.start - _LONGEST_DATE)
            for date in find_dates(text[first : place.end + _LONGEST_DATE]):
                start, end = first + date.start, first + date.end
                if start <= place.start < end and any(wanted.agrees(one) for one in date.readings):
                    yield Place(place.source, start, end, place.value, percent=False)

    def times(self, written: str) -> Iterable[Place]:
        """Places of a time of day such as 9:40, with or without a leading zero."""
        hour, minute = written[:-3].lstrip("0") or "0", written[-2:]
        for number, text in enumerate(self.texts):
            for start in _finds(text.text, f"{hour}:{minute}"):
                end = start + len(hour) + 3
                yield Place(number, start, end, 0.0, percent=False)

    def _opened(self, number: int, opening: str) -> list[Place]:
        if (number, opening) not in self._worded:
            folded = self.texts[number].folded
            found: list[Place] = []
            for start in _finds(folded, opening):
                for first, last, value in find_word_numbers(folded[start : start + 60]):
                    if first == 0:
                        place = Place(number, start, start + last, float(value), percent=False)
                        found.append(place)
                    break
            self._worded[number, opening] = found
        return self._worded[number, opening]


def _hyphened(text: str, words: str) -> Iterable[int]:
    return _finds(text, words.replace(" ", "-")) if " " in words else ()


def _finds(text: str, words: str) -> Iterable[int]:
    at = text.find(words)
    for _ in range(_MOST_PLACES):
        if at < 0:
            return
        if not text[at - 1 : at].isalpha() or at == 0:
            yield at
        at = text.find(words, at + 1)
