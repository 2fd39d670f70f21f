"""Figures that follow from others by one step of arithmetic, which is shown."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from daemon.quality.figures import SMALLEST, Figure

MOST_OPERANDS = 9

_Result = tuple[float, str, Sequence["Operand"]]
_FEW = 7
_WIDEST = 0.025
_WORDS = {
    "rises": r"r[io]se|risen|gr[eo]w(?:th|n|s|ing)?|increas(?:e[sd]?|ing)|up(?! to)|gain(?:s|ed)?|higher|aument\w+"
    r"|crec\w+|subi\w*|sube\w*|alza|increment\w+",
    "falls": r"fell|fall(?:en|s|ing)?|drop(?:s|ped)?|declin\w{1,4}|decreas\w{1,4}|down|reduc\w+|lower"
    r"|disminu\w+|baj\w+|cay\w+|caida|cae|reduj\w+|rebaj\w+",
    "changes": r"chang\w{1,4}|from|variaci\w+|paso|pasaron|pasa|vari\w+",
    "rest": r"rest|remain(?:ing|der|s)?|left|others?|restantes?|resto|quedan|demas|otr[oa]s",
    "total": r"total(?:s|ling)?|sum(?:s|a|an)?|altogether|together|combined|in all|overall|both"
    r"|between them|total(?:es)?|junt[oa]s|conjunto|amb[oa]s|sumad[oa]s|reunen|plus|mas",
    "compared": r"more|fewer|less|difference|gap|longer|shorter|later|earlier|minus|after|net|against|versus|compared"
    r"|ahead|lead|led|sav(?:es|ed|ings?)|ahorr\w+|deduct\w*|points|mas|menos|diferencia|brecha|antes"
    r"|despues|frente|ventaja"
    r"|descontad\w+|deduc\w+"
    r"|puntos|higher|lower",
    "rate": r"times|twice|average|mean|per|each|a (?:month|year|day|week)|every|ratio|worth"
    r"|equal(?:s|ing)?|charg\w+|sold at"
    r"|veces|doble|promedio|media|mitad|cada|por|mensual\w*|al (?:mes|ano|dia)|equivalen?|half|aplica\w*|si se",
    "yearly": r"annual(?:ly|i[sz]ed)?|year(?:ly)?|month(?:ly)?|anual(?:es|mente)?|ano|mensual\w*|mes",
    "shares": r"share|proportion|majority|that is|which is|or (?:about |some )?\d+|proporcion|cuota"
    r"|tasa|es decir|o sea"
    r"|(?:un|el) \d[\d.,]*",
}
_SAYS = {name: re.compile(rf"\b(?:{words})\b") for name, words in _WORDS.items()}
_SHOWN = re.compile(r"\d ?[+×÷*=/] ?[$€]?\d|= ?[~≈$€]*\d")
_SCALED = re.compile(r" (?:x|/|of) |\d+ x {}|{} / \d+")
_PART = re.compile(
    r"\d (?:\w+ )?(?:out )?(?:of|de) (?:the |los |las |sus )?\d|\d [^.\d]{0,40}\(\d[\d.,]* ?%"
)


@dataclass(frozen=True)
class Operand:
    """A figure that may be calculated with: as it is written, and what it is worth."""

    text: str
    value: float
    percent: bool = False

    @property
    def is_year(self) -> bool:
        return self.text.isdigit() and 1900 <= self.value < 2100


@dataclass(frozen=True)
class Speech:
    """Which kinds of arithmetic a sentence speaks of; `certain` opens them all."""

    kinds: frozenset[str]
    certain: bool = False

    def of(self, *kinds: str) -> bool:
        return self.certain or any(kind in self.kinds for kind in kinds)

    @property
    def said(self) -> bool:
        return self.certain or bool(self.kinds)


def speech(folded: str, *, certain: bool) -> Speech:
    """How a sentence speaks of its figures. `certain` is for tables, whose figures are related."""
    kinds = {name for name, pattern in _SAYS.items() if pattern.search(folded)}
    if _PART.search(folded):
        kinds |= {"part", "shares"}
    return Speech(frozenset(kinds), certain or _SHOWN.search(folded) is not None)


def derive(
    figure: Figure,
    operands: Sequence[Operand],
    said: Speech,
    most: int = MOST_OPERANDS,
    signs: Collection[str] = (),
) -> str:
    """The arithmetic that gives the figure, such as "1,200 - 800"; empty where none does.

    Sums, differences, shares of one in another, changes, multiples, a percentage of an amount; with
    three operands and more also the sum of all, and one less the others. Each only where the sentence
    speaks of it. The result must round to the figure as written; a product or a quotient, which
    chance gives soonest, to the last digit of it. `most` operands are looked at; `signs`, if given,
    are the only operations tried.
    """
    if figure.about:  # a text that calls its figure rounded has calculated it
        said = replace(said, kinds=said.kinds | {"part"})
    if _is_year(figure) or not said.said:
        return ""
    known = list(dict.fromkeys(one for one in operands if one.value > 0))[:most]
    for value, step in figure.readings:
        half = min(step / 2, _WIDEST * value) * (2 if figure.about else 1) + 1e-9
        exact = _half_of_the_last_digit(figure, value, step)
        for result, sign, used in _results(known, said, percent=figure.kind == "percent"):
            width = exact if _SCALED.fullmatch(sign) else half
            if abs(result - value) <= width and (not signs or sign in signs):
                return _written(sign, used)
    return ""


def _half_of_the_last_digit(figure: Figure, value: float, step: float) -> float:
    """How far a product or a quotient may lie from the figure.

    The zeros of "2,300" are digits as well, unless the text calls the figure rounded.
    """
    digits = re.sub(r"\D", "", figure.text)
    written = step if figure.about or not digits.strip("0") else value / int(digits)
    return min(written / 2, _WIDEST * value) + 1e-9


def _written(sign: str, used: Sequence[Operand]) -> str:
    texts = [one.text for one in used]
    return sign.format(*texts) if "{" in sign else sign.join(texts)


def _is_year(figure: Figure) -> bool:
    return figure.kind == "plain" and Operand(figure.text, figure.readings[0][0]).is_year


def _results(known: Sequence[Operand], said: Speech, *, percent: bool) -> Iterable[_Result]:
    shares = [one for one in known if one.percent]
    amounts = [one for one in known if not one.percent]
    countable = [one for one in amounts if not one.is_year]
    if not percent:
        large = [one for one in amounts if not _is_small(one)]
        yield from _added(amounts if said.of("compared") else large, said)
        if said.of("rate"):
            yield from _multiplied(countable)
        if said.of("rate", "part"):
            yield from _percentages(countable, shares)
        if said.of("yearly") and said.of("rate"):
            yield from _by_months(countable)
        yield from _sums([one for one in large if not one.is_year], said)
        return
    parts = countable if said.of("part") else [one for one in countable if not _is_small(one)]
    if said.of("shares", "rate", "total", "part"):
        for low, high in _pairs(parts):
            yield 100 * low.value / high.value, " / ", (low, high)
    if said.of("rises", "falls", "changes", "compared"):
        yield from _changes(parts, said)
        yield from _changes(shares, said)
    yield from _shares(shares, said)


def _pairs(pool: Sequence[Operand]) -> Iterable[tuple[Operand, Operand]]:
    """Each two of them, the smaller first."""
    return combinations(sorted(pool, key=_worth), 2)


def _changes(pool: Sequence[Operand], said: Speech) -> Iterable[_Result]:
    """Changes from one to the other; only rises, or only falls, where the sentence says so."""
    rises, falls = "rises" in said.kinds, "falls" in said.kinds
    for low, high in _pairs(pool):
        change = 100 * (high.value - low.value)
        if rises or not falls:
            yield change / low.value, "({1} - {0}) / {0}", (low, high)
        if falls or not rises:
            yield change / high.value, "({0} - {1}) / {1}", (low, high)


def _shares(shares: Sequence[Operand], said: Speech) -> Iterable[_Result]:
    if said.of("rest"):
        for one in shares:
            yield 100 - one.value, "100 % - {}", (one,)
    for low, high in _pairs(shares):
        if said.of("total"):
            yield low.value + high.value, " + ", (low, high)
        if said.of("compared", "rises", "falls", "changes"):
            yield high.value - low.value, " - ", (high, low)
    if len(shares) > 2 and said.of("total"):
        yield sum(one.value for one in shares), " + ", shares


def _is_small(operand: Operand) -> bool:
    """A small whole number: nearly any result is near a figure and one of these."""
    return (
        operand.value <= SMALLEST and operand.value == int(operand.value) and operand.text.isdigit()
    )


def _added(amounts: Sequence[Operand], said: Speech) -> Iterable[_Result]:
    differs = said.of("compared", "rises", "falls", "changes", "rest")
    totals = said.of("total")
    for low, high in _pairs(amounts):
        if differs:
            yield high.value - low.value, " - ", (high, low)
        if totals and not (low.is_year or high.is_year):
            yield low.value + high.value, " + ", (low, high)


def _multiplied(amounts: Sequence[Operand]) -> Iterable[_Result]:
    for low, high in _pairs([one for one in amounts if one.value != 1]):
        yield low.value * high.value, " x ", (low, high)
        yield high.value / low.value, " / ", (high, low)


def _percentages(amounts: Sequence[Operand], shares: Sequence[Operand]) -> Iterable[_Result]:
    for share in shares:
        if not share.text.endswith(("points", "puntos")):
            for one in amounts:
                yield one.value * share.value / 100, " of ", (share, one)


def _by_months(amounts: Sequence[Operand]) -> Iterable[_Result]:
    for one in amounts:
        yield 12 * one.value, "12 x {}", (one,)
        yield one.value / 12, "{} / 12", (one,)


def _sums(amounts: Sequence[Operand], said: Speech) -> Iterable[_Result]:
    """Neighbours together; where the sentence speaks of a rest, one less two or three others."""
    if said.of("total"):
        for size in range(3, len(amounts) + 1):
            for first in range(len(amounts) - size + 1):
                some = amounts[first : first + size]
                yield sum(one.value for one in some), " + ", some
    if said.of("rest"):
        yield from _rests(amounts[:_FEW])


def _rests(amounts: Sequence[Operand]) -> Iterable[_Result]:
    """Each amount less two or three of the others."""
    for size in (2, 3):
        for whole in amounts:
            for parts in combinations([one for one in amounts if one is not whole], size):
                yield whole.value - sum(one.value for one in parts), " - ", (whole, *parts)


def _worth(operand: Operand) -> float:
    return operand.value
