"""Find garbage by sentence, position and share.

A pattern never rejects because it occurs. It rejects where it opens or ends a short text, where
its family makes up a large share of all words, or where it is no sentence at all but a machine's
message. One phrase left in a long report does not reject; planning left there is marked.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from daemon.quality.clauses import clause_starts, has_figure
from daemon.quality.hidden_signs import hidden_signs
from daemon.quality.language import languages_within
from daemon.quality.normalise import Reading, Sentence, count_words
from daemon.quality.patterns import Pattern, PatternGroup, load_patterns
from daemon.quality.verdict import Defect, Profile

_MOST_HITS = 40
_SHORT = 300
_MOST_DEFECTS = 12
_MANY_PLACES = 3
_MIXED_SHARE = 0.85
_CODE_IS_ALL = 20
_ALWAYS_SPOKEN = ("any", "en", "es", "zh")
_MAY_GO_ON = frozenset({"refusal", "capability"})
_BUT_CAN = re.compile(r"\b(?:but i can (?!not)|but here\b|pero (?:si )?puedo\b|pero aqui\b)")
_MINOR_FAMILIES = frozenset({"planning"})


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
    patterns = (*load_patterns().patterns, *extra)
    hits = list(_clause_hits(reading, extra))
    for pattern in patterns:
        if pattern.where == "whole":
            hits.extend(_whole_hits(reading, pattern))
    return hits


def judge_hits(reading: Reading, hits: Iterable[Hit], profile: Profile) -> list[Defect]:
    """The defects that these hits amount to, rejecting ones first."""
    live = [hit for hit in hits if profile not in hit.pattern.family.profiles_without]
    if profile == "answer":
        live = [hit for hit in live if not _goes_on_to_answer(reading, hit)]
    defects: dict[str, Defect] = {}
    for hit in live:
        rejects = _rejects(reading, hit, live)
        if rejects is None:
            continue
        known = defects.get(hit.pattern.id)
        if known is None or (rejects and not known.rejects):
            defects[hit.pattern.id] = _defect(reading, hit, rejects=rejects)
    if not any(defect.rejects for defect in defects.values()):
        defects.update(_mixed_garbage(reading, live))
    found = [*defects.values(), *hidden_signs(reading.text)]
    ordered = sorted(found, key=lambda defect: (not defect.rejects, defect.span or (0, 0)))
    return ordered[:_MOST_DEFECTS]


def share_of(reading: Reading, hits: Iterable[Hit], families: Iterable[str]) -> float:
    """Words of sentences that match one of these families over all words of the text, 0..1."""
    wanted = set(families)
    return _share(reading, (hit for hit in hits if hit.pattern.family.name in wanted))


def fits_length(pattern: Pattern, reading: Reading) -> bool:
    """Whether a text of this many words is looked at by the pattern's family at all."""
    most = pattern.family.up_to_words
    return most is None or reading.words <= most


def _clause_hits(reading: Reading, extra: Sequence[Pattern]) -> Iterable[Hit]:
    own = tuple(pattern for pattern in extra if pattern.where != "whole")
    late = _sentences_of_late(reading)
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


def _sentences_of_late(reading: Reading) -> dict[int, list[Pattern]]:
    """By a sentence's start: the patterns that are not told by its first letters but by a piece in it.

    In a long text only those of the languages of which it has some words.
    """
    found: dict[int, list[Pattern]] = {}
    starts = [sentence.start for sentence in reading.sentences]
    spoken = {*languages_within(reading.tokens), *_ALWAYS_SPOKEN}
    for pattern in _late() if starts else ():
        if pattern.language not in spoken or not _may_occur(pattern, reading):
            continue
        places = starts
        if pattern.required:
            likely = filter(reading.holds, pattern.required)
            pieces = [_places(reading.open, piece) for piece in likely]
            holding = {bisect_right(starts, at) - 1 for some in pieces for at in some}
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


def _may_occur(pattern: Pattern, reading: Reading) -> bool:
    if not fits_length(pattern, reading):
        return False
    known = (pattern.needs, pattern.required)
    return all(not some or any(map(reading.holds, some)) for some in known)


def _whole_hits(reading: Reading, pattern: Pattern) -> Iterable[Hit]:
    if not _may_occur(pattern, reading):
        return
    text = {"raw": reading.raw, "open": reading.open, "masked": reading.masked}[pattern.mask]
    for found in islice(_matches(pattern, reading, text), _MOST_HITS):
        words = count_words(text[found.start() : found.end()])
        yield Hit(pattern, found.start(), found.end(), words)


def _matches(pattern: Pattern, reading: Reading, text: str) -> Iterable[re.Match[str]]:
    """What `finditer` finds, empty matches left out; where it begins in few ways, these are looked for."""
    if not pattern.anchors:
        yield from (found for found in pattern.compiled.finditer(text) if found.group())
        return
    folded = pattern.mask != "raw"
    anchors = filter(reading.holds, pattern.anchors) if folded else pattern.anchors
    places = sorted({at for anchor in anchors for at in _places(text, anchor)})
    end = 0
    for at in places:
        found = pattern.compiled.match(text, at) if at >= end else None
        if found and found.group():
            end = found.end()
            yield found


def _rejects(reading: Reading, hit: Hit, hits: Sequence[Hit]) -> bool | None:
    """True rejects, False marks, None leaves alone."""
    pattern = hit.pattern
    if pattern.action == "strips":
        return None
    if pattern.action == "flags":
        return False
    if hit.sentence is None:
        return _whole_rejects(reading, hit, hits)
    if _telling_position(reading, hit):
        return True
    together = pattern.family.counts_with or (pattern.family.name,)
    if pattern.family.name in _MINOR_FAMILIES and _only_at_the_end(reading, hits):
        return False
    if share_of(reading, hits, together) >= pattern.family.share:
        return True
    return False if pattern.family.name in _MINOR_FAMILIES else None


def _goes_on_to_answer(reading: Reading, hit: Hit) -> bool:
    """ "I can't X, but I can ...", and then a sentence with figures: the next best thing was given."""
    if hit.sentence is None or hit.pattern.family.name not in _MAY_GO_ON:
        return False
    own = reading.masked[hit.sentence.start : hit.sentence.end]
    behind = (one for one in reading.sentences if one.before > hit.sentence.before)
    return bool(_BUT_CAN.search(own)) and any(has_figure(reading, one) for one in behind)


def _only_at_the_end(reading: Reading, hits: Iterable[Hit]) -> bool:
    """Next steps behind what was found, figures and all: planning in the second half of a text only."""
    planned = [hit.sentence for hit in hits if hit.sentence and _is_minor(hit)]
    first = min((one.before for one in planned), default=0)
    before = (one for one in reading.sentences if one.before < first)
    return first * 2 >= reading.prose_words and any(has_figure(reading, one) for one in before)


def _is_minor(hit: Hit) -> bool:
    return hit.pattern.family.name in _MINOR_FAMILIES


def _telling_position(reading: Reading, hit: Hit) -> bool:
    if reading.words > hit.pattern.family.short_words or hit.sentence is None:
        return False
    if hit.pattern.where == "head":
        return hit.sentence.in_head
    return hit.pattern.where == "tail" and hit.sentence.in_tail


def _whole_rejects(reading: Reading, hit: Hit, hits: Sequence[Hit]) -> bool | None:
    """A machine's message rejects in a short text, or in many places; inside code it is an example."""
    if hit.pattern.mask != "masked" and _is_example(reading, hit):
        return None
    if reading.words <= hit.pattern.family.short_words:
        return True
    same = [one for one in hits if one.pattern.id == hit.pattern.id]
    places = [one for one in same if one.pattern.mask == "masked" or not _is_example(reading, one)]
    return len(places) >= _MANY_PLACES


def _is_example(reading: Reading, hit: Hit) -> bool:
    """Code or a quotation inside a text that has prose of its own."""
    if reading.prose_words < _CODE_IS_ALL and not _is_inline(reading, hit):
        return False
    return any(
        mask.kind in ("code", "quote") and mask.start <= hit.start < mask.end
        for mask in reading.masks
    )


def _is_inline(reading: Reading, hit: Hit) -> bool:
    """Quoted within a sentence: something of the author's own stands on the same line."""
    start = reading.masked.rfind("\n", 0, hit.start) + 1
    end = reading.masked.find("\n", hit.end)
    line = reading.masked[start : end if end >= 0 else None]
    return any(char.isalpha() for char in line)


def _share(reading: Reading, hits: Iterable[Hit]) -> float:
    seen: dict[int, int] = {}
    for hit in hits:
        if hit.sentence is not None:
            seen[hit.start] = hit.words
    total = max(reading.prose_words, 1)
    return sum(seen.values()) / total


def _mixed_garbage(reading: Reading, hits: Sequence[Hit]) -> dict[str, Defect]:
    """A text made of nothing but sentences that say nothing, whatever mixture they are."""
    empty = [hit for hit in hits if hit.sentence is not None and hit.pattern.action == "rejects"]
    if _share(reading, empty) < _MIXED_SHARE:
        return {}
    return {hit.pattern.id: _defect(reading, hit, rejects=True) for hit in empty}


def _defect(reading: Reading, hit: Hit, *, rejects: bool) -> Defect:
    span = reading.span(hit.start, hit.end)
    return Defect(hit.pattern.id, hit.pattern.message, rejects, span)
