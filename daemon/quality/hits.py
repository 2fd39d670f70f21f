"""Find garbage patterns in a text; what follows from them is decided in garbage.py.

Hundreds of patterns are not tried one by one. One pass over the text tells which of their pieces
occur and where; a pattern is tried where a sentence begins as it does, or where its piece stands.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from daemon.quality.clauses import clause_starts, has_figure
from daemon.quality.language import languages_within
from daemon.quality.normalise import Reading, Sentence, count_words
from daemon.quality.patterns import Pattern, PatternGroup, load_patterns
from daemon.quality.pieces import PieceFinder, Places, offer

_MOST_HITS = 40
_SHORT = 300
_ALWAYS_SPOKEN = ("any", "en", "es", "zh")


@dataclass(frozen=True)
class Hit:
    """One match of a pattern. `words` is what it counts for: its sentence, or its own words."""

    pattern: Pattern
    start: int
    end: int
    words: int
    sentence: Sentence | None = None


def find_hits(reading: Reading, extra: Sequence[Pattern] = ()) -> list[Hit]:
    """All matches of all patterns, the ones of `extra` too. Nothing is decided here."""
    pieces = (
        {**_finder(tuple(extra)).places(reading.open), **reading.pieces}
        if extra
        else reading.pieces
    )
    hits = list(_clause_hits(reading, pieces, extra))
    for pattern in (*load_patterns().whole, *extra):
        if pattern.where == "whole":
            hits.extend(_whole_hits(reading, pieces, pattern))
    return hits


def fits_length(pattern: Pattern, reading: Reading) -> bool:
    """Whether a text of this many words is looked at by the pattern's family at all."""
    most = pattern.family.up_to_words
    return most is None or reading.words <= most


@lru_cache(maxsize=8)
def _finder(extra: tuple[Pattern, ...]) -> PieceFinder:
    """Looks for the pieces of patterns that the package has not."""
    return PieceFinder(_pieces(one for one in extra if one.where == "whole"))


def _own_pieces() -> Iterable[str]:
    return _pieces((*_late(), *load_patterns().whole))


def _pieces(patterns: Iterable[Pattern]) -> Iterable[str]:
    """Whatever patterns need that are not told by a sentence's first letters."""
    for one in patterns:
        yield from (*one.needs, *one.required)
        if one.where == "whole":
            yield from (key for _, key in one.folded_anchors)


def _clause_hits(reading: Reading, pieces: Places, extra: Sequence[Pattern]) -> Iterable[Hit]:
    own = tuple(pattern for pattern in extra if pattern.where != "whole")
    late = _sentences_of_late(reading, pieces)
    for sentence in reading.sentences:
        for _, pattern in sorted(_matching(reading, sentence, late).items()):
            yield Hit(pattern, sentence.start, sentence.end, sentence.words, sentence)
        for pattern in own:
            if pattern.compiled.search(reading.masked, sentence.start, sentence.end):
                yield Hit(pattern, sentence.start, sentence.end, sentence.words, sentence)


def _matching(
    reading: Reading, sentence: Sentence, late: Mapping[int, Sequence[Pattern]]
) -> dict[str, Pattern]:
    """The clause patterns that match where this sentence or one of its clauses begins."""
    starts = clause_starts(reading, sentence)
    figures = has_figure(reading, sentence)
    found: dict[str, Pattern] = {}
    for start in starts.every:
        opens = start in starts.opening
        likely = _early(reading.words > _SHORT).likely(reading.masked, start, sentence.end)
        for one in (*likely, *late.get(sentence.start, ())):
            if one.id in found or (figures and one.spare_figures) or not (opens or one.clauses):
                continue
            if not fits_length(one, reading):
                continue
            text = reading.open if one.mask == "open" else reading.masked
            if one.compiled.match(text, start, sentence.end):
                found[one.id] = one
    return found


def _sentences_of_late(reading: Reading, pieces: Places) -> dict[int, list[Pattern]]:
    """By a sentence's start: the patterns that are not told by its first letters but by a piece in it.

    In a long text only those of the languages of which it has some words.
    """
    found: dict[int, list[Pattern]] = {}
    starts = [sentence.start for sentence in reading.sentences]
    spoken = {*languages_within(reading.tokens), *_ALWAYS_SPOKEN}
    for pattern in _late() if starts else ():
        if pattern.language not in spoken or not _may_occur(pattern, reading, pieces):
            continue
        places = starts
        if pattern.required:
            standing = (pieces.get(piece, ()) for piece in pattern.required)
            holding = {bisect_right(starts, at) - 1 for some in standing for at in some}
            places = [starts[index] for index in holding if index >= 0]
        for start in places:
            found.setdefault(start, []).append(pattern)
    return found


def _places(text: str, piece: str) -> Iterable[int]:
    at = text.find(piece)
    while at >= 0:
        yield at
        at = text.find(piece, at + 1)


@lru_cache(maxsize=2)
def _early(in_long: bool) -> PatternGroup:  # noqa: FBT001 - a key of the cache
    """Clause patterns that a sentence's first letters tell, and that look at prose."""
    early = (one for one in load_patterns().clause if not one.is_told_late)
    most = ((one, one.family.up_to_words) for one in early)
    kept = (one for one, words in most if not in_long or words is None or words > _SHORT)
    return PatternGroup(tuple(kept), "masked")


@lru_cache(maxsize=1)
def _late() -> tuple[Pattern, ...]:
    return tuple(one for one in load_patterns().clause if one.is_told_late)


def _may_occur(pattern: Pattern, reading: Reading, pieces: Places) -> bool:
    if not fits_length(pattern, reading):
        return False
    known = (pattern.needs, pattern.required)
    return all(not some or any(map(pieces.__contains__, some)) for some in known)


def _whole_hits(reading: Reading, pieces: Places, pattern: Pattern) -> Iterable[Hit]:
    if not _may_occur(pattern, reading, pieces):
        return
    text = {"raw": reading.raw, "open": reading.open, "masked": reading.masked}[pattern.mask]
    for found in islice(_matches(pattern, reading, text, pieces), _MOST_HITS):
        words = count_words(text[found.start() : found.end()])
        yield Hit(pattern, found.start(), found.end(), words)


def _matches(
    pattern: Pattern, reading: Reading, text: str, pieces: Places
) -> Iterable[re.Match[str]]:
    """What `finditer` finds, empty matches left out; where it can begin in few places, tried only there."""
    if not pattern.anchors and pattern.edge is None:
        yield from (found for found in pattern.compiled.finditer(text) if found.group())
        return
    end = 0
    for at in _beginnings(pattern, reading, text, pieces):
        found = pattern.compiled.match(text, at) if at >= end else None
        if found and found.group():
            end = found.end()
            yield found


def _beginnings(pattern: Pattern, reading: Reading, text: str, pieces: Places) -> Sequence[int]:
    """Where in one of its views alone the pattern can match, in order."""
    if pattern.edge == "text":
        return [0]
    if pattern.edge == "line":
        return reading.line_starts
    known = (one for one, key in pattern.folded_anchors if not key or key in pieces)
    return sorted({at for anchor in known for at in _places(text, anchor)})


offer(_own_pieces)
