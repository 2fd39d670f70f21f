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

from daemon.quality.masks import Mask, find_masks

_ZERO_WIDTH = dict.fromkeys(
    (
        *(0x00AD, 0x061C, 0x180E, 0xFEFF),
        *range(0x200B, 0x2010),
        *range(0x202A, 0x202F),
        *range(0x2060, 0x2070),
    )
)
_QUOTES = {
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u2032\u02bc\u00b4\uff07"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f\u2033\uff02"), '"'),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2212"), "-"),
}
_HAS_ZERO_WIDTH = re.compile(f"[{''.join(map(chr, _ZERO_WIDTH))}]")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_NOT_BREAK = re.compile(r"[^\n]")
_NON_ASCII = re.compile(r"[^\x00-\x7f]+")
_NON_ASCII_RUN = re.compile(r"[\x00-\x7f]?[^\x00-\x7f]+")
_WORD = re.compile(r"[^\W_]+(?:['.,:/@&-][^\W_]+)*")
_TOKEN = re.compile(r"[^\W_]+")
_NO_SPACES = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_SENTENCE_END = re.compile(r"[.!?…。！？]+[\"'»)\]*_]*(?:\s+(?=[^a-z\s])|$)|[。！？]")
_MARKER = re.compile(
    r"[\s>#*_~|•·–—-]*(?:(?:\d{1,3}|[a-zA-Z])[.)]\s+)?[\s*_\"'¿¡(]*(?:\[[ xX]?\]\s+)?"
)
_PIECE = 4
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
    def prose_tokens(self) -> list[str]:
        """The words of the author's own prose in order, folded."""
        return split_words(self.masked)

    def holds(self, piece: str) -> bool:
        """Whether `open` has this piece: quick where it has not, which is what most are asked for."""
        ends = range(len(piece) - _PIECE + 1)
        if not all(piece[at : at + _PIECE] in self._pieces for at in ends):
            return False
        return len(piece) == _PIECE or piece in self.open

    @cached_property
    def _pieces(self) -> set[str]:
        text = self.open
        return {text[at : at + _PIECE] for at in range(len(text) - _PIECE + 1)}

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


def clean(output: str) -> str:
    """The output as it can be stored and shown: no lone surrogates, no control characters.

    A run of blanks too long to mean anything is shortened: a model that loops writes thousands.
    """
    if _SURROGATE.search(output):
        output = output.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if "\r" in output:
        output = output.replace("\r\n", "\n").replace("\r", "\n")
    return _BLANKS.sub(_FEWER_BLANKS, _CONTROL.sub("", output))


def read(text: str) -> Reading:
    """Read a text that `clean` returned. Linear in its length; never raises."""
    raw, offsets = _normalise(text)
    masks = tuple(find_masks(raw))
    folded = fold(raw)
    return Reading(text, raw, offsets, masks, folded, _blank(folded, masks), count_words(raw))


def plain(text: str) -> tuple[str, tuple[int, ...] | None]:
    """The `raw` of a reading, and the offset in `text` of each of its characters (None: the same)."""
    return _normalise(text)


def fold(text: str) -> str:
    """Lower case without accents, character for character, so that offsets stay."""
    lower = text.lower()
    if text.isascii():
        return lower
    if len(lower) != len(text):
        return text.translate(_FOLD)
    return _NON_ASCII.sub(lambda run: run.group().translate(_FOLD), lower)


def split_words(text: str) -> list[str]:
    """Letters and digits between anything else; each sign of a script without spaces by itself."""
    if not text.isascii() and _NO_SPACES.search(text):
        text = _NO_SPACES.sub(r" \g<0> ", text)
    return _TOKEN.findall(text)


def count_words(text: str) -> int:
    """Words; in scripts without spaces two characters count as one word."""
    if text.isascii() or not _NO_SPACES.search(text):
        return len(_WORD.findall(text))
    dense = len(_NO_SPACES.findall(text))
    return len(_WORD.findall(_NO_SPACES.sub(" ", text))) + (dense + 1) // 2


def _normalise(text: str) -> tuple[str, tuple[int, ...] | None]:
    if text.isascii():
        return text, None
    text_quotes = _NON_ASCII.sub(lambda run: run.group().translate(_QUOTES), text)
    if _is_plain(text_quotes):
        return text_quotes, None
    pieces: list[str] = []
    offsets: list[int] = []
    at = 0
    for run in _NON_ASCII_RUN.finditer(text_quotes):
        pieces.append(text_quotes[at : run.start()])
        offsets.extend(range(at, run.start()))
        for start, cluster in _clusters(run.group(), run.start()):
            changed = unicodedata.normalize("NFKC", cluster).translate(_ZERO_WIDTH)
            changed = changed.translate(_QUOTES)
            pieces.append(changed)
            offsets.extend([start] * len(changed))
        at = run.end()
    pieces.append(text_quotes[at:])
    offsets.extend(range(at, len(text_quotes)))
    return "".join(pieces), tuple(offsets)


def _is_plain(text: str) -> bool:
    return unicodedata.is_normalized("NFKC", text) and not _HAS_ZERO_WIDTH.search(text)


def _clusters(run: str, offset: int) -> Iterable[tuple[int, str]]:
    """A base character with its combining marks, and where it stands."""
    start = 0
    for index in range(1, len(run)):
        if not unicodedata.combining(run[index]) or index - start > 8:
            yield offset + start, run[start:index]
            start = index
    yield offset + start, run[start:]


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
        pieces.append(_NOT_BREAK.sub(" ", hidden))
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
