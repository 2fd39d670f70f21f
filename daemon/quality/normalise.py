"""One reading of a text for all checks: cleaned, masked, cut into sentences, offsets kept.

Three texts of the same length, so that one offset means the same place in all of them:

    raw      NFKC, plain quotes, no zero-width characters; case and accents as written
    open     raw in lower case without accents
    masked   open with everything that is not the author's own prose blanked out

`Reading.span` turns an offset of these into an offset of the cleaned text that was read.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from daemon.quality.characters import plain, signs_of
from daemon.quality.masks import Mask, find_masks
from daemon.quality.pieces import Places, places_of_offered

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_NON_ASCII = re.compile(r"[^\x00-\x7f]+")
_LINE_BREAK = re.compile("\n")
_WORD = re.compile(r"[^\W_]+(?:['.,:/@&-][^\W_]+)*")
_TOKEN = re.compile(r"[^\W_]+")
_JOINS = "'.,:/@&-"  # as in _WORD
_WORD_SIGNS = bytes(
    ord("w" if chr(code).isalnum() else "+" if chr(code) in _JOINS else " ") for code in range(256)
)
_ONLY_WORDS = bytes(code if chr(code).isalnum() else ord(" ") for code in range(256))
_NO_SPACES = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_SENTENCE_END = re.compile(r"[.!?…。！？]+[\"'»)\]*_]*(?:\s+(?=[^a-z\s])|$)|[。！？]")
_MARKER = re.compile(
    r"[\s>#*_~|•·–—-]*(?:(?:\d{1,3}|[a-zA-Z])[.)]\s+)?[\s*_\"'¿¡(]*(?:\[[ xX]?\]\s+)?"
)
_MANY_SIGNS = 100
_HEAD_WORDS = 60
_HEAD_SENTENCES = 2
_TAIL_WORDS = 40


@dataclass(frozen=True)
class Sentence:
    """A sentence of the author's own prose, as offsets into the reading's texts.

    `start` is behind list markers and emphasis. `before` is the number of words of the whole text
    in front of it; `in_head` and `in_tail` say whether it opens or ends the text.
    """

    start: int
    end: int
    words: int
    before: int
    in_head: bool
    in_tail: bool


@dataclass(frozen=True)
class Reading:
    """A cleaned text and what the checks need to know about it. `words` counts all of it."""

    text: str
    raw: str
    offsets: tuple[int, ...] | None
    masks: tuple[Mask, ...]
    open: str
    masked: str
    words: int

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The place in `text` that [start, end) of the reading's texts stands for."""
        if self.offsets is None:
            return start, end
        if not self.offsets or start >= len(self.offsets):
            return len(self.text), len(self.text)
        last = self.offsets[end] if end < len(self.offsets) else len(self.text)
        return self.offsets[start], max(last, self.offsets[start])

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        return tuple(_sentences(self))

    @cached_property
    def tokens(self) -> list[str]:
        """All words of the text in order, folded; see `split_words`."""
        return split_words(self.open)

    @cached_property
    def pieces(self) -> Places:
        """Where in `open` the pieces stand that rules have offered; see pieces.py."""
        return places_of_offered(self.open)

    @cached_property
    def line_starts(self) -> list[int]:
        """Where the lines begin, in each of the texts."""
        return [0, *(found.end() for found in _LINE_BREAK.finditer(self.raw))]

    @cached_property
    def prose_tokens(self) -> list[str]:
        """The words of the author's own prose in order, folded."""
        return split_words(self.masked)

    def sentence_at(self, at: int) -> int | None:
        """The index of the sentence that holds this offset; None between two."""
        index = bisect_right(self._sentence_starts, at) - 1
        return index if index >= 0 and at < self.sentences[index].end else None

    @cached_property
    def _sentence_starts(self) -> list[int]:
        return [sentence.start for sentence in self.sentences]

    @cached_property
    def prose_words(self) -> int:
        """Words of the author's own prose: quotes, code, tables, headings, references left out."""
        return sum(sentence.words for sentence in self.sentences)


_FEWER_BLANKS = " " * 60
_BLANKS = re.compile(r"[^\S\n]{60}[^\S\n]+")
# So many blanks in a row show where every fifteenth character is looked at.
_STRIDE = 15
_MANY_BLANK = re.compile(r"\s{4}")


def clean(output: str) -> str:
    """The output as it can be stored and shown: no lone surrogates, no control characters.

    A run of blanks too long to mean anything is shortened: a model that loops writes thousands.
    """
    if _has_surrogates(output):
        output = output.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if "\r" in output:
        output = output.replace("\r\n", "\n").replace("\r", "\n")
    if _CONTROL.search(output):
        output = _CONTROL.sub("", output)
    return _BLANKS.sub(_FEWER_BLANKS, output) if _MANY_BLANK.search(output[::_STRIDE]) else output


def _has_surrogates(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def read(text: str) -> Reading:
    """Read a text that `clean` returned. Linear in its length; never raises."""
    raw, offsets = plain(text)
    masks = tuple(find_masks(raw))
    folded = fold(raw)
    return Reading(text, raw, offsets, masks, folded, _blank(folded, masks), count_words(raw))


def fold(text: str) -> str:
    """Lower case without accents, character for character, so that offsets stay."""
    lower = text.lower()
    if text.isascii():
        return lower
    if len(lower) != len(text):
        return text.translate(_FOLD)
    signs = signs_of(lower)
    if len(signs) > _MANY_SIGNS:
        return _NON_ASCII.sub(lambda run: run.group().translate(_FOLD), lower)
    for sign in signs:
        folded = _FOLD.get(ord(sign), sign)
        if folded != sign:
            lower = lower.replace(sign, folded)
    return lower


def split_words(text: str) -> list[str]:
    """Letters and digits between anything else; each sign of a script without spaces by itself."""
    if text.isascii() or not letters_beyond_latin(text):
        return text.encode("latin-1", "replace").translate(_ONLY_WORDS).decode("latin-1").split()
    if _NO_SPACES.search(text):
        text = _NO_SPACES.sub(r" \g<0> ", text)
    return _TOKEN.findall(text)


def count_words(text: str) -> int:
    """Words; in scripts without spaces two characters count as one word."""
    if text.isascii():
        return _count(text.encode("ascii"))
    if not letters_beyond_latin(text):
        return _count(text.encode("latin-1", "replace"))
    if not _NO_SPACES.search(text):
        return len(_WORD.findall(text))
    dense = len(_NO_SPACES.findall(text))
    return len(_WORD.findall(_NO_SPACES.sub(" ", text))) + (dense + 1) // 2


def letters_beyond_latin(text: str) -> bool:
    """Whether there are letters or digits that Latin-1 has not."""
    return any(sign > "\xff" and sign.isalnum() for sign in signs_of(text))


def _count(text: bytes) -> int:
    """What `_WORD` finds, by the signs that words begin with: bytes are many times quicker."""
    signs = b" " + text.translate(_WORD_SIGNS)
    return signs.count(b" w") + signs.count(b" +w") + signs.count(b"++w")


def _fold_table() -> dict[int, str]:
    """Latin, Greek and Cyrillic: enough for the languages that the patterns speak."""
    table: dict[int, str] = {}
    for code in (*range(0x41, 0x5B), *range(0xC0, 0x530), *range(0x1E00, 0x2000)):
        folded = unicodedata.normalize("NFD", chr(code))[0].lower()
        if len(folded) == 1:
            table[code] = folded
    return table


def _blank(text: str, masks: Iterable[Mask]) -> str:
    """The text with every masked place as spaces; line breaks stay."""
    pieces: list[str] = []
    at = 0
    for mask in masks:
        if mask.end <= at:
            continue
        start = max(mask.start, at)
        pieces.append(text[at:start])
        hidden = text[start : mask.end]
        pieces.append("\n".join(" " * len(line) for line in hidden.split("\n")))
        at = mask.end
    pieces.append(text[at:])
    return "".join(pieces)


def _sentences(reading: Reading) -> Iterable[Sentence]:
    found: list[tuple[int, int, int]] = []
    for start, end in _lines(reading.masked):
        for first, last in _cut(reading, start, end):
            words = count_words(reading.masked[first:last])
            if words:
                found.append((first, last, words))
    total = sum(words for _, _, words in found)
    before = 0
    for index, (start, end, words) in enumerate(found):
        in_head = index < _HEAD_SENTENCES or before + words <= _HEAD_WORDS
        in_tail = index == len(found) - 1 or total - before <= _TAIL_WORDS
        yield Sentence(start, end, words, before, in_head, in_tail)
        before += words


def _lines(text: str) -> Iterable[tuple[int, int]]:
    start = 0
    while start <= len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        if end > start:
            yield start, end
        start = end + 1


def _cut(reading: Reading, start: int, end: int) -> Iterable[tuple[int, int]]:
    """The sentences of one line. Ends are looked for in `raw`, where case still tells."""
    at = _skip_marker(reading, start, end)
    for stop in _SENTENCE_END.finditer(reading.raw, at, end):
        if stop.end() > at:
            yield at, stop.end()
        at = _skip_marker(reading, stop.end(), end)
    if at < end:
        yield at, end


def _skip_marker(reading: Reading, start: int, end: int) -> int:
    marker = _MARKER.match(reading.masked, start, end)
    return marker.end() if marker else start


_FOLD = _fold_table()
