"""Numbers written as words in English and Spanish, for folded text (lower case, no accents)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from daemon.quality.pieces import PieceFinder, Places

_EN_UNITS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_EN_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_ES_UNITS = [
    "cero",
    "uno",
    "dos",
    "tres",
    "cuatro",
    "cinco",
    "seis",
    "siete",
    "ocho",
    "nueve",
    "diez",
    "once",
    "doce",
    "trece",
    "catorce",
    "quince",
    "dieciseis",
    "diecisiete",
    "dieciocho",
    "diecinueve",
    "veinte",
    "veintiuno",
    "veintidos",
    "veintitres",
    "veinticuatro",
    "veinticinco",
    "veintiseis",
    "veintisiete",
    "veintiocho",
    "veintinueve",
]
_ES_TENS = ["treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa"]
_ES_HUNDREDS = [
    "ciento",
    "doscientos",
    "trescientos",
    "cuatrocientos",
    "quinientos",
    "seiscientos",
    "setecientos",
    "ochocientos",
    "novecientos",
]
_SCALES = {
    "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12,
    "mil": 1000, "millon": 10**6, "millones": 10**6, "dozen": 12, "docena": 12, "docenas": 12,
}  # fmt: skip
_VALUES: dict[str, int] = {
    **{word: value for value, word in enumerate(_EN_UNITS)},
    **{word: 10 * value for value, word in enumerate(_EN_TENS, 2)},
    **{word: value for value, word in enumerate(_ES_UNITS)},
    **{word: 10 * value for value, word in enumerate(_ES_TENS, 3)},
    **{word: 100 * value for value, word in enumerate(_ES_HUNDREDS, 1)},
    **{word[:-2] + "as": 100 * value for value, word in enumerate(_ES_HUNDREDS, 1) if value > 1},
    "cien": 100, "un": 1, "una": 1, "veintiun": 21, "veintiuna": 21,
}  # fmt: skip
_FRACTIONS = {
    "half": 1 / 2, "la mitad": 1 / 2, "mitad": 1 / 2, "one third": 1 / 3, "a third": 1 / 3,
    "un tercio": 1 / 3, "two thirds": 2 / 3, "dos tercios": 2 / 3, "a quarter": 1 / 4,
    "one quarter": 1 / 4, "un cuarto": 1 / 4, "three quarters": 3 / 4, "tres cuartos": 3 / 4,
    "las tres cuartas partes": 3 / 4, "one fifth": 1 / 5, "a fifth": 1 / 5, "un quinto": 1 / 5,
    "two fifths": 2 / 5, "three fifths": 3 / 5, "four fifths": 4 / 5, "a tenth": 1 / 10,
}  # fmt: skip
_NUMERAL = "|".join(sorted(_VALUES, key=len, reverse=True))
_SCALE = "|".join(sorted(_SCALES, key=len, reverse=True))
_PIECE = rf"(?:{_NUMERAL}|{_SCALE})"
_NUMBER = re.compile(rf"\b(?:a |una )?{_PIECE}(?:(?:[ -]|,? and | y ){_PIECE})*\b")
_FRACTION = re.compile(
    r"\b(?:" + "|".join(sorted((w.replace(" ", "[ -]") for w in _FRACTIONS), key=len, reverse=True)) + r")\b"
)  # fmt: skip
_NUMBER_HINTS = (
    "hundred", "thousand", "illion", "millon", "dozen", "docena", "teen", "twent", "thirt", "fort", "fift",
    "sixt", "sevent", "eight", "ninet", "cien", "quinient", "veint", "trein", "cuaren", "cincuen", "sesen",
    "seten", "ochen", "noven", "trece", "catorce", "quince", "dieci", " mil", "mil ",
)  # fmt: skip
_FRACTION_HINTS = ("half", "mitad", "third", "terci", "quarter", "cuart", "fifth", "quint", "tenth")
_EACH_HINTS = (
    *(f" in {word}" for word in (*_EN_UNITS[2:11], "10", "every ", "each ")),
    " out of ",
    " of every ",
    " of each ",
    " de cada ",
)
_BEFORE = 45
_BEHIND = 60
_IN_EACH = re.compile(
    rf"\b(?P<n>{'|'.join(_EN_UNITS[1:11])}|\d{{1,2}}) (?:in|out of|of every|in every|of each) (?:every |each )?"
    rf"(?P<d>{'|'.join(_EN_UNITS[2:11])}|10)\b(?! ?[.,]?\d)"
    rf"|\b(?P<k>una?|{'|'.join(_ES_UNITS[1:11])}|\d{{1,2}}) de cada (?P<e>{'|'.join(_ES_UNITS[2:11])}|10)\b"
)
_EACH = tuple(
    (words, many / of)
    for of in (3, 4, 5, 10)
    for many in range(1, of)
    for words in (
        f"{_EN_UNITS[many]} in {_EN_UNITS[of]}",
        f"{_EN_UNITS[many]} out of {_EN_UNITS[of]}",
        f"{_ES_UNITS[many]} de cada {_ES_UNITS[of]}",
    )
)
_WORD = re.compile(r"[a-z]+")
_LEAST_WORDS = 13
_NEAR = 0.5


def find_word_numbers(folded: str) -> Iterable[tuple[int, int, int]]:
    """(start, end, value) of each number in words; those below thirteen say little and are left out."""
    for first, last in _around(folded, _NUMBER_HINTS):
        for found in _NUMBER.finditer(folded, first, last):
            value = _value(found.group())
            glued = folded[found.end() : found.end() + 1] == "-"  # "MIL-STD"
            if value is not None and value >= _LEAST_WORDS and not glued:
                yield found.start(), found.end(), value


def small_number(written: str) -> int | None:
    """A whole number in digits, or in one word; None for any other word."""
    return int(written) if written.isdecimal() else _VALUES.get(written)


def number_at(folded: str, start: int) -> tuple[int, int] | None:
    """(end, value) of the number in words that begins here, if it is thirteen or more."""
    found = _NUMBER.match(folded, start, start + _BEHIND)
    value = _value(found.group()) if found else None
    if found is None or value is None or value < _LEAST_WORDS:
        return None
    return None if folded[found.end() : found.end() + 1] == "-" else (found.end(), value)


def find_fractions(folded: str) -> Iterable[tuple[int, int, float]]:
    """(start, end, per cent) of halves, thirds, quarters, fifths in words, and of "two in five"."""
    for first, last in _around(folded, _FRACTION_HINTS):
        for found in _FRACTION.finditer(folded, first, last):
            yield found.start(), found.end(), 100 * _FRACTIONS[found.group().replace("-", " ")]
    for first, last in _around(folded, _EACH_HINTS):
        for found in _IN_EACH.finditer(folded, first, last):
            share = 100 * _small(found["n"] or found["k"]) / _small(found["d"] or found["e"])
            if share < 100:
                yield found.start(), found.end(), share


@lru_cache(maxsize=4096)
def openings(value: float) -> tuple[str, ...]:
    """How the value begins when it is written in words: what to look for before reading on."""
    if not _LEAST_WORDS <= value < 10**12 or value != int(value):
        return ()
    whole = int(value)
    return tuple(dict.fromkeys((*_opening_en(whole), *_opening_es(whole))))


def half_more(value: float) -> re.Pattern[str] | None:
    """What to look for where the value is "two and a half"; None for every other."""
    if not 1 <= value < len(_EN_UNITS) or value % 1 != 0.5:
        return None
    whole = int(value)
    words = (
        f"{_EN_UNITS[whole]} (?:and a half|\\w+ and a half)|{_ES_UNITS[whole]} (?:\\w+ )?y medi[ao]"
    )
    return re.compile(rf"\b(?:{words})\b")


@lru_cache(maxsize=512)
def fraction_words(percent: float, width: float = _NEAR) -> tuple[str, ...]:
    """The words that stand for this share to within `width`; empty for most."""
    return tuple(
        word for word, share in (*_FRACTIONS.items(), *_EACH) if abs(100 * share - percent) <= width
    )


def _opening_en(value: int) -> Iterable[str]:
    for name in ("billion", "million", "thousand", "hundred"):
        many = value // _SCALES[name]
        if many:
            first = next(iter(_opening_en(many)), "")
            yield first if many >= 20 else f"{first} {name}"
            if many == 1:
                yield f"a {name}"
            return
    yield _EN_UNITS[value] if value < 20 else _EN_TENS[value // 10 - 2]


def _opening_es(value: int) -> Iterable[str]:
    for name, scale in (("millon", 10**6), ("mil", 1000)):
        many = value // scale
        if many == 1:
            yield "mil" if scale == 1000 else "un millon"
            return
        if many:
            first = next(iter(_opening_es(many)), "")
            yield first if many >= 30 else f"{first} {name}"
            return
    if value >= 100:
        yield "cien" if value < 200 else _ES_HUNDREDS[value // 100 - 1][:-2]
    else:
        yield _ES_UNITS[value] if value < 30 else _ES_TENS[value // 10 - 3]


def _value(words: str) -> int | None:
    """What the words say; None where they are no number ("thousand" alone, "seventy and eighty")."""
    total = group = 0
    counted = False
    for word in _WORD.findall(words):
        if word in ("a", "and", "y"):
            continue
        scale = _SCALES.get(word)
        if scale is None:
            if (group % 100 and _VALUES[word] >= group % 100) or _VALUES[word] == group:
                return None
            group += _VALUES[word]
            counted = True
        elif not group and word != "mil" and not words.startswith(("a ", "una ")):
            return None
        elif scale <= 100:
            group = max(group, 1) * scale
            counted = True
        else:
            total += max(group, 1) * scale
            group = 0
            counted = True
    return total + group if counted else None


def _small(word: str) -> int:
    return int(word) if word.isdigit() else _VALUES[word]


@lru_cache(maxsize=4)
def _hinted(text: str) -> Places:
    """Where each of all hints stands; a text is asked about three times in a row."""
    return _finder().places(text)


@lru_cache(maxsize=1)
def _finder() -> PieceFinder:
    return PieceFinder((*_NUMBER_HINTS, *_FRACTION_HINTS, *_EACH_HINTS))


def _around(text: str, hints: Iterable[str]) -> Iterable[tuple[int, int]]:
    """The places around any of the hints, merged: looking there is cheaper than everywhere."""
    hinted = _hinted(text)
    places = [at for hint in hints for at in hinted.get(hint, ())]
    behind = 0
    start = -1
    for at in sorted(places):
        if start >= 0 and at - _BEFORE > behind:
            yield start, behind
            start = -1
        if start < 0:
            start = max(behind, at - _BEFORE, 0)
        behind = at + _BEHIND
    if start >= 0:
        yield start, behind
