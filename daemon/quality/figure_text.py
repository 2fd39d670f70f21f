"""Figures written with digits: where they stand and which numbers they may mean.

Works on a text of any length in one pass; `figures.py` adds words, dates and what is left out.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

FigureKind = Literal["plain", "percent", "money", "date", "time"]

_PERCENT = (
    r"%|‰|[Pp]ercent(?:age points?)?|per cent|por ciento|puntos porcentuales|points|puntos|pp"
)
_SCALE = (
    r"thousand|mil millones|mil|millones|mill[oó]n|million|mn|billion|bn|trillion|MM|[kKMB]|m"
    r"|tonnes|toneladas|cents|centavos|c[eé]ntimos"
)
_KEEPS_BOTH = frozenset(("m", "tonnes", "toneladas", "cents", "centavos", "céntimos", "centimos"))
_NUMBER = re.compile(  # begins with one plain class, so that the search skips from digit to digit
    r"([0-9](?:[0-9]{0,2}([.,'\u00a0\u202f\u2009 ’])[0-9]{3}(?:\2[0-9]{3})*(?![0-9])(?:[.,][0-9]+)?"
    r"|[0-9]*(?:[.,][0-9]+)*))"
    rf"(?:[ \u00a0\u202f-]?({_PERCENT}|(?:{_SCALE})(?![^\W_])))?"
)
_FACTORS = {
    "k": 1e3, "thousand": 1e3, "mil": 1e3, "m": 1e6, "mm": 1e6, "mn": 1e6, "million": 1e6,
    "millon": 1e6, "millón": 1e6, "millones": 1e6, "bn": 1e9, "b": 1e9, "billion": 1e9,
    "mil millones": 1e9, "trillion": 1e12,
    "tonnes": 1e3, "toneladas": 1e3, "cents": 0.01, "centavos": 0.01, "céntimos": 0.01, "centimos": 0.01,
}  # fmt: skip
_GLUED = re.compile(
    r"(?:st|nd|rd|th|s|x|km|kg|[kmg]?w|[kmg]?wh|ms|mg|ml|cm|mm|[kmgt]b|hrs?|h|min|mins|sec|am|pm|c|f"
    r"|ha|g|l|pts?|usd|eur|er|o|a|ª|º|yo|yr|yrs|p|d|ft|in|lbs?|oz|mph|kcal|cal|hp|v|mah|hz|ghz|mhz|fps)(?![^\W_])",
    re.IGNORECASE,
)
_CURRENCY_BEFORE = re.compile(
    r"(?:(US\$|U\.S\.\$|[$€£¥₹])|\b(USD|EUR|GBP|MXN|COP|PEN|ARS|CLP|BRL))\s?$"
)
_CURRENCY_BEHIND = re.compile(
    r"[ \u00a0-]?(?:(?:de |of )?(d[oó]lar(?:es)?|dollars?|euros?|USD|EUR|GBP|pesos|soles|pounds|libras)\b|([€$£]))",
    re.IGNORECASE,
)
_LONGEST_NUMBER = 24  # more digits are an id, or a model that loops
_DIGIT = b"1"
_PLAIN = b" "  # behind the end, and so before the beginning
_BLANK = _PLAIN[0]
_new = tuple.__new__  # a named tuple's own way is four times slower
_LOOSE = frozenset(" \n(|*$€~[")
_SIGNS = bytes(
    _DIGIT[0] if chr(code) in "0123456789" else _BLANK if chr(code) in _LOOSE else ord("?")
    for code in range(256)
)
_CURRENCIES = {
    "$": "$", "u": "$", "d": "$", "€": "€", "e": "€", "£": "£", "g": "£", "l": "£",
}  # fmt: skip
RANGE_MARKS = frozenset(("-", "–", "—", " - ", " – ", " to ", " a ", "-$", "–$", " to $"))

_BETWEEN_RANGE = frozenset(
    ("-", "–", "—", " - ", " – ", " to ", " a ", " and ", " y ", " or ", " o ", "-$", "–$", " to $")
)


_Readings = tuple[tuple[float, float], ...]


class Number(NamedTuple):
    """A number at [start, end) of a text.

    `readings` are (value, step): the step is what one unit of the last written digit is worth.
    `percent` says that a mark of per cent belongs to it.
    """

    start: int
    end: int
    readings: tuple[tuple[float, float], ...]
    percent: bool
    scaled: bool


def find_numbers(text: str) -> list[Number]:
    """Every number in digits that is not a part of a word, an id or a version. Linear.

    Bytes lead from digit to digit, and tell what stands beside them, many times quicker than characters.
    """
    numbers: list[Number] = []
    signs = text.encode("latin-1", "replace").translate(_SIGNS) + _PLAIN
    at = signs.find(_DIGIT)
    while found := _NUMBER.match(text, at) if at >= 0 else None:
        start, end = found.span()
        at = signs.find(_DIGIT, end)
        if signs[start - 1] != _BLANK and not _may_stand_behind(text, start):
            continue
        readings, percent, scaled = _read(found[0])
        if readings is None:
            continue
        if signs[end] != _BLANK and not (percent or scaled) and _is_glued(text, end):
            continue
        if text[start - 1 : start] == "." and _lacks_its_zero(text, start):
            readings, percent, scaled = _read(f"0.{found[0]}")
        numbers.append(_new(Number, (start, end, readings, percent, scaled)))
    return _with_ranges(text, numbers)


def places_of_digits(text: str) -> list[int]:
    """Where runs of digits begin."""
    signs = text.encode("latin-1", "replace").translate(_SIGNS)
    places: list[int] = []
    at = signs.find(_DIGIT)
    while at >= 0:
        if at == 0 or signs[at - 1] != _DIGIT[0]:
            places.append(at)
        at = signs.find(_DIGIT, at + 1)
    return places


def currency(text: str, start: int, end: int) -> str:
    """The currency sign of the amount at [start, end), or the empty text."""
    before = _CURRENCY_BEFORE.search(text, max(0, start - 5), start)
    if before:
        return _CURRENCIES.get((before[1] or before[2])[0].lower(), (before[1] or before[2])[:3])
    behind = _CURRENCY_BEHIND.match(text, end)
    if behind:
        return _CURRENCIES.get((behind[1] or behind[2])[0].lower(), (behind[1] or behind[2])[:3])
    return ""


def _with_ranges(text: str, numbers: list[Number]) -> list[Number]:
    for at in range(len(numbers) - 2, -1, -1):
        behind = numbers[at + 1]
        if behind.percent or behind.scaled:
            numbers[at] = _in_range(text, numbers[at], behind)
    return numbers


def _may_stand_behind(text: str, start: int) -> bool:
    """Not glued to a letter, #, _ or @, nor to "GPT-", "a/" or "1."."""
    before = text[start - 1 : start]
    if not before or before in _LOOSE:
        return True
    if before.isalpha() or before in "#_@":
        return False
    earlier = text[start - 2 : start - 1]
    if before in "-/\\" and earlier.isalpha():
        return False
    return not (before in ".," and earlier.isdigit())


def _is_glued(text: str, end: int) -> bool:
    """Whether letters follow at once that are no unit."""
    behind = text[end : end + 1]
    return (behind.isalpha() or behind == "_") and _GLUED.match(text, end) is None


def _lacks_its_zero(text: str, start: int) -> bool:
    return text[start - 1 : start] == "." and text[start - 2 : start - 1] in (
        "",
        " ",
        "=",
        "(",
        "$",
    )


@lru_cache(maxsize=8192)
def _read(written: str) -> tuple[_Readings | None, bool, bool]:
    """The readings of a number with its unit, whether it is per cent, and whether a scale was applied.

    No readings for an id.
    """
    found = _NUMBER.fullmatch(written)
    digits, suffix = found.group(1, 3) if found else ("", None)
    if not digits or (digits[0] == "0" and digits[1:2].isdigit()) or len(digits) > _LONGEST_NUMBER:
        return None, False, False
    plain = _readings(digits)
    if suffix is None:
        return plain, False, False
    factor = _FACTORS.get(suffix.lower())
    if factor is None:
        return plain, True, False
    scaled = tuple((round(value * factor, 6), step * factor) for value, step in plain)
    both = suffix.lower() in _KEEPS_BOTH
    return (scaled + plain if both else scaled), False, True


def _readings(digits: str) -> tuple[tuple[float, float], ...]:
    """1,200 and 1 200 are 1200; 1.200 may be 1200 or 1.2; 12,5 is 12.5; 1.2.3 is nothing."""
    marks = [one for one in digits if not one.isdigit()]
    if not marks:
        return ((float(digits), _step(digits)),)
    joined = re.sub(r"\D", "", digits)
    last = max(digits.rfind("."), digits.rfind(","))
    decimals = len(digits) - last - 1
    if len(set(marks)) == 1 and len(marks) > 1:
        return ((float(joined), _step(joined)),) if _grouped(digits) else ()
    if len(set(marks)) == 2 and marks[-1] not in marks[:-1]:
        value = re.sub(r"\D", "", digits[:last]) + "." + digits[last + 1 :]
        return ((float(value), 10.0**-decimals),)
    if len(set(marks)) > 1:
        return ()
    if last < 0:
        return ((float(joined), _step(joined)),)
    decimal = (float(digits.replace(",", ".")), 10.0**-decimals)
    if decimals != 3 or digits[0] == "0" or last > 3:
        return (decimal,)
    whole = (float(joined), _step(joined))
    return (whole, decimal) if marks[0] == "." else (whole,)


def _grouped(digits: str) -> bool:
    groups = re.split(r"\D", digits)
    return all(2 <= len(one) <= 3 for one in groups[1:]) and len(groups[-1]) == 3


def _step(digits: str) -> float:
    stripped = digits.rstrip("0")
    return float(10 ** (len(digits) - len(stripped))) if stripped else 1.0


def _in_range(text: str, first: Number, second: Number) -> Number:
    """The first number of "10-12 %", "$2-3 million" or "94, 61 and 38 cents", with the second's unit."""
    between = text[first.end : second.start]
    if len(between) > 5 or first.percent or first.scaled or not first.readings:
        return first
    if first.end - first.start == 4 and 1900 <= first.readings[0][0] < 2100:  # a year
        return first
    if second.percent:
        return first._replace(percent=True) if between in _BETWEEN_RANGE else first
    plain = _read(_digits(text, second))[0]
    if not plain or not plain[0][0] or not second.readings:
        return first
    factor = second.readings[0][0] / plain[0][0]
    if between not in _BETWEEN_RANGE and not (between == ", " and factor < 1):
        return first
    scaled = tuple((round(value * factor, 6), step * factor) for value, step in first.readings)
    return first._replace(readings=scaled + first.readings, scaled=True)


def _digits(text: str, number: Number) -> str:
    found = _NUMBER.match(text, number.start)
    return found[1] if found else "1"
