"""Whether a number of a source can be what a figure says: per cent, currency, unit of measure."""

from __future__ import annotations

import re

from daemon.quality.figure_index import FigureIndex, Place
from daemon.quality.figure_text import currency
from daemon.quality.figures import Figure
from daemon.quality.units import unit_at

_PERCENT_WORDS = re.compile(
    r"\(%\)|% (?:of|de|del|en|in)\b|\bpercent(?:age)?s?\b|\bper cent\b|\bpor ciento\b|\bporcentajes?\b|\bshares?\b"
    r"|\btasas?\b|\bproporcion(?:es)?\b|\brates?\b"
)
_LIST_TO_PERCENT = re.compile(
    r"(?: ?(?:,|/|-|–|—|;| and | y | or | o | to | a |,? respectively){1,2} ?\d+(?:[.,]\d+)?){1,6} ?"
    r"(?:%|percent|per cent|por ciento|points|puntos)"
)
_NOTHING_OF_ITS_OWN = re.compile(r" ?(?:[^\w +]|$|(?:of|in|at|to|and|de|del|en|y|a|por|per|out)\b)")


def same_unit(figure: Figure, place: Place, index: FigureIndex) -> bool:
    """Per cent meets per cent, money no other currency, days no kilograms; a bare number meets all."""
    text = index.texts[place.source]
    if figure.kind == "percent":
        return place.percent or _read_as_percent(place, index)
    if figure.kind in ("plain", "money") and place.percent:
        return False
    if figure.measured:
        there = unit_at(text.folded, place.end)
        if there and there != figure.measured:
            return False
    if figure.unit:
        return currency(text.text, place.start, place.end) in ("", figure.unit)
    return True


def _read_as_percent(place: Place, index: FigureIndex) -> bool:
    """A bare number that a list, a header or a word beside it calls per cent."""
    text = index.texts[place.source]
    if text.row(place.start):
        start, end = text.window(place.start)
        first = text.text.rfind("|", start, place.start)
        head = text.folded[first if first > start else start : place.start]
        around = f"{head}\n{text.above_row(start).lower()}"
        own = _NOTHING_OF_ITS_OWN.match(text.folded, place.end) is not None
        return own and ("%" in around or _PERCENT_WORDS.search(around) is not None)
    if _LIST_TO_PERCENT.match(text.folded, place.end):
        return True
    if not _NOTHING_OF_ITS_OWN.match(text.folded, place.end):
        return False
    start, end = text.sentence(place.start)
    return _PERCENT_WORDS.search(text.folded, start, end) is not None
