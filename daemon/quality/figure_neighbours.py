"""The words right beside a figure: whether a source has another figure between the same ones."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import NamedTuple
from weakref import WeakKeyDictionary

from daemon.quality.content_words import is_telling, stem
from daemon.quality.figure_index import FigureIndex, Place
from daemon.quality.figures import Figure
from daemon.quality.passages import Passages

_TOKEN = re.compile(r"[^\W\d_]+|[0-9][0-9.,]*")
_REACH = 60
_MOST_TOKENS = 4
_PLAINLY = 2
_SHOWN = 2


class Neighbours(NamedTuple):
    """The stems in front of a place, nearest first, and those behind it."""

    before: list[str]
    behind: list[str]


_KNOWN: WeakKeyDictionary[Passages, dict[tuple[int, int], Neighbours]] = WeakKeyDictionary()


def between_others(output: Passages, figure: Figure, index: FigureIndex, place: Place) -> str:
    """What the figure stands beside in the source, where its words in the text plainly are another's.

    Plainly: another figure of the source's sentence stands between two more telling words of the text
    than this one does. Empty otherwise; years and rows of tables are told of too freely to say.
    """
    source = index.texts[place.source]
    year = figure.kind == "plain" and 1900 <= place.value < 2100
    if year or figure.dates or output.row(figure.start) or source.row(place.start):
        return ""
    here = _neighbours(output, figure.start, figure.end)
    there = _neighbours(source, place.start, place.end)
    own = _shared(here, there) + _PLAINLY
    for other in index.in_range(place.source, *source.sentence(place.start)):
        if other.percent != place.percent or other.value == place.value:
            continue
        others = _neighbours(source, other.start, other.end)
        if other.start < place.start:  # "A costs 5 and B 7": what stands before 5 serves 7 as well
            others = others._replace(before=[])
        if _alike(here, others) >= own:
            return _as_written(source, place)
    return ""


def _as_written(source: Passages, place: Place) -> str:
    """The words behind the place; in front of it, where it ends its sentence."""
    _, last = source.sentence(place.start)
    words = _TOKEN.findall(source.text, place.end, min(last, place.end + _REACH))[:_SHOWN]
    return " ".join(
        words or _TOKEN.findall(source.text, max(0, place.start - _REACH), place.start)[-1:]
    )


def _neighbours(text: Passages, start: int, end: int) -> Neighbours:
    """The stems beside [start, end); those of a text are kept as long as it is."""
    known = _KNOWN.setdefault(text, {})
    beside = known.get((start, end))
    if beside is None:
        beside = known[start, end] = _beside(text, start, end)
    return beside


def _beside(text: Passages, start: int, end: int) -> Neighbours:
    first, last = text.sentence(start)
    before = _TOKEN.findall(text.folded, max(first, start - _REACH), start)[-_MOST_TOKENS:]
    behind = _TOKEN.findall(text.folded, end, min(last, end + _REACH))[:_MOST_TOKENS]
    return Neighbours([stem(word) for word in reversed(before)], [stem(word) for word in behind])


def _shared(one: Neighbours, other: Neighbours) -> int:
    """How many telling words both have on the same side, in whatever order."""
    both = (set(one.before) & set(other.before), set(one.behind) & set(other.behind))
    return sum(is_telling(word) for words in both for word in words)


def _alike(one: Neighbours, other: Neighbours) -> int:
    """How many telling words both have in the same order from the figure outwards."""
    return sum(
        is_telling(word)
        for mine, theirs in ((one.before, other.before), (one.behind, other.behind))
        for word, _ in takewhile(lambda two: two[0] == two[1], zip(mine, theirs, strict=False))
    )
