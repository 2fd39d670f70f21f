"""The numbers of a sentence that count something, small ones and words included."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from daemon.quality.dates import find_dates
from daemon.quality.figure_text import currency, find_numbers, places_of_digits
from daemon.quality.number_words import find_word_numbers
from daemon.quality.units import Unit, unit_at

_YEARS = range(1900, 2101)
_HIDDEN = re.compile(r"\[[^\[\]\s]{1,160}\](?:\([^)\s]*\))?|https?://\S+|www\.\S+")
_POINTS = re.compile(r"point|punto|pp$|‰", re.IGNORECASE)
_PERCENT = re.compile(r" (?:per ?cent|por ciento)\b")
_TO_DATE = re.compile(r" ?[-–] ?| (?:and|to|through|until|y|a|al|hasta)(?: el)? ")
_LAST_DAY = 31
_SMALL = {
    word: value
    for value, words in enumerate(
        ("cero zero", "", "two dos", "three tres", "four cuatro", "five cinco", "six seis",
         "seven siete", "eight ocho", "nine nueve", "ten diez", "eleven once", "twelve doce")
    )
    for word in words.split()
}  # fmt: skip
_SMALL_WORD = re.compile(r"\b(?:" + "|".join(_SMALL) + r")\b")


@dataclass(frozen=True)
class SentenceNumber:
    """A number at [start, end); `sign` is its currency, `time` its unit of time, where it has one."""

    start: int
    end: int
    value: float
    percent: bool = False
    sign: str = ""
    time: Unit | None = None
    open: bool = False  # its notation may mean two numbers

    @property
    def bare(self) -> bool:
        return not (self.percent or self.sign or self.time)


def numbers_in(raw: str, folded: str) -> Iterator[SentenceNumber]:
    """Every number that counts something, words included, in order; dates, years and marks are not."""
    shown = without_marks(raw)
    dates = [(one.start, one.end) for one in find_dates(shown, places_of_digits(shown))]
    found = [*_digits(shown, folded), *_worded(without_marks(folded))]
    end = -1
    for one in sorted(found, key=lambda one: one.start):
        dated = any(
            (start < one.end and one.start < until) or _begins_range(shown, one, start)
            for start, until in dates
        )
        if not dated and one.start >= end:
            end = one.end
            yield one


def _begins_range(shown: str, number: SentenceNumber, date: int) -> bool:
    """Whether a number is the first day of a range up to a date: between 1 and 20 February 2027."""
    day = number.bare and 1 <= number.value <= _LAST_DAY
    return day and _TO_DATE.fullmatch(shown[number.end : date]) is not None


def without_marks(text: str) -> str:
    """Marks of sources and links blanked out, offsets kept."""
    return _HIDDEN.sub(lambda found: " " * len(found.group()), text)


def _time_at(folded: str, end: int) -> Unit | None:
    found = unit_at(folded, end)
    return found if found and found.kind == "time" else None


def _digits(shown: str, folded: str) -> Iterator[SentenceNumber]:
    for one in find_numbers(shown):
        if not one.readings or _POINTS.search(shown[one.start : one.end]):
            continue
        value = one.readings[0][0]
        time = _time_at(folded, one.end)
        sign = currency(shown, one.start, one.end)
        if value in _YEARS and not (
            one.percent or sign or time or "," in shown[one.start : one.end]
        ):
            continue
        ambiguous = len(one.readings) > 1
        yield SentenceNumber(one.start, one.end, value, one.percent, sign, time, ambiguous)


def _worded(folded: str) -> Iterator[SentenceNumber]:
    for found in _SMALL_WORD.finditer(folded):
        yield SentenceNumber(
            *found.span(), float(_SMALL[found.group()]), time=_time_at(folded, found.end())
        )
    for start, end, value in find_word_numbers(folded):
        if folded.endswith("por ", 0, start) and folded[start:end] == "ciento":
            continue  # forty per cent is one figure
        percent = _PERCENT.match(folded, end) is not None
        yield SentenceNumber(start, end, float(value), percent, time=_time_at(folded, end))
