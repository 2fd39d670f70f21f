"""One figure, looked up: where it stands, and whether the words there are about the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from heapq import nlargest
from typing import NamedTuple

from daemon.quality.figure_index import FigureIndex, Place
from daemon.quality.figure_units import same_unit
from daemon.quality.figures import Figure

ENOUGH_WORDS = 2

_TELLING = 2
_MANY_WORDS = 9
_LOOKED_AT = 8
_NEAR = 320
_PLAIN_ROUNDING = 0.03
_ROUND_FROM = 1000
_ABOUT_ROUNDING = 0.06
_PAST = 0.1  # "almost 500" is said of 505
_MORE_THAN = re.compile(
    r"(?:over|more than|at least|above|exceed(?:s|ing)?|>|mas de|al menos"
    r"|por encima de|supera(?:n|r)?(?: los| las)?)"
    r"[ $€£]{0,3}(?:us\$)?$"
)
_LESS_THAN = re.compile(
    r"(?:nearly|almost|less than|under|up to|below|fewer than|<|casi|menos de|hasta)"
    r"[ $€£]{0,3}(?:us\$)?$"
)


class Sighting(NamedTuple):
    """A place of a figure. `shared` counts the content words that both surroundings have."""

    place: Place
    shared: int
    rounded: bool = False


def sightings(
    figure: Figure, about: frozenset[str], index: FigureIndex, beside: frozenset[float]
) -> list[Sighting]:
    """The places of a figure, those first whose surroundings share most words with `about`.

    An exact place that shares enough wins over a rounded one, and a rounded one that shares enough
    over an exact one that does not. `beside` are the other figures of its sentence: one that stands
    beside it there too counts as a shared word.
    """
    enough = needed(about)
    exact = _seen(figure, about, beside, index, list(_exact(figure, index)))
    if exact and exact[0].shared >= enough:
        return exact
    words = _seen(figure, about, beside, index, list(_written_out(figure, index)))
    if words and words[0].shared >= enough:
        return words
    near = _seen(figure, about, beside, index, list(_rounded(figure, index)))
    if near and near[0].shared >= enough:
        return [one._replace(rounded=True) for one in near]
    return exact or words


def needed(about: frozenset[str]) -> int:
    """How many content words must be shared: two, three of many, or all where there are fewer."""
    return min(ENOUGH_WORDS + (len(about) >= _MANY_WORDS), len(about))


def _exact(figure: Figure, index: FigureIndex) -> Iterable[Place]:
    if figure.dates:
        for date in figure.dates:
            yield from index.dates(date)
        return
    if figure.kind == "time":
        yield from index.times(figure.text)
        return
    for value, _ in figure.readings:
        yield from index.at(value)


def _written_out(figure: Figure, index: FigureIndex) -> Iterable[Place]:
    for value, step in figure.readings:
        yield from index.in_words(value)
        yield from index.and_a_half(value)
        if value < 1:
            yield from index.in_words(round(100 * value, 6))  # "thirty-two cents"
        if figure.kind == "percent":
            yield from index.as_fraction(value, min(step, 1.0) / 2)


def _rounded(figure: Figure, index: FigureIndex) -> Iterable[Place]:
    """Places of a more exact number that rounds to the figure."""
    if figure.kind in ("date", "time"):
        return
    digits = significant(figure.text)
    for value, step in figure.readings:
        below, above = _reach(figure, value, step)
        if above:
            for place in index.between(value - below, value + above * (1 + 1e-9)):
                written = index.texts[place.source].text[place.start : place.end]
                if written.isdigit() and 1900 <= place.value < 2100:
                    continue  # a year is no more exact count
                if place.value != value and significant(written) > digits:
                    yield place


def significant(written: str) -> int:
    """How many digits of a number say something: neither leading zeros nor those at its end."""
    return len(re.sub(r"\D", "", written).strip("0"))


def _reach(figure: Figure, value: float, step: float) -> tuple[float, float]:
    """How far below and above a rounded figure the exact number may lie; 0 where it is exact itself.

    "More than 500" is said of anything up to 600, "almost 500" of anything from 400; neither of more than
    six per cent.
    """
    if _is_year(figure, value):
        return 0.0, 0.0
    if step <= 1:
        return step / 2, step / 2
    if not figure.about:
        half = min(step / 2, _PLAIN_ROUNDING * value) if value >= _ROUND_FROM else 0.0
        return half, half
    half, whole = (min(most, _ABOUT_ROUNDING * value) for most in (0.499 * step, step))
    if _MORE_THAN.search(figure.before):
        return _PAST * step, whole
    return (whole, _PAST * step) if _LESS_THAN.search(figure.before) else (half, half)


def _is_year(figure: Figure, value: float) -> bool:
    return figure.kind == "plain" and figure.text.isdigit() and 1500 <= value < 2100


def _seen(
    figure: Figure,
    about: frozenset[str],
    beside: frozenset[float],
    index: FigureIndex,
    places: Sequence[Place],
) -> list[Sighting]:
    fitting = [
        one for one in places if _counts(figure, one, index) and same_unit(figure, one, index)
    ]
    if len(fitting) > _LOOKED_AT:
        fitting = nlargest(_LOOKED_AT, fitting, key=lambda one: _roughly(about, one, index))
    found: list[Sighting] = []
    for place in fitting:
        shared = len(about & index.texts[place.source].window_stems(place.start))
        if beside and shared < needed(about) and not _is_year(figure, place.value):
            shared += _figures_beside(beside, place, index)
        found.append(Sighting(place, shared))
    return sorted(found, key=lambda one: -one.shared)


def _figures_beside(beside: frozenset[float], place: Place, index: FigureIndex) -> int:
    window = index.texts[place.source].window(place.start)
    there = {one.value for one in index.in_range(place.source, *window) if one.start != place.start}
    return sum(_TELLING if _tells(value) else 1 for value in beside & there)


def _tells(value: float) -> bool:
    """Whether a number is rare enough to stand for two words: three digits and more, and no year."""
    return value >= 100 and not 1900 <= value < 2100


def _roughly(about: frozenset[str], place: Place, index: FigureIndex) -> int:
    near = index.texts[place.source].folded[max(0, place.start - _NEAR) : place.end + _NEAR]
    return sum(map(near.__contains__, about))


def _counts(figure: Figure, place: Place, index: FigureIndex) -> bool:
    """Dates and times are labels themselves, and so is a day of "4 and 5 May"."""
    return figure.day or figure.kind in ("date", "time") or not index.is_label(place)
