"""A note as it is searched: one folded view whose places are places of the note's own text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from daemon.quality.addresses import written_key, written_out
from daemon.quality.characters import plain, signs_of
from daemon.quality.claims import SourceNote
from daemon.quality.normalise import fold

PASSAGE_CHARACTERS = 200
MOST_KEPT = 64
LONGEST_KEPT = 100_000
LAST_REASONS = "# Why the last attempt was rejected"

_ZERO_WIDTH = frozenset("\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u2060\ufeff")
_CHANGES_LENGTH = re.compile(
    "[\u00ad\u0300-\u036f\u202a-\u202e\u2061-\u206f\ufb00-\ufb06\uff5f-\uffef]"
)
_INSIDE_WORD = re.compile(f"[{''.join(sorted(_ZERO_WIDTH))}](?<=\\w.)(?=\\w)")
_FULL_WIDTH = range(0xFF01, 0xFF5F)
_DASHES = "\u2010\u2011\u2012\u2013\u2212"
_SENTENCE_BREAK = re.compile(
    r"[.!?…](?<![\s.(]\w.)(?<!\b[Aa]rt.)(?<!\b[Aa]rts.)(?<!\b[Nn]o.)(?<!\b[Nn]um.)(?<!\b[Ss]ec.)(?<!\bSupp.)"
    r"(?<!\b[Ll]it.)['\")\]»”]*\s|\n"
)


def _latin_letters() -> bytes:
    """Latin-1 in lower case without accents."""
    table = bytearray(range(256))
    for code in range(256):
        folded = fold(chr(code))
        table[code] = ord(folded) if len(folded) == 1 and ord(folded) < 256 else code
    return bytes(table)


def _latin_table() -> bytes:
    """The same; º, ª and the fixed blank as the keyboard has them."""
    table = bytearray(_latin_letters())
    for fancy, simple in (("\u00ba", "o"), ("\u00aa", "a"), ("\u00a0", " "), ("\u00b4", "'")):
        table[ord(fancy)] = ord(simple)
    return bytes(table)


_LATIN_LETTERS = _latin_letters()
_LATIN = _latin_table()


@dataclass(frozen=True)
class NoteText:
    """`raw` is the note's text, cleaned where its characters are odd; `lower` and `open` are as long.

    `letters` are the characters of `raw` beyond ASCII. `open` is folded like a reading's, and what is
    no letter of western Europe is a question mark in it where nothing else in the text is a letter
    either: bytes are many times quicker than characters, and a note may have a megabyte.
    """

    note: SourceNote
    raw: str
    offsets: tuple[int, ...] | None
    letters: frozenset[str] = frozenset()

    @cached_property
    def lower(self) -> str:
        lower = self.raw.lower()
        return lower if len(lower) == len(self.raw) else fold(self.raw)

    @cached_property
    def open(self) -> str:
        text = self.raw
        for dash in self.letters.intersection(_DASHES):
            text = text.replace(dash, "-")
        if any(letter > "\xff" and letter.isalnum() for letter in self.letters):
            return fold(text)
        return text.encode("latin-1", "replace").translate(_LATIN).decode("latin-1")

    @cached_property
    def addresses(self) -> list[tuple[str, int, int]]:
        """Where it writes addresses with a scheme or www in front, each as `written_key`."""
        return [
            (written_key(self.raw[start:end]), start, end) for start, end in written_out(self.raw)
        ]

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
    """Ready a note for searching; the same notes come again and again, so some are kept."""
    return _kept(note) if len(note.text) <= LONGEST_KEPT else _readied(note)


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


def quick_fold(text: str) -> str:
    """`fold`, where it need not tell apart what is no letter: such characters may become "?"."""
    letters = signs_of(text)
    if any(letter > "\xff" and letter.isalnum() for letter in letters):
        return fold(text)
    return text.encode("latin-1", "replace").translate(_LATIN_LETTERS).decode("latin-1")


def blocked_by(spans: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Whether [start, end) touches one of the spans, which are in order and do not overlap."""
    at = bisect_left(spans, (end,))
    return at > 0 and spans[at - 1][1] > start


@lru_cache(maxsize=MOST_KEPT)
def _kept(note: SourceNote) -> NoteText:
    return _readied(note)


def _readied(note: SourceNote) -> NoteText:
    """Most notes keep their length, and then offsets are their own."""
    text = note.text
    if text.isascii():
        return NoteText(note, text, None)
    letters = signs_of(text)
    if _CHANGES_LENGTH.search("".join(letters)) or (
        letters & _ZERO_WIDTH and _INSIDE_WORD.search(text)
    ):
        text, offsets = plain(text)
        return NoteText(note, text, offsets, signs_of(text))
    for letter in letters:
        if ord(letter) in _FULL_WIDTH:
            text = text.replace(letter, chr(ord(letter) - 0xFEE0))
    return NoteText(note, text, None, letters)


def _next_word(text: str, low: int, first: int) -> int:
    if low == 0:
        return 0
    blank = text.find(" ", low, first)
    return blank + 1 if blank >= 0 else first
