from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from daemon.clock import ManualClock
from daemon.config.sections import BudgetSection
from daemon.governance.budget import Budget, Caller, Refusal, Reservation, usd_text
from daemon.llm.prices import PriceTable, load_prices
from daemon.llm.provider import Usage
from daemon.store import events
from daemon.store.api_calls import find_call
from daemon.store.database import Database, open_database
from tests.standins.paid_provider import MODEL, reply

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
CALLER = Caller("attempt", sprint_id=3, item="prices", agent="analyst")


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    database = open_database(tmp_path / "state" / "sprintd.db", busy_timeout_seconds=0.1)
    yield database
    database.close()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOON)


def budget_of(db: Database, clock: ManualClock, cap: str = "20") -> Budget:
    return Budget(db, load_prices(None), BudgetSection(daily_cap_usd=Decimal(cap)), clock)


def ask(budget: Budget, key: str = "k", *, model: str = MODEL) -> Reservation | Refusal:
    """A call whose worst case is 0.40 USD."""
    return budget.reserve(
        key,
        provider="paid",
        model=model,
        input_tokens=80_000,
        output_tokens=60_000,
        caller=CALLER,
    )


def held(answer: Reservation | Refusal) -> Reservation:
    assert isinstance(answer, Reservation), answer
    return answer


def refused(answer: Reservation | Refusal) -> Refusal:
    assert isinstance(answer, Refusal), answer
    return answer


def test_a_reservation_holds_the_worst_case(db: Database, clock: ManualClock) -> None:
    """80,000 tokens at the price of a cache write and 60,000 of output: 0.40 USD."""
    budget = budget_of(db, clock)
    assert held(ask(budget)) == Reservation("k", NOON.date(), 400_000, MODEL)
    today = budget.today()
    assert (today.spent_micros, today.reserved_micros) == (0, 400_000)
    assert (today.cap_micros, today.remaining_micros) == (20_000_000, 19_600_000)
    assert (today.day, today.ends_at) == (NOON.date(), datetime(2026, 12, 1, tzinfo=UTC))


def test_a_refusal_says_which_cap_and_which_figures(db: Database, clock: ManualClock) -> None:
    """Cap, spent, reserved, asked, when the day ends, and the setting that it came from."""
    budget = budget_of(db, clock, "1")
    budget.settle(held(ask(budget, "a")), reply("", usage=Usage(300_000, 0)))
    ask(budget, "b")
    refusal = refused(ask(budget, "c"))
    assert refusal.message == (
        "the daily cap of 1.00 USD would be exceeded: 0.30 spent, 0.40 reserved, 0.40 asked for; "
        "the day ends at 2026-12-01 00:00 UTC (budget.daily_cap_usd in config.toml)"
    )
    assert refusal == Refusal(
        "cap",
        refusal.message,
        cap_micros=1_000_000,
        spent_micros=300_000,
        reserved_micros=400_000,
        asked_micros=400_000,
        day_ends_at=datetime(2026, 12, 1, tzinfo=UTC),
    )


@pytest.mark.parametrize("model", ["claude-haiku-4.5", "gpt", ""])
def test_a_model_without_a_price_is_refused(db: Database, clock: ManualClock, model: str) -> None:
    """It names the model, and nothing is written."""
    refusal = refused(ask(budget_of(db, clock), model=model))
    assert refusal.reason == "no_price"
    assert repr(model) in refusal.message
    assert find_call(db, "k") is None


def test_without_a_price_table_everything_is_refused(db: Database, clock: ManualClock) -> None:
    """Also the model that costs nothing: zero must be written, not missing."""
    budget = Budget(db, PriceTable({}), BudgetSection(), clock)
    assert refused(ask(budget, model="extractive-1")).reason == "no_price"


def test_a_cap_of_zero_refuses_what_costs_and_lets_pass_what_does_not(
    db: Database, clock: ManualClock
) -> None:
    """Zero is never "unlimited"; the writer without a service goes on working."""
    budget = budget_of(db, clock, "0")
    assert refused(ask(budget, "a")).reason == "cap"
    free = held(ask(budget, "b", model="extractive-1"))
    assert free.held_micros == 0
    assert budget.settle(free, reply(model="extractive-1", usage=Usage(9, 9))) == 0


def test_a_cap_is_rounded_down_to_whole_micro_dollars(db: Database, clock: ManualClock) -> None:
    """0.3999999 USD do not pay for a call of 0.40."""
    assert refused(ask(budget_of(db, clock, "0.3999999"))).cap_micros == 399_999


def test_two_hundred_dimes_fill_a_cap_of_twenty_exactly(db: Database, clock: ManualClock) -> None:
    """Every one of them is granted, and not one micro-dollar more is."""
    budget = budget_of(db, clock, "20")
    for number in range(200):
        answer = budget.reserve(
            str(number),
            provider="paid",
            model=MODEL,
            input_tokens=80_000,
            output_tokens=0,
            caller=CALLER,
        )
        budget.settle(held(answer), reply("", usage=Usage(0, 0, 80_000)))
    assert budget.today().spent_micros == 20_000_000
    assert refused(ask(budget)).message.startswith(
        "the daily cap of 20.00 USD would be exceeded: 20.00 spent, 0.00 reserved"
    )


def test_a_bill_is_priced_by_the_model_that_answered(db: Database, clock: ManualClock) -> None:
    """Behind a proxy another model may answer; its own price counts, above the hold too."""
    budget = budget_of(db, clock)
    usage = Usage(10_000, 20_000)
    assert budget.settle(held(ask(budget, "a")), reply(usage=usage)) == 110_000
    dear = reply(model="claude-opus-5", usage=usage)
    assert budget.settle(held(ask(budget, "b")), dear) == 550_000
    assert budget.today().spent_micros == 660_000
    assert [event.kind for event in events.list_after(db, 0)] == ["bill_above_hold"]


@pytest.mark.parametrize(
    "answer",
    [
        reply(model="house-1", usage=Usage(1, 1)),
        reply(usage=Usage(-5, 1)),
        reply(usage=Usage(0, 0)),
        reply(usage=Usage(10, 0)),
        reply(usage=Usage(10**30, 1)),
    ],
    ids=["no price", "negative", "no usage", "no output", "absurd"],
)
def test_a_reply_that_cannot_be_priced_is_booked_at_its_worst_case(
    db: Database, clock: ManualClock, answer: object
) -> None:
    """It was paid for, so it is kept; its cost is never zero, and it is flagged."""
    budget = budget_of(db, clock)
    assert budget.settle(held(ask(budget)), answer) == 400_000  # type: ignore[arg-type]
    (flag,) = events.list_after(db, 0)
    assert flag.kind == "unpriced_reply"
    assert flag.facts["key"] == "k"
    row = find_call(db, "k")
    assert row
    assert (row.end.outcome, row.cost_micros) == ("replied", 400_000)
    assert row.end.error
    assert row.end.error.startswith("booked at its worst case: ")


def test_a_call_writes_down_who_made_it_and_what_came(db: Database, clock: ManualClock) -> None:
    """Purpose, sprint, item, agent; tokens, model, request id, cost."""
    budget = budget_of(db, clock)
    budget.settle(held(ask(budget)), reply(usage=Usage(1, 2, 3, 4, 5)))
    row = find_call(db, "k")
    assert row
    facts, end = row.facts, row.end
    assert (facts.purpose, facts.sprint_id, facts.item, facts.agent) == (
        "attempt",
        3,
        "prices",
        "analyst",
    )
    assert (facts.provider, facts.model, end.replied_model) == ("paid", MODEL, MODEL)
    assert (end.input_tokens, end.output_tokens, end.request_id) == (1, 2, "req_1")
    assert (end.cache_write_5m_tokens, end.cache_write_1h_tokens, end.cache_read_tokens) == (
        3,
        4,
        5,
    )


def test_an_unknown_outcome_costs_its_worst_case(db: Database, clock: ManualClock) -> None:
    """It may have been billed, so it counts in full, and says why."""
    budget = budget_of(db, clock)
    budget.keep_worst_case(held(ask(budget)), error="timed out", request_id="req_7")
    assert budget.today().spent_micros == 400_000
    row = find_call(db, "k")
    assert row
    assert (row.end.outcome, row.end.error, row.end.request_id) == ("unknown", "timed out", "req_7")


def test_a_call_that_was_not_billed_costs_nothing(db: Database, clock: ManualClock) -> None:
    """Its money is free for the next one."""
    budget = budget_of(db, clock, "0.40")
    budget.release(held(ask(budget, "a")), error="overloaded", request_id=None)
    assert held(ask(budget, "b"))


def test_each_utc_day_has_its_own_money(db: Database, clock: ManualClock) -> None:
    """At midnight UTC the cap is whole again; a late bill belongs to the day of its call."""
    budget = budget_of(db, clock, "0.40")
    late = held(ask(budget, "a"))
    assert refused(ask(budget, "b")).reason == "cap"
    clock.advance(timedelta(hours=12))
    assert budget.today().remaining_micros == 400_000
    budget.settle(late, reply())
    assert budget.today().day == date(2026, 12, 1)
    assert budget.today().spent_micros == 0
    assert held(ask(budget, "b"))


def test_a_database_that_is_locked_refuses_in_one_line(db: Database, clock: ManualClock) -> None:
    """Money that cannot be written down is not spent."""
    other = open_database(db.path)
    with other.immediate():
        refusal = refused(ask(budget_of(db, clock)))
    other.close()
    assert refusal.reason == "store"
    assert refusal.message.startswith("nothing may be spent without the database: ")
    assert "locked by another program" in refusal.message
    assert "\n" not in refusal.message
    assert refusal.spent_micros is None


def test_orphans_are_counted_in_full_once(db: Database, clock: ManualClock) -> None:
    """All that is held but for the named ones; a second time there is nothing left to do."""
    budget = budget_of(db, clock)
    for key in ("a/try/1", "b/try/1", "b/try/2"):
        held(ask(budget, key))
    assert budget.keep_all_held(but_for=("b/try/",), error="ended") == ["a/try/1"]
    assert budget.keep_all_held(but_for=("b/try/",), error="ended") == []
    assert budget.today().spent_micros == 400_000
    assert budget.today().reserved_micros == 800_000


@pytest.mark.parametrize(
    ("micros", "text"),
    [
        (0, "0.00"),
        (19_500_000, "19.50"),
        (54_399, "0.054399"),
        (1, "0.000001"),
        (1_230_000, "1.23"),
        (1_200_500, "1.2005"),
        (-5_000, "-0.005"),
    ],
)
def test_money_is_told_exactly(micros: int, text: str) -> None:
    """Two decimals at least, six at most, never rounded."""
    assert usd_text(micros) == text
