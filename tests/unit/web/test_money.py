"""The page of money: today, 30 days, who and what it went to, and a forecast that says its rule."""

from __future__ import annotations

import re
from datetime import timedelta

from daemon.llm.provider import OFFLINE_MODEL
from daemon.store.api_calls import CallEnd, CallFacts
from daemon.store.budget import Limit, reserve, settle
from daemon.web.money import money_view
from tests.unit.web.lived import lived, page_of
from tests.unit.web.watched import Watched

__all__ = ["lived"]


def spend(
    watched: Watched,
    key: str,
    micros: int,
    *,
    days_ago: int = 0,
    item: str = "T01",
    model: str = "a-model",
) -> None:
    at = watched.clock.now() - timedelta(days=days_ago)
    facts = CallFacts("attempt", "claude", model, item=item, agent="ana")
    db, limit = watched.services.db, Limit("venture", at.date(), 20_000_000)
    reserve(db, key, limit, facts, micros=micros, now=at)
    end = CallEnd("replied", model, 10, 5)
    settle(db, key, end, actual_micros=micros, warn_at_percent=80, now=at)


def test_what_was_spent_is_grouped_by_agent_model_and_item(watched: Watched) -> None:
    """The dearest first, each with its share of the dearest; the span is chosen in the address."""
    spend(watched, "a", 6_000_000)
    spend(watched, "b", 3_000_000, item="T02")
    spend(watched, "c", 9_000_000, days_ago=6, item="T03")
    spend(watched, "d", 1_000_000, days_ago=29)
    with watched.app.test_request_context():
        today, week, month = (money_view(watched.watch, {"days": days}) for days in ("1", "7", "x"))
    assert [(one.name, one.cost, one.percent) for one in today.groups["item"]] == [
        ("T01", "6.00", 100.0),
        ("T02", "3.00", 50.0),
    ]
    assert [one.name for one in week.groups["item"]] == ["T03", "T01", "T02"]
    assert month.groups["agent"][0].cost == "19.00"
    assert (month.span, month.total.calls, month.spent_in_all) == (30, 4, "19.00")


def test_every_day_has_its_bar_and_its_row(watched: Watched) -> None:
    """The table says in figures what the picture shows; a day without calls has no cap of its own."""
    spend(watched, "a", 17_000_000)
    spend(watched, "b", 4_000_000, days_ago=3)
    page = page_of(watched, "/money")
    assert "2026-11-30: 17.00 USD" in page
    assert page.count('<rect class="fill-') == 2
    assert 'class="fill-wait"' in page  # 17 of 20 is more than 80 %
    assert len(re.findall(r'scope="row" role="rowheader" class="short">2026-', page)) == 30


def test_days_before_the_first_known_cap_have_no_line_for_it(watched: Watched) -> None:
    """A line along the ground would say that nothing could be spent."""
    spend(watched, "a", 1_000_000, days_ago=2)
    page = watched.client.get("/money").text
    assert page.count('class="stroke-cap"') == 3


def test_the_forecast_says_its_rule(watched: Watched) -> None:
    """Six dollars by noon: twelve at midnight, at half a dollar an hour."""
    spend(watched, "a", 6_000_000)
    page = page_of(watched, "/money")
    assert "12.00 USD" in page
    assert "an hour of today cost 0.50 USD" in page
    spend(watched, "b", 9_000_000)
    assert "reached at about 16:00 UTC" in page_of(watched, "/money")
    watched.clock.advance(timedelta(hours=12, minutes=10))
    assert "less than an hour old" in page_of(watched, "/money")


def test_what_people_added_to_the_cap_stands_with_its_approval(lived: Watched) -> None:
    """Money never grows without a name behind it."""
    page = page_of(lived, "/money")
    assert re.search(r"USD added to today's cap by a person,.*href=\"/approvals/A1\"", page)


def test_money_that_the_ledger_has_no_yes_to_is_told(lived: Watched) -> None:
    """The row of the fixture has no approval, so it adds nothing, and the page says so."""
    assert "the ledger has no person's yes to it" in page_of(lived, "/money")


def test_what_the_offline_writer_answered_costs_nothing_and_says_so(watched: Watched) -> None:
    """As soon as a model was asked, calls and money are told."""
    spend(watched, "a", 0, model=OFFLINE_MODEL)
    spend(watched, "b", 0, model=OFFLINE_MODEL)
    told = "nothing spent in 2 answers by the offline writer, which costs nothing"
    assert told in page_of(watched, "/money")
    spend(watched, "c", 20_000)
    assert "3 calls, 0.02 USD" in page_of(watched, "/money")


def test_a_day_without_calls_says_so(watched: Watched) -> None:
    """As on the first day."""
    page = page_of(watched, "/money")
    assert "No call was made." in page
    assert '<svg class="chart' not in page
    assert "20.00 USD" in page
