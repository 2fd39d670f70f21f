"""Figures that follow from a rate of the notes and a count, also where one of them is a small word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from daemon.quality.content_words import stem
from daemon.quality.figure_index import FigureIndex
from daemon.quality.figures import SMALLEST, Figure
from daemon.quality.number_words import small_number
from daemon.quality.passages import Passages

_COUNT = r"(?<![\w.,$€])(?P<count>[0-9]{1,3}|[a-z]{2,6})"
_COUNTED = re.compile(rf"{_COUNT} (?=(?P<thing>[a-z]{{4,}}))")
_RATE = re.compile(
    rf"{_COUNT} (?P<unit>[a-z]{{4,}}) (?:por|per|a|each|cada|every) (?:cada |each |la |el |the )?"
    r"(?P<thing>[a-z]{4,})"
)
_ALONE = re.compile(rf"{_COUNT}(?![\w%])(?!,[0-9]|\.[0-9])")
_PER = re.compile(r"\b(?:por|per|each|cada|every) (?:cada |each )?(?P<thing>[a-z]{5,})")
_UNIT = re.compile(r"[0-9] ?(?P<unit>[a-z]{4,})")
_MOST_PLACES = 20
_AROUND = 60
_DIGITS = 3


def from_a_rate(
    figure: Figure, output: Passages, index: FigureIndex, amounts: Sequence[tuple[str, float]]
) -> str:
    """The arithmetic where a count of the figure's sentence times a rate of a note, or one of `amounts`
    (as written, and the value) by a small count of a note, is the figure to its last digit.

    Times: "36 tonnes from its four hectares", where a note has "9 tonnes per hectare": the units meet.
    By: "255 bottles per person", where a note has "a shift of five persons"; for figures of three
    digits and more only, since chance gives a quotient sooner. Empty where there is none.
    """
    if figure.kind in ("date", "time", "percent") or not figure.readings:
        return ""
    start, end = output.sentence(figure.start)
    said = output.folded[start:end]
    return _times(figure, output, said, index) or _by(figure, said, index, amounts)


def _times(figure: Figure, output: Passages, said: str, index: FigureIndex) -> str:
    unit = _UNIT.search(output.folded, figure.start, figure.end + _AROUND // 2)
    if unit is None or unit.start() >= figure.end:
        return ""
    for count, many, thing in _counted(said):
        for text in index.texts:
            for rate in _around(_RATE, text, stem(unit["unit"])):
                each = small_number(rate["count"])
                same = stem(rate["unit"]) == stem(unit["unit"]) and stem(rate["thing"]) == thing
                if same and each and _is(figure, many * each):
                    return f"{count} x {rate.group()}"
    return ""


def _by(figure: Figure, said: str, index: FigureIndex, amounts: Sequence[tuple[str, float]]) -> str:
    if sum(letter.isdigit() for letter in figure.text) < _DIGITS:
        return ""
    for per in _PER.finditer(said):
        thing = stem(per["thing"])
        for text in index.texts:
            for place in _places(text.folded, thing):
                first, last = text.sentence(place)
                for found in _ALONE.finditer(text.folded, first, last):
                    small = small_number(found["count"])
                    for written, value in amounts if small and 1 < small <= SMALLEST else ():
                        if small and _is(figure, value / small):
                            return f"{written} / {found['count']}"
    return ""


def _counted(said: str) -> Iterable[tuple[str, int, str]]:
    """Counts of things in a sentence: as written, how many, and the stem of the thing."""
    for found in _COUNTED.finditer(said):
        many = small_number(found["count"])
        if many and many > 1:
            yield found["count"], many, stem(found["thing"])


def _around(pattern: re.Pattern[str], text: Passages, word: str) -> Iterable[re.Match[str]]:
    for at in _places(text.folded, word):
        yield from pattern.finditer(text.folded, max(0, at - _AROUND), at + _AROUND)


def _places(text: str, word: str) -> Iterable[int]:
    at = text.find(word)
    for _ in range(_MOST_PLACES):
        if at < 0:
            return
        yield at
        at = text.find(word, at + 1)


def _is(figure: Figure, result: float) -> bool:
    """Whether the result is the figure to half of its last written digit; a zero is a digit as well."""
    return any(
        abs(result - value) <= (min(step, 1.0) / 2 if value < 1000 else 0.5)
        for value, step in figure.readings
    )
