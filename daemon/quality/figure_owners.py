"""Whose figure it is: the name that a figure stands beside in the source, and in the text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from daemon.quality.content_words import is_telling, names
from daemon.quality.figure_index import FigureIndex, Place
from daemon.quality.figures import Figure
from daemon.quality.normalise import fold
from daemon.quality.passages import Passages

_BELONGS = re.compile(
    r"[ %]{0,2}(?:[a-z]{3,14} )?(?:of|for|in|at|by|from|de|del|para|en) (?:the |la |el |los )?$"
)
_LONGEST_BELONGING = 34
_NEGATED = re.compile(
    r"\b(?:not|no|unlike|instead of|rather than|en vez de|a diferencia de)(?: in| en| de)? $"
)
_SHORTEST = 3
_TITLE = 240


@dataclass(frozen=True)
class Stranger:
    """A figure's owner in the source, and the one that the text gives it to."""

    there: str
    here: str


@dataclass(frozen=True)
class _Name:
    """A name at an offset, with the folded words that tell it from others."""

    at: int
    text: str
    words: frozenset[str]
    negated: bool


_NAMES: WeakKeyDictionary[Passages, dict[tuple[int, int], list[_Name]]] = WeakKeyDictionary()


def other_owner(
    output: Passages, figure: Figure, index: FigureIndex, place: Place
) -> Stranger | None:
    """None unless the figure plainly belongs to another name in the source.

    Plainly: of the sentence's names, which the source knows, none is around the place, which has a
    name of its own; or the sentence gives figures to two names and this one to the wrong one.
    """
    source = index.texts[place.source]
    here_at = output.row(figure.start) or output.sentence(figure.start)
    here = _names(output, here_at)
    if not here:
        return None
    there_at = source.row(place.start) or source.sentence(place.start)
    there = _names(source, there_at)
    if not there:
        return None
    meant = [one for one in here if not one.negated]
    stranger = _elsewhere(source, place, meant, there) or _exchanged(
        output, index, figure, place, meant, there, there_at
    )
    return None if stranger is None or _is_common(stranger, source) else stranger


def _elsewhere(
    source: Passages, place: Place, meant: Sequence[_Name], there: Sequence[_Name]
) -> Stranger | None:
    known = [one for one in meant if one.text in source.text]
    if not known or len(known) < len(meant):
        return None
    start, end = source.window(place.start)
    around = " ".join(
        (
            source.folded[start:end],
            source.folded[:_TITLE].split("\n", 1)[0],
            fold(source.heading(place.start)),
            fold(source.above_row(start)) if source.row(place.start) else "",
        )
    )
    if any(word in around for one in meant for word in one.words):
        return None
    return Stranger(_owner(source.text, place.start, place.end, there).text, known[0].text)


def _exchanged(
    output: Passages,
    index: FigureIndex,
    figure: Figure,
    place: Place,
    meant: Sequence[_Name],
    there: Sequence[_Name],
    there_at: tuple[int, int],
) -> Stranger | None:
    """Both names have a figure of this kind in the source's sentence; the text has them exchanged."""
    if not 1 <= len(meant) <= 2 or figure.dates or _is_year(figure):
        return None
    source = index.texts[place.source]
    here_owner = _owner(output.text, figure.start, figure.end, meant)
    there_owner = _owner(source.text, place.start, place.end, there)
    if here_owner.words & there_owner.words:
        return None
    if len(meant) == 2 and not any(one.words & there_owner.words for one in meant):
        return None
    if len(meant) == 2 and _alone(there) and not _alone(meant):
        return Stranger(there_owner.text, here_owner.text)
    for other in index.in_range(place.source, *there_at):
        if other.percent != place.percent or other.value in (place.value, 0.0):
            continue
        if _owner(source.text, other.start, other.end, there).words & here_owner.words:
            return Stranger(there_owner.text, here_owner.text)
    return None


def _alone(found: Sequence[_Name]) -> bool:
    return len({one.text for one in found}) == 1


def _is_year(figure: Figure) -> bool:
    return figure.kind == "plain" and len(figure.text) == 4 and figure.text.isdigit()


def _owner(text: str, start: int, end: int, found: Sequence[_Name]) -> _Name:
    """The name that the figure at [start, end) belongs to: "43 % of Clio", else the last before it."""
    for one in found:
        if end <= one.at <= end + _LONGEST_BELONGING and _BELONGS.match(fold(text[end : one.at])):
            return one
    before = [one for one in found if one.at < start]
    return before[-1] if before else found[0]


def _names(passages: Passages, within: tuple[int, int]) -> list[_Name]:
    """The names there; those of a text are kept as long as it is."""
    known = _NAMES.setdefault(passages, {})
    found = known.get(within)
    if found is None:
        found = known[within] = _names_in(passages, *within)
    return found


def _names_in(passages: Passages, start: int, end: int) -> list[_Name]:
    """A capital at the beginning counts where the word is never written small."""
    found: list[_Name] = []
    for at, text in names(passages.text[start:end]):
        first = not passages.text[start : start + at].strip(" |*-#>_\"'(¿¡\t")
        if first and " " not in text and passages.is_written_small(text):
            continue
        words = frozenset(word for word in fold(text).split() if len(word) >= _SHORTEST)
        if words:
            negated = _NEGATED.search(passages.folded, max(start, start + at - 20), start + at)
            found.append(_Name(start + at, text, words, negated is not None))
    return found


def _is_common(stranger: Stranger, source: Passages) -> bool:
    """Whether either name is a word as any other, with a capital for where it stands."""
    names_of_one = [name for name in (stranger.here, stranger.there) if " " not in name]
    return any(not is_telling(fold(one)) for one in names_of_one) or (
        stranger.here in names_of_one and source.is_written_small(stranger.here)
    )
