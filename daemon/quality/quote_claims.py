"""The quotations of an output, looked up word for word in its notes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from daemon.quality.claims import Claim, ClaimStatus
from daemon.quality.normalise import Reading
from daemon.quality.note_texts import NoteText, places_of
from daemon.quality.quotations import Quotation, find_quotations
from daemon.quality.verdict import Profile

_TOKEN = re.compile(r"\[\^?\d{1,3}\]|\]\([^)\s]{0,300}\)|([^\W_]+)")
_MOST_ANCHORS = 4
_MOST_NEAR = 40
_MOST_WORDS = 600
_MOST_PARTS = 12
_MOST_STARTS = 20
_GAP_CHARACTERS = 6_000

Words = tuple[str, ...]
Place = tuple[int, int]


@dataclass(frozen=True)
class _Found:
    note: NoteText
    start: int
    end: int


def quote_claims(
    reading: Reading, given: NoteText, notes: Sequence[NoteText], profile: Profile
) -> Iterable[Claim]:
    """One claim for each quotation of five words or more that is not one of the task itself.

    *supported*: its words stand in a note in this order (case, accents, quotes, blanks, emphasis
    apart; parts between ellipses one behind the other). *weak*: nine of ten words in this order, or
    words in marks that need not be anybody's (a question, an example, a boxed remark). *absent*: else.
    Drafts, templates and code quote what does not exist yet: no claims there.
    """
    if profile in ("plan", "template", "code"):
        return
    for quotation in find_quotations(reading):
        if len(quotation.words) > _MOST_WORDS or _exact(quotation.parts, (given,)):
            continue
        yield _claim(reading, quotation, notes)


def _claim(reading: Reading, quotation: Quotation, notes: Sequence[NoteText]) -> Claim:
    span = reading.span(quotation.start, quotation.end)
    text = reading.text[slice(*span)]
    exact = _exact(quotation.parts, notes)
    found = exact or _near(quotation.words, notes)
    if found is None:
        status: ClaimStatus = "absent" if quotation.firm else "weak"
        return Claim("quote", text, span, status, note="these words stand in no note")
    return Claim(
        kind="quote",
        text=text,
        span=span,
        status="supported" if exact else "weak",
        source=found.note.note.id,
        place=found.note.place(found.start, found.end),
        passage=found.note.passage(found.start, found.end),
        note="" if exact else "the note has it in other words",
    )


def _exact(parts: tuple[Words, ...], notes: Sequence[NoteText]) -> _Found | None:
    if len(parts) > _MOST_PARTS:
        return None
    for note in notes:
        place = _in_order(parts, note)
        if place:
            return _Found(note, *place)
    return None


def _in_order(parts: tuple[Words, ...], note: NoteText) -> Place | None:
    """All parts one behind the other, none further from the last than a few pages."""
    longest = max(range(len(parts)), key=lambda at: len(parts[at]))
    if len(parts) == 1:
        return next(_runs(parts[0], note.open), None)
    if next(_runs(parts[longest], note.open), None) is None:
        return None
    for first in islice(_runs(parts[0], note.open), _MOST_STARTS):
        end = first[1]
        for part in parts[1:]:
            stretch = note.open[end : end + _GAP_CHARACTERS]
            run = next(_runs(part, stretch), None)
            if run is None:
                break
            end += run[1]
        else:
            return first[0], end
    return None


def _runs(words: Words, text: str) -> Iterator[Place]:
    """Every place where the words stand one behind the other."""
    at = max(range(len(words)), key=lambda index: len(words[index]))
    anchor, before, behind = words[at], words[:at], words[at + 1 :]
    room_before = sum(map(len, before)) + 12 * len(before) + 40
    room_behind = sum(map(len, behind)) + 12 * len(behind) + 40
    for start in places_of(text, anchor):
        end = start + len(anchor)
        if behind and text.find(behind[0], end, end + len(behind[0]) + 40) < 0:
            continue
        first, last = start, end
        if behind:
            after = _tokens(text, end, end + room_behind)[: len(behind)]
            if tuple(word for word, _, _ in after) != behind:
                continue
            last = after[-1][2]
        if before:
            ahead = _tokens(text, max(0, start - room_before), start)[-len(before) :]
            if tuple(word for word, _, _ in ahead) != before:
                continue
            first = ahead[0][1]
        yield first, last


def _tokens(text: str, start: int, end: int) -> list[tuple[str, int, int]]:
    """The words of a stretch and where they stand; note marks and link targets are passed over."""
    return [
        (match.group(1), match.start(1), match.end(1))
        for match in _TOKEN.finditer(text, start, min(end, len(text)))
        if match.group(1)
    ]


def _near(words: Words, notes: Sequence[NoteText]) -> _Found | None:
    """A stretch with at least nine of ten of the words in their order; needs ten words."""
    misses = len(words) // 10
    if not misses:
        return None
    anchors = sorted(dict.fromkeys(words), key=len, reverse=True)[: min(misses + 1, _MOST_ANCHORS)]
    for note in notes:
        for anchor in anchors:
            found = _near_anchor(words, anchor, note, misses)
            if found:
                return found
    return None


def _near_anchor(words: Words, anchor: str, note: NoteText, misses: int) -> _Found | None:
    index = words.index(anchor)
    room = 14 * (misses + 3)
    ahead = sum(map(len, words[:index])) + 2 * index + room
    behind = sum(map(len, words[index:])) + 2 * (len(words) - index) + room
    wanted = set(words)
    for at in places_of(note.open, anchor, _MOST_NEAR):
        tokens = _tokens(note.open, max(0, at - ahead), at + behind)
        held = [token for token in tokens if token[0] in wanted]
        if len(held) < len(words) - misses:
            continue
        if in_order(words, tuple(word for word, _, _ in held)) >= len(words) - misses:
            return _Found(note, held[0][1], held[-1][2])
    return None


def in_order(words: Words, others: Words) -> int:
    """The most words that both have in the same order (longest common subsequence).

    Hyyrö's bit-parallel form: one step for each word of `others`, however long `words` is.
    """
    places: dict[str, int] = {}
    for at, word in enumerate(words):
        places[word] = places.get(word, 0) | (1 << at)
    full = (1 << len(words)) - 1
    row = full
    for word in others:
        here = row & places.get(word, 0)
        row = ((row + here) | (row - here)) & full
    return len(words) - row.bit_count()
