from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from daemon.errors import StoreError
from daemon.store import api_calls, budget
from daemon.store.api_calls import CallEnd, CallFacts, CostRow
from daemon.store.database import Database, open_database

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    database = open_database(tmp_path / "state" / "sprintd.db")
    yield database
    database.close()


def call(
    db: Database,
    key: str,
    cost: int | None,
    *,
    agent: str | None = "analyst",
    item: str | None = "prices",
    now: datetime = NOW,
    end: CallEnd | None = None,
) -> None:
    """One call; a cost of None leaves it under way."""
    facts = CallFacts("attempt", "claude", "claude-haiku-5-5", 7, item, agent)
    limit = budget.Limit("venture", now.date(), 1_000_000)
    budget.reserve(db, key, limit, facts, micros=1_000, now=now)
    if cost is not None:
        end = end or CallEnd("replied", "claude-haiku-5-5", 10, 20, 1, 2, 3)
        budget.settle(db, key, end, actual_micros=cost, warn_at_percent=80, now=now)


def test_costs_are_summed_by_day_agent_model_and_item(db: Database) -> None:
    """The same three calls, looked at from four sides; names that are missing stay None."""
    call(db, "a", 100)
    call(db, "b", 200, agent="scout", item=None)
    call(db, "c", 400, now=NOW + timedelta(days=1))
    since = date(2026, 11, 30)

    def named(grouping: api_calls.Grouping) -> list[tuple[str | None, int, int]]:
        rows = api_calls.costs_by(db, grouping, since)
        return [(row.name, row.calls, row.cost_micros) for row in rows]

    assert named("day") == [("2026-11-30", 2, 300), ("2026-12-01", 1, 400)]
    assert named("agent") == [("analyst", 2, 500), ("scout", 1, 200)]
    assert named("model") == [("claude-haiku-5-5", 3, 700)]
    assert named("item") == [("prices", 2, 500), (None, 1, 200)]


def test_a_time_span_includes_both_its_days(db: Database) -> None:
    """The day before and the day after do not count."""
    for day in range(4):
        call(db, str(day), 10**day, now=NOW + timedelta(days=day))
    rows = api_calls.costs_by(db, "day", date(2026, 12, 1), date(2026, 12, 2))
    assert [row.cost_micros for row in rows] == [10, 100]


def test_money_under_way_is_shown_apart_from_cost(db: Database) -> None:
    """What is only set aside is not spent yet."""
    call(db, "a", 100)
    call(db, "b", None)
    (row,) = api_calls.costs_by(db, "agent", NOW.date())
    assert row == CostRow("analyst", 2, 100, open_micros=1_000, prompt_tokens=16, output_tokens=20)


def test_a_reply_counts_for_the_model_that_answered(db: Database) -> None:
    """Behind a proxy that may be another one than was asked for."""
    call(db, "a", 100, end=CallEnd("replied", "house-1"))
    assert [row.name for row in api_calls.costs_by(db, "model", NOW.date())] == ["house-1"]


def test_a_call_is_found_whole_by_its_reservation(db: Database) -> None:
    """Everything that was known before and after it."""
    end = CallEnd("replied", "claude-haiku-5-5", 10, 20, 1, 2, 3, None, "req_9")
    call(db, "a", 100, end=end)
    row = api_calls.find_call(db, "a")
    assert row
    assert row.facts == CallFacts("attempt", "claude", "claude-haiku-5-5", 7, "prices", "analyst")
    assert row.end == end
    assert (row.called_at, row.day) == (NOW, NOW.date())
    assert (row.reserved_micros, row.cost_micros) == (1_000, 100)
    assert api_calls.find_call(db, "b") is None


def test_the_newest_calls_come_first_and_a_sprints_calls_in_order(db: Database) -> None:
    """A page shows what happened last; a sprint is told from its beginning."""
    for key in ("a", "b", "c"):
        call(db, key, 1)
    assert [row.reservation_key for row in api_calls.list_recent(db, 2)] == ["c", "b"]
    assert [row.reservation_key for row in api_calls.list_for_sprint(db, 7)] == ["a", "b", "c"]
    assert api_calls.cost_of_sprint(db, 7) == 3
    assert api_calls.cost_of_sprint(db, 8) == 0


def test_a_broken_text_never_costs_the_row(db: Database) -> None:
    """Half a surrogate pair is repaired and a long error is cut; the cost is there."""
    call(db, "a", 100, end=CallEnd("unknown", error="cut off \ud83d" + "x" * 2_000))
    row = api_calls.find_call(db, "a")
    assert row
    assert row.cost_micros == 100
    assert row.end.error
    assert row.end.error.startswith("cut off \N{REPLACEMENT CHARACTER}x")
    assert len(row.end.error) == api_calls.MAX_ERROR_CHARACTERS


def test_no_call_is_closed_that_was_not_written_before(db: Database) -> None:
    """A cost without its call is a fault, not a new row."""
    with pytest.raises(StoreError, match="no call was written for the reservation 'ghost'"):
        api_calls.close_call(db, "ghost", CallEnd("replied"), cost_micros=1)


def test_the_days_figures_use_an_index(db: Database) -> None:
    """With a million rows, a day, a sprint and a reservation are still looked up, not searched."""
    for sql in (
        "SELECT * FROM api_calls WHERE day BETWEEN '2026-11-30' AND '2026-11-30'",
        "SELECT * FROM api_calls WHERE sprint_id = 7",
        "SELECT * FROM api_calls WHERE reservation_key = 'a'",
        "SELECT * FROM reservation WHERE state = 'held'",
        "SELECT count(*) FROM reservation WHERE key >= 'a/try/' AND key < 'a/try0'",
        "SELECT * FROM effect WHERE state = 'started' ORDER BY key",
    ):
        plan = " ".join(str(row["detail"]) for row in db.rows(f"EXPLAIN QUERY PLAN {sql}"))
        assert "INDEX" in plan or "PRIMARY KEY" in plan


def test_the_cost_of_a_key_is_that_of_all_its_tries(db: Database) -> None:
    """One whose name only begins alike has nothing to do with it; what is under way costs nothing yet."""
    for key, cost in (
        ("k/try/1", 100),
        ("k/try/2", 20),
        ("k2/try/1", 7),
        ("k/trying", 3),
        ("k/try/3", None),
    ):
        call(db, key, cost)
    assert api_calls.cost_of_key(db, "k") == 120
    assert api_calls.cost_of_key(db, "other") == 0
