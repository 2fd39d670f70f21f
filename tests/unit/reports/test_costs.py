"""What was spent: the same sum whichever way it is looked at, to the micro-dollar."""

from __future__ import annotations

from datetime import timedelta
from typing import get_args

import pytest

from daemon.governance.budget import usd_text
from daemon.reports.costs import render_costs, take_costs
from daemon.store.api_calls import Grouping
from tests.unit.reports.money import Purse

COST = 5_995  # 1,000 tokens at 1 USD and 999 at 5 USD per million


@pytest.fixture
def spent(purse: Purse) -> Purse:
    """Yesterday one call; today three, one of them for planning, and one under way."""
    purse.pay("a/try/1", item="B01")
    purse.clock.advance(timedelta(days=1))
    purse.pay("b/try/1", item="B01", agent="lead")
    purse.pay("c/try/1", item="B02")
    purse.pay("d/try/1")
    purse.hold("e/try/1", item="B02")
    return purse


@pytest.mark.parametrize("grouping", get_args(Grouping))
def test_every_grouping_has_the_same_total(spent: Purse, grouping: Grouping) -> None:
    """Five calls, four of them ended; no call is in two lines or in none."""
    costs = take_costs(spent.db, spent.budget.today(), grouping=grouping, days=30)
    assert (costs.calls, costs.cost_micros) == (5, 4 * COST)
    assert costs.open_micros == spent.budget.today().reserved_micros > 0


def test_the_total_of_today_is_what_the_budget_counts(spent: Purse) -> None:
    """One day back is today alone, and equals the figure that the cap is held against."""
    day = spent.budget.today()
    costs = take_costs(spent.db, day, grouping="item", days=1)
    assert costs.since == day.day
    assert costs.cost_micros == day.spent_micros == 3 * COST


def test_lines_of_an_item(spent: Purse) -> None:
    """The dearest first; planning is a line of its own."""
    costs = take_costs(spent.db, spent.budget.today(), grouping="item", days=30)
    assert [(row.name, row.cost_micros) for row in costs.rows] == [
        ("B01", 2 * COST), (None, COST), ("B02", COST)]  # fmt: skip
    text = render_costs(costs, 100)
    assert "(planning)" in text
    [total] = [line.split() for line in text.splitlines() if line.startswith("total")]
    assert total == ["total", "5", "4,000", "3,996", usd_text(costs.open_micros), "0.02398"]


def test_json_has_exact_money(spent: Purse) -> None:
    """Whole micro-dollars, and the same as text; never a float."""
    found = take_costs(spent.db, spent.budget.today(), grouping="day", days=30).as_json()
    assert [row["name"] for row in found["rows"]] == ["2026-11-30", "2026-12-01"]
    assert found["total"]["cost_micros"] == 23_980
    assert found["total"]["cost_usd"] == "0.02398"
    assert found["today"]["cap_usd"] == "20.00"


def test_no_call_is_said(purse: Purse) -> None:
    """An empty table would look like an error."""
    costs = take_costs(purse.db, purse.budget.today(), grouping="day", days=7)
    assert "No call was made." in render_costs(costs, 80)
    assert "2026-11-24 to 2026-11-30" in render_costs(costs, 80)


def test_dollars_are_exact_text() -> None:
    """No rounding, no float, at least two decimals."""
    assert [usd_text(n) for n in (0, 1, 54_399, 10_000, 20_000_000, -400_000, 12_345_678_900_001)] == [
        "0.00", "0.000001", "0.054399", "0.01", "20.00", "-0.40", "12345678.900001"]  # fmt: skip
