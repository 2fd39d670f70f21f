"""Dates in English and Spanish notations, as parts that can be compared."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

_MONTHS = (
    ("jan", "ene"),
    ("feb",),
    ("mar",),
    ("apr", "abr"),
    ("may",),
    ("jun",),
    ("jul",),
    ("aug", "ago"),
    ("sep", "set"),
    ("oct",),
    ("nov",),
    ("dec", "dic"),
)
_BEFORE = 18
_NUMBER_OF = {name: number for number, names in enumerate(_MONTHS, 1) for name in names}
_MONTH = (
    r"(?P<{0}>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|enero|ene|febrero|marzo|abr(?:il)?|mayo|junio|julio|ago(?:sto)?"
    r"|sep?tiembre|set|octubre|noviembre|dic(?:iembre)?)\b\.?"
)
_YEAR = r"(?P<{0}>1[5-9]\d\d|20\d\d)(?!\d)"
_DATE = re.compile(
    rf"\b(?P<y1>1[5-9]\d\d|20\d\d)[-/.](?P<m1>0?[1-9]|1[0-2])[-/.](?P<d1>0?[1-9]|[12]\d|3[01])\b"
    rf"|\b(?P<d2>[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th|\.?º)?[ -](?:of |de )?{_MONTH.format('m2')}"
    rf"(?:,?[ -](?:del? |of )?{_YEAR.format('y2')})?"
    rf"|\b{_MONTH.format('m3')} (?:the )?(?P<d3>[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?\b(?![,.]?\d| ?%)"
    rf"(?:,? {_YEAR.format('y3')})?"
    rf"|\b{_MONTH.format('m4')},? (?:del? |of )?{_YEAR.format('y4')}"
    r"|\b(?P<a>\d{1,2})[/.](?P<b>\d{1,2})[/.](?P<y5>(?:19|20)\d\d)\b",
    re.IGNORECASE,
)

_FIGURES = re.compile(r"\d[-/.]\d")
_MONTH_BEFORE = re.compile(rf"(?<![a-z]){_MONTH.format('m')},? (?:the |del? |of )?$", re.IGNORECASE)


@dataclass(frozen=True)
class DateParts:
    """A date as far as it is written; a missing part is None."""

    year: int | None
    month: int | None
    day: int | None

    def agrees(self, other: DateParts) -> bool:
        """Whether the other says all that this one says."""
        wanted = (self.year, self.month, self.day)
        given = (other.year, other.month, other.day)
        return all(one is None or one == two for one, two in zip(wanted, given, strict=True))


@dataclass(frozen=True)
class WrittenDate:
    """A date at [start, end). `readings` has two members where day and month may be exchanged."""

    start: int
    end: int
    readings: tuple[DateParts, ...]


def find_dates(text: str, digits: Sequence[int] | None = None) -> Iterable[WrittenDate]:
    """Every date with at least a day and a month, or a month and a year.

    `digits` are the places of numbers, where they are known; a date stands around one of them.
    """
    if digits is None:
        for found in _DATE.finditer(text):
            yield WrittenDate(found.start(), found.end(), _readings(found))
        return
    behind = 0
    for place in digits:
        if place < behind:
            continue
        month = _MONTH_BEFORE.search(text, max(behind, place - _BEFORE), place)
        match = _DATE.match(text, month.start() if month else place)
        if match:
            behind = match.end()
            yield WrittenDate(match.start(), behind, _readings(match))


@lru_cache(maxsize=2048)
def dates_within(passage: str) -> tuple[WrittenDate, ...]:
    """The dates of a short passage; each date of an output asks for the same ones around a year."""
    return tuple(find_dates(passage))


def may_have_date(text: str, month: int | None) -> bool:
    """Whether a date of this month may be in the text: a quick look for its name, or for 3/5 and 3-5."""
    low = text.lower()
    names = _MONTHS[month - 1] if month else ()
    return not names or any(name in low for name in names) or _FIGURES.search(text) is not None


def _readings(found: re.Match[str]) -> tuple[DateParts, ...]:
    parts = found.groupdict()
    if parts["a"]:
        first, second, slashed = int(parts["a"]), int(parts["b"]), int(parts["y5"])
        both = (DateParts(slashed, second, first), DateParts(slashed, first, second))
        return tuple(dict.fromkeys(one for one in both if one.month and one.month <= 12))
    year = parts["y1"] or parts["y2"] or parts["y3"] or parts["y4"]
    day = parts["d1"] or parts["d2"] or parts["d3"]
    name = parts["m2"] or parts["m3"] or parts["m4"]
    month = _NUMBER_OF[name[:3].lower()] if name else int(parts["m1"])
    return (DateParts(int(year) if year else None, month, int(day) if day else None),)
