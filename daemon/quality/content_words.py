"""The words that say what a sentence is about, cut down so that their forms meet."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_WORD = re.compile(r"[^\W\d_]{3,}")
_PLAIN_WORD = re.compile(r"[a-z]{3,}")  # the same for a folded text of plain letters; quicker
_NAME = re.compile(
    r"(?<![\w.])[A-ZÁÉÍÓÚÑ][\w&'-]*[\w](?: (?:(?:de|del|la|of|the) ){0,2}[A-ZÁÉÍÓÚÑ][\w&'-]*\w)*"
)
_STEM = 6
_STOP = frozenset(
    """
the and for are was were with that this from have has had not but its their they them which who whom whose
what when where how why all any both each few more most other some such only own same than too very can could
will would may might must shall should does did doing done been being into onto over under above below between
through during before after again further then once here there about against also just now our out off per via
while because until upon within without one two three four five six seven eight nine ten including include
includes according however therefore thus many much less least around approximately roughly nearly almost
these those your you his her she him herself himself itself percent million billion thousand hundred trillion
dozen usd eur dollars dollar euros percentage total number amount year years month months day days week weeks
hour hours minute minutes cent half los las del una unos unas que con por para como mas pero sus este esta
estos estas ese esa esos esas aquel entre sobre sin hasta desde donde cuando quien cual cuales cuyo cuya son
era eran fue fueron ser sido siendo estan estaba tiene tienen tenia hay han haber habia muy tambien solo cada
todo toda todos todas otro otra otros otras segun mientras porque aunque asi pues ademas ciento mil millon
millones dolares porcentaje numero cantidad ano anos mes meses dia dias semana semanas hora horas minutos
menos aproximadamente alrededor cerca casi mitad dos tres cuatro cinco seis siete ocho nueve diez nos les
fuente nota notes note source sources passage passages based provided given states mentioned
""".split()  # noqa: SIM905 - a word list reads better as text
)
_NOTHING = frozenset(("",))


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """A word of the folded text without its ending: plural, -ing, -ed, -ly, then all behind six letters."""
    if len(word) > 4:
        if word.endswith("s") and not word.endswith("ss"):
            word = word[:-2] if word.endswith("es") else word[:-1]
        elif word.endswith("ing") and len(word) > 5:
            word = word[:-3]
        elif word.endswith(("ed", "ly")):
            word = word[:-2]
        word = word.rstrip("e")
    if word.endswith("y"):
        word = word[:-1] + "i"
    return word[:_STEM]


def content_stems(folded: str) -> frozenset[str]:
    """The stems of all words that carry meaning."""
    return frozenset(map(_stem_if_telling, _words(folded))) - _NOTHING


def content_list(folded: str) -> list[str]:
    """The same in the order of the text, with repetitions."""
    return [stem(word) for word in _words(folded) if word not in _STOP]


def _words(folded: str) -> list[str]:
    return (_PLAIN_WORD if folded.isascii() else _WORD).findall(folded)


@lru_cache(maxsize=16_384)
def _stem_if_telling(word: str) -> str:
    """The stem, or nothing for a word that says nothing."""
    return "" if word in _STOP else stem(word)


def is_telling(word: str) -> bool:
    """Whether a word, or the stem of one, says what a sentence is about."""
    return len(word) >= 3 and word not in _STOP and word[0].isalpha()


def names(raw: str) -> Iterable[tuple[int, str]]:
    """(offset, name) of each run of capitalised words."""
    for found in _NAME.finditer(raw):
        yield found.start(), found.group()
