"""Figures that follow from others by one step of arithmetic, which is shown."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, islice
from math import floor, log10

from daemon.quality.derived_products import (
    Operand,
    Result,
    is_money,
    is_small,
    means,
    multiplied,
    of_three,
)
from daemon.quality.figure_speech import Speech
from daemon.quality.figures import Figure

MOST_OPERANDS = 9
LUCK = 0.06

_FEW = 7
_WIDEST = 0.025
_MOST_RESULTS = 1500
_SCALED = re.compile(r" (?:x|/|of) |\d+ x {}|{} / \d+|.*[x/].*[x/].*")
_POINTS = ("points", "puntos", "pp")
_SHARE_RANGE = 30.0  # inventors like small percentages: one is as likely as one of thirty


@dataclass
class Luck:
    """How large a share of invented figures the arithmetic tried for one figure may let by.

    Each result that was tried would also have met an invented figure, with the chance of its width in
    all figures of as many digits. A result counts once, however it was come by.
    """

    left: float = LUCK
    tried: set[int] = field(default_factory=set)

    def spend(self, result: float, width: float, span: float) -> None:
        """Pay for having tried a result, where a figure of a range of `span` is right within `width`."""
        key = floor(result / width)
        if key not in self.tried:
            self.tried.add(key)
            self.left -= min(1.0, width / span)


def derive(
    figure: Figure,
    operands: Sequence[Operand],
    said: Speech,
    luck: Luck,
    *,
    most: int = MOST_OPERANDS,
    signs: Collection[str] = (),
    own: Collection[Operand] = (),
) -> str:
    """The arithmetic that gives the figure, such as "1,200 - 800"; empty where none does.

    Sums, differences, shares of one in another, changes, multiples, means, a percentage of an amount; with
    three operands and more also the sum of all, one less the others, and products of three. Each only where the
    sentence speaks of it, the likeliest first, until `luck` is used up. The result must round to
    the figure as written; a product or a quotient, which chance gives soonest, to the last digit of it.
    `most` operands are looked at; `signs`, if given, are the only operations tried; of `own`, if given, each
    result takes one.
    """
    if figure.about:  # a text that calls its figure rounded has calculated it
        said = replace(said, kinds=said.kinds | {"shares"})
    if _is_year(figure) or luck.left < 0:
        return ""
    known = list(dict.fromkeys(one for one in operands if one.value > 0))[:most]
    for value, step in figure.readings:
        half = min(step / 2, _WIDEST * value) * (2 if figure.about else 1) + 1e-9
        exact = _half_of_the_last_digit(figure, value, step)
        low, span = _range_of(value, percent=figure.kind == "percent")
        results = islice(_results(known, said, figure), _MOST_RESULTS)
        for result, sign, used in results:
            if own and not any(one in own for one in used):
                continue
            if (signs and sign not in signs) or not low - half <= result < 10 * low + half:
                continue
            width = exact if _SCALED.fullmatch(sign) else half
            if abs(result - value) <= width:
                return _written(sign, used)
            luck.spend(result, 2 * width, span)
            if luck.left < 0:
                return ""
    return ""


def _range_of(value: float, *, percent: bool) -> tuple[float, float]:
    """The least figure of as many digits, and how far the others of as many digits reach."""
    low = 10.0 ** floor(log10(value)) if value > 0 else 1.0
    return low, max(9 * low, _SHARE_RANGE) if percent else 9 * low


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


def _results(known: Sequence[Operand], said: Speech, figure: Figure) -> Iterable[Result]:
    shares = [one for one in known if one.percent]
    amounts = [one for one in known if not one.percent]
    if figure.text.endswith(_POINTS):
        yield from _shares(shares, said)
        return
    countable = [one for one in amounts if not one.is_year]
    if figure.kind == "percent":
        yield from _as_percent(countable, shares, said)
        return
    large = [one for one in amounts if not is_small(one) and _measures(one, figure)]
    if said.of("total") and len(large) > 2:
        some = [one for one in large if not one.is_year]
        yield sum(one.value for one in some), " + ", some
    spans = figure.measured is not None and figure.measured.kind == "time"
    yield from _added([one for one in large if spans or not one.is_year], said)
    money = is_money(countable)
    if said.of("rate"):
        yield from multiplied(countable, figure, money=money)
    if said.of("rate", "part") or _is_long(figure):
        yield from _percentages(countable, shares)
    if said.of("yearly") and said.of("rate"):
        yield from _by_months(countable)
    large = [one for one in large if not one.is_year]
    yield from _sums(large, said)
    if "mean" in said.kinds or (said.certain and _is_long(figure)):
        yield from means(large)
    if said.of("total", "rate") and _is_long(figure):
        yield from of_three(countable, figure, money=money)


def _as_percent(
    countable: Sequence[Operand], shares: Sequence[Operand], said: Speech
) -> Iterable[Result]:
    parts = countable if said.of("part") else [one for one in countable if not is_small(one)]
    if not said.certain and said.of("rises", "falls", "changes"):
        yield from _changes(parts, said)
        yield from _shares(shares, said)
    if said.of("shares", "rate", "total", "part", "compared"):
        yield from _of_the_whole(parts)
        for low, high in _pairs(parts):
            yield 100 * low.value / high.value, " / ", (low, high)
    if said.of("rises", "falls", "changes", "compared"):
        yield from _changes(parts, said)
        yield from _changes(shares, said)
    yield from _shares(shares, said)


def _of_the_whole(parts: Sequence[Operand]) -> Iterable[Result]:
    """The share of each in the sum of all."""
    whole = sum(one.value for one in parts)
    if len(parts) > 2 and len({one.of for one in parts}) == 1:
        for one in parts:
            others = [other for other in parts if other is not one]
            sign = "{} / ({} + " + " + ".join(["{}"] * len(others)) + ")"
            yield 100 * one.value / whole, sign, (one, one, *others)


def _pairs(pool: Sequence[Operand]) -> Iterable[tuple[Operand, Operand]]:
    """Each two of them that measure the same, the smaller first; neighbours before others."""
    found = [(j - i, pool[i], pool[j]) for i, j in combinations(range(len(pool)), 2)]
    for _, one, other in sorted(found, key=lambda three: three[0]):
        if not (one.of and other.of and one.of != other.of):
            yield (one, other) if one.value <= other.value else (other, one)


def _changes(pool: Sequence[Operand], said: Speech) -> Iterable[Result]:
    """Changes from one to the other; only rises, or only falls, where the sentence says so."""
    rises, falls = "rises" in said.kinds, "falls" in said.kinds
    for low, high in _pairs(pool):
        change = 100 * (high.value - low.value)
        if rises or not falls:
            yield change / low.value, "({1} - {0}) / {0}", (low, high)
        if falls or not rises:
            yield change / high.value, "({0} - {1}) / {1}", (low, high)


def _shares(shares: Sequence[Operand], said: Speech) -> Iterable[Result]:
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


def _added(amounts: Sequence[Operand], said: Speech) -> Iterable[Result]:
    differs = said.of("compared", "rises", "falls", "changes", "rest")
    totals = said.of("total")
    for low, high in _pairs(amounts):
        if differs and low.is_year == high.is_year:
            yield high.value - low.value, " - ", (high, low)
        if totals and not (low.is_year or high.is_year):
            yield low.value + high.value, " + ", (low, high)


def _measures(operand: Operand, figure: Figure) -> bool:
    """Whether the operand may be added up to the figure: not days to money."""
    of = figure.unit or (figure.measured.kind if figure.measured else "")
    return not of or operand.of in ("", of)


def _is_long(figure: Figure) -> bool:
    return len(re.sub(r"\D", "", figure.text).strip("0")) > 2


def _percentages(amounts: Sequence[Operand], shares: Sequence[Operand]) -> Iterable[Result]:
    for share in shares:
        if not share.text.endswith(_POINTS):
            for one in amounts:
                yield one.value * share.value / 100, " of ", (share, one)


def _by_months(amounts: Sequence[Operand]) -> Iterable[Result]:
    for one in amounts:
        yield 12 * one.value, "12 x {}", (one,)
        yield one.value / 12, "{} / 12", (one,)


def _sums(amounts: Sequence[Operand], said: Speech) -> Iterable[Result]:
    """Neighbours together; where the sentence speaks of a rest, one less two or three others."""
    if said.of("total"):
        for size in range(len(amounts), 2, -1):
            for first in range(len(amounts) - size + 1):
                some = amounts[first : first + size]
                yield sum(one.value for one in some), " + ", some
    if said.of("rest"):
        yield from _rests(amounts[:_FEW])


def _rests(amounts: Sequence[Operand]) -> Iterable[Result]:
    """Each amount less two or three of the others."""
    for size in (2, 3):
        for whole in amounts:
            for parts in combinations([one for one in amounts if one is not whole], size):
                yield whole.value - sum(one.value for one in parts), " - ", (whole, *parts)


def _worth(operand: Operand) -> float:
    return operand.value
