"""Figures that are the time between two dates or years of the notes, or the same measure in another unit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date
from itertools import combinations

from daemon.quality.dates import DateParts, find_dates
from daemon.quality.figure_index import FigureIndex
from daemon.quality.figures import Figure
from daemon.quality.units import Unit, unit_at

_MOST_DATES = 6
_DAYS_IN_A_YEAR = 365.25
_CLOSE = 0.005
_YEAR = re.compile(r"(?<![\d.,/-])(?:1[5-9]|20)\d\d(?![\d/-])")


def span_of_time(figure: Figure, texts: Sequence[str]) -> str:
    """The two dates between which so many days, weeks, months or years lie; empty where none do.

    Of the texts, the first that has such a pair counts. The last day may be counted or not; months and
    years are counted whole.
    """
    unit = figure.measured
    if unit is None or unit.kind != "time" or unit.factor < 1:
        return ""
    value = figure.readings[0][0]
    for text in texts:
        written = list(_dated(text))[:_MOST_DATES]
        for (first, one), (second, other) in combinations(written, 2):
            days = abs((other - one).days)
            if _is_span(value, unit, days):
                return f"{second} - {first}"
    return _of_years(value, unit, texts[0]) if texts else ""


def in_another_unit(
    figure: Figure, index: FigureIndex, places: Iterable[tuple[int, int, int]]
) -> str:
    """A measure in one of these parts of the notes (source, start, end) that is the figure in its unit."""
    unit = figure.measured
    if unit is None:
        return ""
    for source, start, end in places:
        text = index.texts[source]
        for place in index.in_range(source, start, end):
            there = unit_at(text.folded, place.end)
            if there is None or there == unit or there.kind != unit.kind or place.percent:
                continue
            value, step = figure.readings[0]
            result = place.value * there.factor / unit.factor
            if abs(result - value) <= max(_CLOSE * value, 1e-9) and abs(result - value) <= step / 2:
                return f"{text.text[place.start : place.end]} in another unit"
    return ""


def _of_years(value: float, unit: Unit, text: str) -> str:
    """The years of the first text, which are figures that are looked up themselves."""
    if unit.factor < _DAYS_IN_A_YEAR:
        return ""
    years = sorted({int(one) for one in _YEAR.findall(text)})[:_MOST_DATES]
    pairs = ((one, other) for one, other in combinations(years, 2) if other - one == value)
    return next((f"{other} - {one}" for one, other in pairs), "")


def _is_span(value: float, unit: Unit, days: int) -> bool:
    if unit.factor == 1:
        return days in (value, value - 1)
    whole = days / unit.factor
    return days > 0 and int(whole) <= value <= int(whole) + (whole % 1 > 1 - _CLOSE * 10)


def _dated(text: str) -> Iterable[tuple[str, date]]:
    """The dates of a text; one without its year takes the next one's."""
    found = [(text[one.start : one.end], one.readings[0]) for one in find_dates(text)]
    for at, (written, parts) in enumerate(found):
        year = parts.year or next((other.year for _, other in found[at:] if other.year), None)
        day = _day(DateParts(year, parts.month, parts.day))
        if day:
            yield written, day


def _day(parts: DateParts) -> date | None:
    if not (parts.year and parts.month and parts.day):
        return None
    try:
        return date(parts.year, parts.month, parts.day)
    except ValueError:
        return None
