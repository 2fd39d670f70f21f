"""The bar of the day's money never says more or less than the figures."""

from __future__ import annotations

from datetime import timedelta

import pytest

from daemon.governance.budget import BudgetDay
from daemon.web.money_bar import money_of
from tests.workspaces import NOON


def day(cap: int, spent: int, reserved: int, raised: int = 0) -> BudgetDay:
    return BudgetDay(
        day=NOON.date(), cap_micros=cap, spent_micros=spent, reserved_micros=reserved,
        ends_at=NOON + timedelta(hours=12), raised_micros=raised,
        remaining_micros=max(0, cap - spent - reserved),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("cap", "spent", "reserved", "percent"),
    [(0, 0, 0, 0), (0, 1, 0, 100), (100, 99, 0, 99), (100, 30, 20, 50), (10, 15, 5, 100),
     (3, 1, 1, 66), (1_000_000, 999_999, 0, 99)],
)  # fmt: skip
def test_used_is_what_is_spent_and_reserved_of_the_cap(
    cap: int, spent: int, reserved: int, percent: int
) -> None:
    """Rounded down, so that 100 % is only said where nothing is left; the lengths fit the bar."""
    money = money_of(day(cap, spent, reserved))
    assert money.used_percent == percent
    assert money.spent_percent + money.reserved_percent <= 100.000001


def test_a_raise_is_told_only_where_there_was_one() -> None:
    assert money_of(day(100, 0, 0)).raised == ""
    assert money_of(day(7_000_000, 0, 0, raised=5_000_000)).raised == "5.00"
