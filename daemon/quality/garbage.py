"""Judge what the patterns found, by sentence, position and share.

A pattern never rejects because it occurs. It rejects where it opens or ends a short text, where
its family makes up a large share of all words, or where it is no sentence at all but a machine's
message. One phrase left in a long report does not reject; planning left there is marked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from daemon.quality.clauses import has_figure
from daemon.quality.hidden_signs import hidden_signs
from daemon.quality.hits import Hit
from daemon.quality.normalise import Reading
from daemon.quality.verdict import Defect, Profile

_MOST_DEFECTS = 12
_MANY_PLACES = 3
_MIXED_SHARE = 0.85
_CODE_IS_ALL = 20
_MAY_GO_ON = frozenset({"refusal", "capability"})
_BUT_CAN = re.compile(r"\b(?:but i can (?!not)|but here\b|pero (?:si )?puedo\b|pero aqui\b)")
_MINOR_FAMILIES = frozenset({"planning"})


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
