"""The forecast is a rule: the day's own pace, and never beyond the cap."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from daemon.governance.budget import BudgetDay
from daemon.reports.money_ahead import MoneyAhead, money_ahead

MIDNIGHT = datetime(2026, 12, 1, tzinfo=UTC)
NOON = MIDNIGHT - timedelta(hours=12)


def day(spent: int, reserved: int = 0, cap: int = 20_000_000) -> BudgetDay:
    left = max(0, cap - spent - reserved)
    return BudgetDay(NOON.date(), cap, spent, reserved, left, MIDNIGHT)


def test_the_rest_of_the_day_costs_as_much_an_hour_as_its_beginning() -> None:
    """Six dollars by noon are half a dollar an hour, so twelve at midnight."""
    assert money_ahead(day(6_000_000), NOON) == MoneyAhead(500_000, 12_000_000, None)


def test_what_is_reserved_counts_once_and_sets_no_pace() -> None:
    """It is money that may be gone, not money that an hour costs."""
    found = money_ahead(day(6_000_000, reserved=1_000_000), NOON)
    assert found == MoneyAhead(500_000, 13_000_000, None)


def test_the_cap_ends_it_and_the_moment_is_told() -> None:
    """Fifteen by noon: the five that are left last four hours."""
    found = money_ahead(day(15_000_000), NOON)
    assert found == MoneyAhead(1_250_000, 20_000_000, NOON + timedelta(hours=4))


def test_a_cap_that_is_reached_stops_now_and_a_bill_above_it_is_told_as_it_is() -> None:
    """Never a forecast below what is spent already."""
    found = money_ahead(day(21_000_000), NOON)
    assert found == MoneyAhead(1_750_000, 21_000_000, NOON)


def test_a_day_without_costs_goes_on_without_them() -> None:
    """Also with a cap of zero."""
    assert money_ahead(day(0), NOON) == MoneyAhead(0, 0, None)
    assert money_ahead(day(0, cap=0), NOON) == MoneyAhead(0, 0, None)


def test_the_first_hour_foretells_nothing() -> None:
    """One call at 00:05 would else make a day of thousands of dollars."""
    begin = MIDNIGHT - timedelta(days=1)
    assert money_ahead(day(1_000_000), begin + timedelta(minutes=59)) is None
    assert money_ahead(day(1_000_000), begin + timedelta(minutes=60)) is not None
