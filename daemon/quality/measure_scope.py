"""Of which years, months and places a sentence speaks, as far as its words say. Pure.

A full date is when something was written down, and no scope; a month without its day is one.
"""

from __future__ import annotations

import re

from daemon.quality.normalise import fold

_ENGLISH = {
    "enero": "january", "febrero": "february", "marzo": "march", "abril": "april", "mayo": "may",
    "junio": "june", "julio": "july", "agosto": "august", "septiembre": "september",
    "setiembre": "september", "octubre": "october", "noviembre": "november", "diciembre": "december",
}  # fmt: skip
_MONTHS = {*_ENGLISH, *_ENGLISH.values()}
_ANY_MONTH = "|".join(sorted(_MONTHS))
_FULL_DATE = re.compile(
    r"\b(?:\d{4}-\d{2}-\d{2}"
    rf"|\d{{1,2}}(?:st|nd|rd|th)? (?:de |of )?(?:{_ANY_MONTH})(?:,? (?:de |del )?\d{{4}})?"
    rf"|(?:{_ANY_MONTH}) \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}|on (?:{_ANY_MONTH}) \d{{1,2}})\b"
)
_YEAR = re.compile(r"(?<![\d.,$€£/-])(?<!usd )(?:19|20)\d\d(?![\d.,]\d|\d|/)")
_MONTH = re.compile(rf"\b(?:{_ANY_MONTH})\b")
_MAY = re.compile(r"\bMay\b")
_QUARTER = re.compile(
    r"\b(?:q[1-4]|[1-4]t)\b|\b(first|second|third|fourth) (?:quarter|half|round|wave)\b"
)
_PLACE = re.compile(
    r"\b(?:in|at|of|from|near|around|across|en|de|del|desde|para|for|los de|las de) (?:the |el |la |los |las )?"
    r"((?:[A-ZÁÉÍÓÚÑ][\w'’-]+ ?(?:(?:de|del|la|of) (?=[A-Z]))?)+)"
)


def scope_of(sentence: str) -> frozenset[str]:
    """Years, months (in English), quarters, and what stands with a capital behind "in", "of", "en" and the
    like; all folded. Empty for a sentence that speaks of no time or place."""
    folded = fold(sentence)
    plain, raw = list(folded), list(sentence if len(sentence) == len(folded) else folded)
    for found in _FULL_DATE.finditer(folded):
        plain[slice(*found.span())] = raw[slice(*found.span())] = " " * len(found.group())
    said, written = "".join(plain), "".join(raw)
    months = {_ENGLISH.get(one, one) for one in _MONTH.findall(said) if one != "may"}
    months |= {"may"} if _MAY.search(written) else set()
    quarters = {found.group() for found in _QUARTER.finditer(said)}
    named = (" ".join(fold(one).split()) for one in _PLACE.findall(written))
    places = {one for one in named if one and not set(one.split()) <= _MONTHS}
    return frozenset({*_YEAR.findall(said), *months, *quarters, *places})
