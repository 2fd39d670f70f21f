"""The last three gates: units, money, tokens."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from daemon.knowledge.ceilings import fill
from daemon.knowledge.plan import MoneyBudget, PlannedUnit, PlanOptions
from daemon.knowledge.unit import Unit

_MONEY = st.decimals("0", "3", places=2)


@given(prices=st.lists(_MONEY, max_size=8), amount=_MONEY, spent=_MONEY)
def test_money_never_passes_the_ceiling_and_nothing_disappears(
    prices: list[Decimal], amount: Decimal, spent: Decimal
) -> None:
    """What is selected fits beside what was spent before; the rest is skipped with the sum."""
    ranked = [_priced(number, price) for number, price in enumerate(prices)]
    options = _options(money_budget=MoneyBudget(amount, spent=spent))
    filled = fill(ranked, options)
    bought = sum((unit.price or Decimal(0) for unit in filled.selected), Decimal(0))
    assert bought == 0 or bought + spent <= amount
    assert len(filled.selected) + len(filled.skipped) + len(filled.beyond) == len(prices)


@given(sizes=st.lists(st.integers(0, 50), max_size=8), ceiling=st.integers(0, 100))
def test_tokens_never_pass_the_ceiling(sizes: list[int], ceiling: int) -> None:
    """Exactly the ceiling still fits; one more does not."""
    ranked = [_sized(number, size) for number, size in enumerate(sizes)]
    filled = fill(ranked, _options(context_budget=ceiling))
    assert sum(unit.unit.size_tokens or 0 for unit in filled.selected) <= ceiling
    assert all(skip.gate == "context_budget" for skip in filled.skipped)


def test_unit_that_may_not_be_loaded_uses_no_room() -> None:
    """It is shown, and costs neither money nor tokens."""
    shown = PlannedUnit(Unit("a", "a.md", size_tokens=99), 1, False, (), Decimal(9), "USDC")
    options = _options(context_budget=10, money_budget=MoneyBudget(Decimal(1)))
    filled = fill([shown, _sized(1, 10)], options)
    assert [unit.id for unit in filled.selected] == ["a", "u1"]


def _options(**more: object) -> PlanOptions:
    return PlanOptions(as_of=date(2026, 7, 1), max_units=20, **more)  # type: ignore[arg-type]


def _priced(number: int, price: Decimal) -> PlannedUnit:
    unit = Unit(f"u{number}", f"u{number}.md")
    return PlannedUnit(unit, 1, True, (), price=price, currency="USDC")


def _sized(number: int, tokens: int) -> PlannedUnit:
    return PlannedUnit(Unit(f"u{number}", f"u{number}.md", size_tokens=tokens), 1, True, ())


def test_money_is_committed_before_the_tokens_are_looked_at() -> None:
    """As in the reference: what was too long keeps the money it was given, so less is bought."""
    long = _priced(1, Decimal("0.2"))
    long = replace(long, unit=replace(long.unit, size_tokens=50))
    options = _options(money_budget=MoneyBudget(Decimal("0.3")), context_budget=10)
    filled = fill([long, _priced(2, Decimal("0.2"))], options)
    assert [(skip.id, skip.gate) for skip in filled.skipped] == [
        (long.id, "context_budget"),
        (_priced(2, Decimal(0)).id, "money_budget"),
    ]
    assert "remaining 0.1 of 0.3" in filled.skipped[1].reason
