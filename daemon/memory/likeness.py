"""When two statements say the same, and when they say the same of another figure. Pure.

Both rules are narrow on purpose: what is taken for the same by mistake would be lost, and what is taken
for a contradiction by mistake would mislead. Whatever they do not see stands side by side anyway.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

_EMPHASIS = re.compile(r"\*\*|__")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
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
    full stop and commas between thousands. Marks that name a source count."""
    plain = unicodedata.normalize("NFC", _EMPHASIS.sub("", text)).casefold()
    return " ".join(_THOUSANDS.sub("", plain).split()).rstrip(" .;")


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
