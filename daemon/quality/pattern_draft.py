"""A pattern for quality.toml from one sentence that a person found fault with. Pure.

The sentence's words are taken as they are, digits stand for any number, and anything but letters
and digits may stand between two words. Nothing else is generalised: what the pattern should not
catch is shown by the nearest harmless sentence, and by trying it on every accepted output.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from daemon.quality.normalise import Reading, clean, fold, read
from daemon.quality.rules import MOST_REGEX

Where = Literal["sentence", "head", "tail", "whole"]

PREFIX = "domain."
"""What the judge puts before the id of a workspace's pattern."""

_TOKEN = re.compile(r"\d+(?:[.,:/]\d+)*(?!\w)|\w+")
_IS_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
_DIGITS = re.compile(r"\d+")
_NUMBER = r"\d[\d.,:/]{0,30}"
_WIDTH, _LONG_WIDTH = 9, 120
_GAP = rf"\W{{1,{_WIDTH}}}"
_LONG_GAP = rf"\W{{1,{_LONG_WIDTH}}}"  # where a quotation was blanked out
_BEFORE = r"(?:[^.!?\n]|[.](?=\d)){0,200}?\b"  # a phrase may stand anywhere in its sentence
_FEWEST_WORDS = 3
_FEWEST_PHRASE_WORDS = 2
_LEAST_NEIGHBOUR = 4
_MOST_ID_WORDS = 6


class NoPattern(ValueError):
    """No pattern can be made of these words; the message says why and what to do."""


@dataclass(frozen=True)
class PatternDraft:
    """One `[[pattern]]` of quality.toml. `rejects` False only marks."""

    id: str
    where: Where
    regex: str
    message: str
    catches: str
    leaves: str
    rejects: bool = True

    @property
    def check(self) -> str:
        """The name that a defect of this pattern has."""
        return f"{PREFIX}{self.id}"

    def as_toml(self, remark: str) -> str:
        """The table as text, below a comment of one line."""
        lines = [
            f"# {remark}",
            "[[pattern]]",
            f'id = "{self.id}"',
            f'where = "{self.where}"',
            f"regex = '{self.regex}'",
            f"message = {_basic(self.message)}",
            f"catches = {_basic(self.catches)}",
            f"leaves = {_basic(self.leaves)}",
        ]
        return "\n".join([*lines, *([] if self.rejects else ["rejects = false"])]) + "\n"


def sentences_of(text: str) -> tuple[str, ...]:
    """The author's own sentences, each as one line; without headings, tables, code and quotations."""
    reading = read(clean(text))
    return tuple(_shown(reading, one.start, one.end) for one in reading.sentences)


def sentence_with(text: str, words: str) -> tuple[str, str] | None:
    """The first sentence that holds `words`, as it reads and as the judge sees it; None: none does.

    Upper case, accents, quotes and blanks make no difference.
    """
    reading, wanted = read(clean(text)), _flat(fold(read(clean(words)).raw))
    for one in reading.sentences:
        if wanted and wanted in _flat(reading.open[one.start : one.end]):
            return (
                _shown(reading, one.start, one.end),
                reading.masked[one.start : one.end],
            )
    return None


def regex_of(seen: str) -> str:
    """A regex for a sentence as the judge sees it (masked). Raises NoPattern where it is too short."""
    tokens = list(_TOKEN.finditer(seen))
    if len(tokens) < _FEWEST_WORDS:
        raise NoPattern(
            f"a sentence of fewer than {_FEWEST_WORDS} words would catch too much; name a longer one"
        )
    return r"\b" + _joined(tokens, MOST_REGEX - 10)


def regex_of_phrase(phrase: str) -> str:
    """A regex for words that may stand anywhere in a sentence. Raises NoPattern where too short."""
    tokens = list(_TOKEN.finditer(fold(read(clean(phrase)).raw)))
    if len(tokens) < _FEWEST_PHRASE_WORDS:
        raise NoPattern("a phrase of one word would catch too much; name two words or more")
    return _BEFORE + _joined(tokens, MOST_REGEX - len(_BEFORE) - 10) + r"\b"


def nearest_harmless(sentence: str, regex: str, texts: Iterable[str]) -> str | None:
    """The sentence of `texts` that shares most words with `sentence` and that `regex` leaves alone.

    None where there is none of at least four words. Of equally near ones the first.
    """
    compiled, words = re.compile(regex), _words(sentence)
    best, nearness = None, -1.0
    for text in texts:
        for one in sentences_of(text):
            theirs = _words(one)
            if len(theirs) < _LEAST_NEIGHBOUR or theirs == words:
                continue
            near = len(words & theirs) / len(words | theirs)
            if near > nearness and not compiled.search(read(clean(one)).masked):
                best, nearness = one, near
    return best


def free_id(message: str, taken: Iterable[str]) -> str:
    """A new id from the first words of a message: learned-it-sells-instead-of-answering."""
    known = set(taken)
    words = re.findall(r"[a-z0-9]+", fold(message))[:_MOST_ID_WORDS]
    stem = "-".join(["learned", *words])[:50].rstrip("-")
    number, found = 1, stem
    while found in known:
        number += 1
        found = f"{stem}-{number}"
    return found


def _joined(tokens: list[re.Match[str]], room: int) -> str:
    """The words with what may stand between them; the last ones go where there is no room."""
    regex, end = "", 0
    for token in tokens:
        apart = token.start() - end if regex else 0
        gap = "" if not regex else _GAP if apart <= _WIDTH else _LONG_GAP
        piece = gap + _generalised(token.group())
        if len(regex) + len(piece) > room or apart > _LONG_WIDTH:
            break
        regex += piece
        end = token.end()
    return regex


def _generalised(word: str) -> str:
    if _IS_NUMBER.fullmatch(word):
        return _NUMBER
    return _DIGITS.sub(lambda _: r"\d{1,30}", word)


def _shown(reading: Reading, start: int, end: int) -> str:
    first, last = reading.span(start, end)
    kept = "".join(char if char.isprintable() else " " for char in reading.text[first:last])
    return " ".join(kept.split())


def _flat(text: str) -> str:
    return " ".join(text.split())


def _words(text: str) -> frozenset[str]:
    return frozenset(_TOKEN.findall(fold(text)))


def _basic(text: str) -> str:
    """A TOML basic string: JSON's escapes are among its own."""
    return json.dumps(text, ensure_ascii=False)
