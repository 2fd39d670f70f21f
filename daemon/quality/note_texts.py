"""A note as it is searched: one folded view whose places are places of the note's own text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from daemon.quality.claims import SourceNote
from daemon.quality.normalise import fold, plain

PASSAGE_CHARACTERS = 200
LAST_REASONS = "# Why the last attempt was rejected"

_CHANGES_LENGTH = re.compile(
    "[\u00ad\u0300-\u036f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufb00-\ufb06\ufeff\uff00-\uffef]"
)
_ONE_FOR_ONE = tuple(
    zip(
        "\u2018\u2019\u201a\u201c\u201d\u201e\u2010\u2011\u2012\u2013\u2212\u00a0\u202f\u00ba\u00aa",
        "''''\"\"\"-----  oa"[1:],
        strict=True,
    )
)
_ACCENTS = tuple(zip("áéíóúüñçàèâêôöä", "aeiouuncaeaeooa", strict=True))
_SENTENCE_BREAK = re.compile(
    r"(?<![\s.(]\w)(?<!\b[Aa]rt)(?<!\b[Aa]rts)(?<!\b[Nn]o)(?<!\b[Nn]um)(?<!\b[Ss]ec)(?<!\bSupp)(?<!\b[Ll]it)"
    r"[.!?…。]['\")\]»”]*\s|\n"
)


@dataclass(frozen=True)
class NoteText:
    """`raw` has plain quotes, dashes and blanks; `lower` and `open` (no accents) are as long."""

    note: SourceNote
    raw: str
    offsets: tuple[int, ...] | None

    @cached_property
    def lower(self) -> str:
        lower = self.raw.lower()
        return lower if len(lower) == len(self.raw) else fold(self.raw)

    @cached_property
    def open(self) -> str:
        text = self.lower
        if not text.isascii():
            for accented, letter in _ACCENTS:
                text = text.replace(accented, letter)
        return fold(text)

    def place(self, start: int, end: int) -> tuple[int, int]:
        """The place in the note's own text that [start, end) of the views stands for."""
        if self.offsets is None:
            return start, end
        if not self.offsets or start >= len(self.offsets):
            return len(self.note.text), len(self.note.text)
        last = self.offsets[end] if end < len(self.offsets) else len(self.note.text)
        return self.offsets[start], max(last, self.offsets[start])

    def passage(self, start: int, end: int) -> str:
        """The sentence around [start, end), whole words, at most `PASSAGE_CHARACTERS`."""
        first, last = self.place(start, end)
        text = self.note.text
        room = max(0, PASSAGE_CHARACTERS - (last - first))
        low = max(0, first - room)
        breaks = [stop.end() for stop in _SENTENCE_BREAK.finditer(text, low, first)]
        begin = breaks[-1] if breaks else _next_word(text, low, first)
        after = _SENTENCE_BREAK.search(text, max(last - 1, first), begin + PASSAGE_CHARACTERS)
        stop = after.end() if after else min(len(text), begin + PASSAGE_CHARACTERS)
        if not after and stop < len(text):
            blank = text.rfind(" ", begin, stop)
            stop = blank if blank > begin else stop
        return " ".join(text[begin:stop].split())[:PASSAGE_CHARACTERS]


def note_text(note: SourceNote) -> NoteText:
    """Ready a note for searching. Most notes keep their length, and then offsets are their own."""
    text = note.text
    if not text.isascii():
        for fancy, simple in _ONE_FOR_ONE:
            text = text.replace(fancy, simple)
        if _CHANGES_LENGTH.search(text):
            raw, offsets = plain(text)
            return NoteText(note, raw, offsets)
    return NoteText(note, text, None)


def places_of(text: str, word: str, most: int = 400) -> Iterator[int]:
    """Where `word` begins in `text` as a whole word; at most `most` places are looked at."""
    at = text.find(word)
    seen = 0
    while at >= 0 and seen < most:
        end = at + len(word)
        if not (at and text[at - 1].isalnum()) and not text[end : end + 1].isalnum():
            yield at
        seen += 1
        at = text.find(word, end)


def given_text(question: str, prompt_text: str) -> NoteText:
    """What the task itself says, without the complaints about the last attempt.

    Those complaints name what was invented then; repeating it is no quotation of the task.
    """
    instructions = prompt_text.partition(LAST_REASONS)[0]
    return note_text(SourceNote("task", f"{question}\n{instructions}"))


def blocked_by(spans: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Whether [start, end) touches one of the spans, which are in order and do not overlap."""
    at = bisect_left(spans, (end,))
    return at > 0 and spans[at - 1][1] > start


def _next_word(text: str, low: int, first: int) -> int:
    if low == 0:
        return 0
    blank = text.find(" ", low, first)
    return blank + 1 if blank >= 0 else first
