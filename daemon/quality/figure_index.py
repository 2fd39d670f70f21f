"""Where each figure of the sources stands: read only where it may matter."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple
from weakref import WeakKeyDictionary

from daemon.quality.claims import SourceNote
from daemon.quality.dates import DateParts, WrittenDate, dates_within, may_have_date
from daemon.quality.number_words import fraction_words, half_more, number_at, openings
from daemon.quality.passages import Passages, passages_of

_MOST_PLACES = 120
_MOST_VALUES = 20
_MOST_KNOWN = 2_000
_LONGEST_DATE = 34
_WHICH_HALF = ("first ", "second ", "latter ", "other ", "primera ", "segunda ", "otra ")
_DatesAt = dict[tuple[int, int, int | None], list[WrittenDate]]
_DATED: WeakKeyDictionary[Passages, _DatesAt] = WeakKeyDictionary()
_STANDING: WeakKeyDictionary[Passages, dict[str, list[int]]] = WeakKeyDictionary()


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
        self.texts = [passages_of(one.text) for one in sources]
        self._places: dict[float, list[Place]] = {}
        self._dates: dict[DateParts, list[Place]] = {}
        self._worded: dict[tuple[int, str], list[Place]] = {}
        self._labels: dict[tuple[int, int], bool] = {}

    def has(self, value: float) -> bool:
        """Whether the number stands anywhere in digits."""
        value = round(value, 6)
        return any(value in text.by_value for text in self.texts)

    def at(self, value: float) -> list[Place]:
        """Every place in digits of exactly this number, at most 120."""
        value = round(value, 6)
        if value not in self._places:
            self._places[value] = list(islice(self._exactly(value), _MOST_PLACES))
        return self._places[value]

    def between(self, low: float, high: float) -> Iterable[Place]:
        """Places of numbers in [low, high), without those of the value that lies on a grid of it."""
        values: set[float] = set()
        for text in self.texts:
            first, last = bisect_left(text.values, low), bisect_left(text.values, high)
            values.update(text.values[first : min(last, first + _MOST_VALUES)])
        for value in sorted(values)[:_MOST_VALUES]:
            yield from self.at(value)[:_MOST_VALUES]

    def is_label(self, place: Place) -> bool:
        """Whether the number there counts nothing: a citation, a part of a link, a day, a rank."""
        key = (place.source, place.start)
        if key not in self._labels:
            text = self.texts[place.source]
            self._labels[key] = text.is_label(place.start, place.end, place.value)
        return self._labels[key]

    def in_range(self, source: int, start: int, end: int) -> list[Place]:
        """Figures of a source in [start, end), no labels; two places where one has two readings."""
        return [one for one in self._in_range(source, start, end) if not self.is_label(one)]

    def _in_range(self, source: int, start: int, end: int) -> list[Place]:
        return [
            Place(source, one.start, one.end, value, one.percent)
            for one in self.texts[source].numbers_in(start, end)
            for value, _ in one.readings
        ]

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

    def as_fraction(self, percent: float, width: float) -> Iterable[Place]:
        """Places of a half, a third, a quarter ... in words, where that is the share to within `width`."""
        for words in fraction_words(percent, width):
            for number, text in enumerate(self.texts):
                for start in (*_standing(text, words), *_hyphened(text, words)):
                    if text.folded[max(0, start - 9) : start].endswith(_WHICH_HALF):
                        continue
                    yield Place(number, start, start + len(words), percent, percent=True)

    def dates(self, wanted: DateParts) -> list[Place]:
        """Places of a date that says all that `wanted` says, in any notation."""
        if wanted not in self._dates:
            self._dates[wanted] = list(self._find_date(wanted))
        return self._dates[wanted]

    def times(self, written: str) -> Iterable[Place]:
        """Places of a time of day such as 9:40, with or without a leading zero."""
        hour, minute = written[:-3].lstrip("0") or "0", written[-2:]
        for number, text in enumerate(self.texts):
            for start in _finds(text.text, f"{hour}:{minute}"):
                end = start + len(hour) + 3
                yield Place(number, start, end, 0.0, percent=False)

    def _exactly(self, value: float) -> Iterable[Place]:
        for source, text in enumerate(self.texts):
            for number in text.by_value.get(value, ()):
                yield Place(source, number.start, number.end, value, number.percent)

    def _find_date(self, wanted: DateParts) -> Iterable[Place]:
        key = wanted.year if wanted.year is not None else wanted.day
        for place in self.at(float(key or 0)):
            for date in _dates_around(self.texts[place.source], place, wanted.month):
                if date.start <= place.start < date.end and any(
                    wanted.agrees(one) for one in date.readings
                ):
                    yield Place(place.source, date.start, date.end, place.value, percent=False)

    def _opened(self, number: int, opening: str) -> list[Place]:
        if (number, opening) not in self._worded:
            text = self.texts[number]
            found: list[Place] = []
            for start in _standing(text, opening):
                worded = number_at(text.folded, start)
                if worded:
                    end, value = worded
                    found.append(Place(number, start, end, float(value), percent=False))
            self._worded[number, opening] = found
        return self._worded[number, opening]


def _hyphened(text: Passages, words: str) -> Sequence[int]:
    return _standing(text, words.replace(" ", "-")) if " " in words else ()


def _standing(text: Passages, words: str) -> list[int]:
    """Where a folded text has the words; kept as long as the text is, for notes come again and again."""
    known = _STANDING.setdefault(text, {})
    places = known.get(words)
    if places is None:
        if len(known) >= _MOST_KNOWN:
            known.clear()
        places = known[words] = list(_finds(text.folded, words))
    return places


def _dates_around(text: Passages, place: Place, month: int | None) -> Sequence[WrittenDate]:
    """The dates around a number, where one of the month may be; kept like `_standing`."""
    known = _DATED.setdefault(text, {})
    key = (place.start, place.end, month)
    dates = known.get(key)
    if dates is None:
        if len(known) >= _MOST_KNOWN:
            known.clear()
        first = max(0, place.start - _LONGEST_DATE)
        around = text.text[first : place.end + _LONGEST_DATE]
        found = dates_within(around) if may_have_date(around, month) else ()
        dates = [replace(one, start=first + one.start, end=first + one.end) for one in found]
        known[key] = dates
    return dates


def _finds(text: str, words: str) -> Iterable[int]:
    at = text.find(words)
    for _ in range(_MOST_PLACES):
        if at < 0:
            return
        if not text[at - 1 : at].isalpha() or at == 0:
            yield at
        at = text.find(words, at + 1)
