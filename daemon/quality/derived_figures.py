"""Figures that follow from others by one step of arithmetic, which is shown."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from daemon.quality.figures import SMALLEST, Figure

MOST_OPERANDS = 9

_Result = tuple[float, str, Sequence["Operand"]]
_FEW = 7
_CHANCE = 100
_WIDEST = 0.025
_RISES = re.compile(
    r"\b(?:r[io]se|risen|gr[eo]w(?:th|n|s|ing)?|increas(?:e[sd]?|ing)|up|gain(?:s|ed)?|higher|aument\w+"
    r"|crec\w+|subi\w*|sube\w*|alza|increment\w+)\b"
)
_FALLS = re.compile(
    r"\b(?:fell|fall(?:en|s|ing)?|drop(?:s|ped)?|declin\w{1,4}|decreas\w{1,4}|down|reduc\w+|lower"
    r"|disminu\w+|baj\w+|cay\w+|caida|cae|reduj\w+|rebaj\w+)\b"
)
_REST = re.compile(
    r"\b(?:rest|remain(?:ing|der|s)?|left|others?|restantes?|resto|quedan|demas|otr[oa]s)\b"
)
_COMPARED = re.compile(
    r"\b(?:more|fewer|less|difference|gap|longer|shorter|later|earlier|mas|menos|diferencia|brecha|antes|despues)\b"
)
_RATIO = re.compile(
    r"\b(?:times|twice|average|mean|per|each|a (?:month|year|day|week)|every|ratio|veces|doble|promedio|media|cada|por"
    r"|mensual\w*|al (?:mes|ano|dia))\b|/"
)
_SAID = re.compile(
    r"\b(?:total(?:s|ling)?|sum(?:s|a|an)?|altogether|together|combined|in all|overall|both|rest"
    r"|remain(?:ing|der|s)?|difference|gap|left|more|less|fewer|times|twice|average|mean|per|each"
    r"|annual(?:ly|i[sz]ed)?|a year|that is|which is|equal(?:s|ing)?|between them|after|net"
    r"|against|versus|deduct\w*|minus|plus|respectively|ahead|lead|led|only"
    r"|compared|exactly|half|chang\w{1,4}|share|proportion|rate|majority"
    r"|junt[oa]s|conjunto|restantes?|resto|diferencia|brecha|veces|doble|promedio|media|mitad|cada"
    r"|anual(?:es|mente)?|al ano|es decir|o sea|equivalen?|mas|menos|amb[oa]s|sumad[oa]s|quedan|reunen"
    r"|frente|descontad\w+|deduc\w+|respectivamente|ventaja|solo|apenas|paso|pasaron|pasa|proporcion|cuota|tasa)\b"
    r"|\d ?[+×÷*=/] ?[$€]?\d|= ?[~≈$€]*\d|\d (?:\w+ )?(?:out )?(?:of|de) (?:the |los |las |sus )?\d"
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
    """What a sentence says about its figures: any arithmetic, a rise, a fall, a rest, a rate, a comparison."""

    said: bool
    rises: bool = False
    falls: bool = False
    rest: bool = False
    ratio: bool = False
    compared: bool = False


def speech(folded: str, *, table: bool) -> Speech:
    """How a sentence or row speaks of its figures; those of a table are always related."""
    rises, falls = _RISES.search(folded) is not None, _FALLS.search(folded) is not None
    said = table or rises or falls or _SAID.search(folded) is not None
    rest, ratio = _REST.search(folded) is not None, table or _RATIO.search(folded) is not None
    return Speech(said, rises, falls, rest, ratio, _COMPARED.search(folded) is not None)


def derive(
    figure: Figure,
    operands: Sequence[Operand],
    said: Speech,
    most: int = MOST_OPERANDS,
    signs: Collection[str] = (),
) -> str:
    """The arithmetic that gives the figure, such as "1,200 - 800"; empty where none does.

    Sums, differences, shares of one in another, changes, multiples, a percentage of an amount; with
    three operands and more also the sum of all, and the largest less the others. The result must
    round to the figure as written. Where the sentence speaks of no arithmetic, small numbers are no
    operands, and a result of one or two digits is chance. `most` operands are looked at; `signs`, if
    given, are the only operations tried.
    """
    known = [one for one in dict.fromkeys(operands) if one.value > (0 if said.said else SMALLEST)]
    for value, step in figure.readings:
        chance = figure.kind == "percent" or value < _CHANCE
        if _is_year(figure) or (chance and not said.said):
            continue
        half = min(step / 2, _WIDEST * value) * (2 if figure.about else 1) + 1e-9
        low, high = value - half, value + half
        for result, sign, used in _results(known[:most], said, percent=figure.kind == "percent"):
            if low <= result <= high and (not signs or sign in signs):
                return _written(sign, used)
    return ""


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
        yield from _added(amounts if said.compared else large)
        yield from _multiplied(countable, said)
        yield from _multiples(countable, shares, said)
        yield from _sums([one for one in large if not one.is_year])
        if said.rest:
            yield from _rests([one for one in large if not one.is_year][:_FEW])
        return
    for low, high in _pairs(countable):
        yield 100 * low.value / high.value, " / ", (low, high)
    yield from _changes(countable, said)
    yield from _changes(shares, said)
    yield from _shares(shares)


def _pairs(pool: Sequence[Operand]) -> Iterable[tuple[Operand, Operand]]:
    """Each two of them, the smaller first."""
    return combinations(sorted(pool, key=_worth), 2)


def _changes(pool: Sequence[Operand], said: Speech) -> Iterable[_Result]:
    """Changes from one to the other; only rises, or only falls, where the sentence says so."""
    one_way = said.rises != said.falls
    for low, high in _pairs(pool):
        change = 100 * (high.value - low.value)
        if not (one_way and said.falls):
            yield change / low.value, "({0} - {1}) / {1}", (high, low)
        if not (one_way and said.rises):
            yield change / high.value, "({1} - {0}) / {0}", (high, low)


def _shares(shares: Sequence[Operand]) -> Iterable[_Result]:
    for one in shares:
        yield 100 - one.value, "100 % - {}", (one,)
    for low, high in _pairs(shares):
        yield low.value + high.value, " + ", (low, high)
        yield high.value - low.value, " - ", (high, low)
    if len(shares) > 2:
        yield sum(one.value for one in shares), " + ", shares


def _is_small(operand: Operand) -> bool:
    """A small whole number: nearly any result is near a figure and one of these."""
    return (
        operand.value <= SMALLEST and operand.value == int(operand.value) and operand.text.isdigit()
    )


def _added(amounts: Sequence[Operand]) -> Iterable[_Result]:
    for low, high in _pairs(amounts):
        yield high.value - low.value, " - ", (high, low)
        if not (low.is_year or high.is_year):
            yield low.value + high.value, " + ", (low, high)


def _multiplied(amounts: Sequence[Operand], said: Speech) -> Iterable[_Result]:
    for low, high in _pairs(amounts):
        yield low.value * high.value, " x ", (low, high)
        if said.ratio:
            yield high.value / low.value, " / ", (high, low)


def _multiples(
    amounts: Sequence[Operand], shares: Sequence[Operand], said: Speech
) -> Iterable[_Result]:
    for one in amounts:
        if said.ratio:
            yield 12 * one.value, "12 x {}", (one,)
            yield one.value / 12, "{} / 12", (one,)
        for share in shares:
            if not share.text.endswith(("points", "puntos")):
                yield one.value * share.value / 100, " of ", (share, one)


def _sums(amounts: Sequence[Operand]) -> Iterable[_Result]:
    """Neighbours together, and the largest of them less the others."""
    for size in range(3, len(amounts) + 1):
        for first in range(len(amounts) - size + 1):
            some = amounts[first : first + size]
            whole = sum(one.value for one in some)
            yield whole, " + ", some
            largest = max(some, key=_worth)
            yield 2 * largest.value - whole, " - ", sorted(some, key=lambda one: one is not largest)


def _rests(amounts: Sequence[Operand]) -> Iterable[_Result]:
    """Each amount less two or three of the others."""
    for size in (2, 3):
        for whole in amounts:
            for parts in combinations([one for one in amounts if one is not whole], size):
                yield whole.value - sum(one.value for one in parts), " - ", (whole, *parts)


def _worth(operand: Operand) -> float:
    return operand.value
