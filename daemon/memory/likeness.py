"""When two statements say the same, and when they say the same of another figure. Pure.

Both rules are narrow on purpose: what is taken for the same by mistake would be lost, and what is taken
for a contradiction by mistake would mislead. Whatever they do not see stands side by side anyway.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from daemon.quality.language import detect_language
from daemon.quality.normalise import fold

_EMPHASIS = re.compile(r"\*\*|__")
# Grouped digits that mean one number in every language: several groups (1,500,000), or one before the
# other mark (1.500,75). One group alone is 1,500 in English and one and a half in Spanish.
_GROUPED = re.compile(
    r"(?<![\w.,])[1-9]\d{0,2}(?:(?:,\d{3}){2,}(?:\.\d+)?|(?:\.\d{3}){2,}(?:,\d+)?"
    r"|,\d{3}\.\d+|\.\d{3},\d+)(?!\w|[.,]\d)"
)
_ENGLISH_GROUP = re.compile(r"(?<![\w.,])([1-9]\d{0,2}),(\d{3})(?!\w|[.,]\d)")
_PLAIN_WORD = re.compile(r"[^\W\d_]+")
_CITED = re.compile(r"\[[^\[\]\n]{1,160}\]")
_NUMBER = re.compile(r"(?<![\w.,/-])\d+(?:[.,]\d+)*(?![\w/-])(?![.,]\d)")
_YEAR = re.compile(r"(?:19|20)\d\d")
_WORD = re.compile(r"[^\W\d_]+|[#%$€£]|\d\S*")
_FEWEST_WORDS = 3
_FEWEST_ALONE = 5
_SMALL_WORDS = """\
a an the of in on at to for and or is are was were be been has have had that this it its as by with from
el la los las un una de del en al para por y o es son era eran fue fueron ha han que este esta su sus como
con desde se"""
_SMALL = frozenset(_SMALL_WORDS.split())


class Shape(NamedTuple):
    """What a statement is about, and the figures that it gives; years belong to the subject."""

    subject: frozenset[str]
    figures: tuple[str, ...]


@lru_cache(maxsize=50_000)
def key_of(text: str) -> str:
    """The same for texts that say the same, letter by letter but for case, spaces, emphasis, the last
    full stop and the marks between thousands, where these can be nothing else: "1,500" is 1500 in an
    English sentence alone, "1.500" and "1 500" are only themselves. Marks that name a source count."""
    plain = unicodedata.normalize("NFC", _EMPHASIS.sub("", text)).casefold()
    plain = _GROUPED.sub(_ungrouped, plain)
    if _ENGLISH_GROUP.search(plain) and _is_english(plain):
        plain = _ENGLISH_GROUP.sub(r"\1\2", plain)
    return " ".join(plain.split()).rstrip(" .;")


@lru_cache(maxsize=50_000)
def stands_alone(text: str) -> bool:
    """Whether it has words enough to say the same under any heading; "Yes" and "USD 99 a month" have
    not."""
    return len(frozenset(_WORD.findall(_CITED.sub(" ", key_of(text)))) - _SMALL) >= _FEWEST_ALONE


@lru_cache(maxsize=50_000)
def shape_of(text: str) -> Shape | None:
    """None where there is no figure, or too few words to know what it is of."""
    plain = _CITED.sub(" ", key_of(text))
    figures: list[str] = []

    def take(found: re.Match[str]) -> str:
        if _YEAR.fullmatch(found[0]):
            return found[0]
        figures.append(found[0])
        return "#"

    words = frozenset(_WORD.findall(_NUMBER.sub(take, plain))) - _SMALL
    if not figures or len(words - {"#"}) < _FEWEST_WORDS:
        return None
    return Shape(words, tuple(figures))


def _ungrouped(found: re.Match[str]) -> str:
    """Without the mark that groups; the other one is before the decimals and stays."""
    text = found[0]
    return text.replace("," if "," in text[:4] else ".", "")


def _is_english(text: str) -> bool:
    """Whether its little words are clearly English."""
    open_text = fold(text)
    return detect_language(open_text, _PLAIN_WORD.findall(open_text)) == "en"
