"""Products, quotients and means that operands give: what chance meets soonest, and money most rarely means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from daemon.quality.figures import SMALLEST, Figure

Result = tuple[float, str, Sequence["Operand"]]

_MONEY = frozenset("$ € £ ¥ ₹ USD EUR GBP MXN COP PEN ARS CLP BRL pes sol".split())  # noqa: SIM905 - a list of words
_FEW = 7


@dataclass(frozen=True)
class Operand:
    """A figure that may be calculated with: as it is written, what it is worth, what it measures.

    `of` is a currency or a kind of unit; empty for a bare number, which goes with any.
    """

    text: str
    value: float
    percent: bool = False
    of: str = ""

    @property
    def is_year(self) -> bool:
        return self.text.isdigit() and 1900 <= self.value < 2100


def multiplied(amounts: Sequence[Operand], figure: Figure, *, money: bool) -> Iterable[Result]:
    for one, other in combinations([one for one in amounts if one.value != 1], 2):
        low, high = sorted((one, other), key=_worth)
        if is_small(high):
            continue
        if _pays(figure, (low, high), (), money=money):
            yield low.value * high.value, " x ", (low, high)
        if _pays(figure, (high,), (low,), money=money):
            yield high.value / low.value, " / ", (high, low)


def means(amounts: Sequence[Operand]) -> Iterable[Result]:
    """The mean of all, and of the first or last so many."""
    for size in range(len(amounts), 1 + (len(amounts) > 2), -1):
        some = amounts[:size]
        sign = "(" + " + ".join(["{}"] * size) + f") / {size}"
        yield sum(one.value for one in some) / size, sign, some


def of_three(amounts: Sequence[Operand], figure: Figure, *, money: bool) -> Iterable[Result]:
    """Counts at prices added up, and what three numbers give multiplied and divided."""
    few = amounts[:_FEW]
    for (a, b), (c, d) in pairwise(zip(few[::2], few[1::2], strict=False)):
        yield a.value * b.value + c.value * d.value, "{} x {} + {} x {}", (a, b, c, d)
    for three in combinations(few, 3):
        for at in range(3):
            one, (two, other) = three[at], [*three[:at], *three[at + 1 :]]
            if _pays(figure, (two, other), (), money=money):
                yield one.value + two.value * other.value, "{} + {} x {}", (one, two, other)
            if _pays(figure, (one,), (two, other), money=money):
                yield one.value / (two.value * other.value), "{} / {} / {}", (one, two, other)
            if _pays(figure, (two, other), (one,), money=money):
                yield two.value * other.value / one.value, "{1} x {2} / {0}", (one, two, other)
        if _pays(figure, three, (), money=money):
            product = three[0].value * three[1].value * three[2].value
            yield product, " x ", three


def is_money(operands: Iterable[Operand]) -> bool:
    """Whether any of them is known to be money."""
    return any(one.of in _MONEY for one in operands)


def is_small(operand: Operand) -> bool:
    """A small whole number: nearly any result is near a figure and one of these."""
    return (
        operand.value <= SMALLEST and operand.value == int(operand.value) and operand.text.isdigit()
    )


def _pays(figure: Figure, times: Iterable[Operand], by: Iterable[Operand], *, money: bool) -> bool:
    """Whether money comes out where the figure is money: none times money, none by money.

    `money` says whether any of the operands is known to be money.
    """
    many = sum(one.of in _MONEY for one in times)
    power = many - sum(one.of in _MONEY for one in by)
    return many <= 1 and (power == 1 if figure.unit and money else 0 <= power <= 1)


def _worth(operand: Operand) -> float:
    return operand.value
