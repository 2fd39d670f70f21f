"""The sums that pages read are equal to the calls that they stand for, whatever happens to these."""

from __future__ import annotations

from datetime import UTC, date, datetime

from daemon.store import call_totals
from daemon.store.api_calls import CallEnd, CallFacts, CostRow, costs_by
from daemon.store.budget import Limit, release, reserve, settle
from daemon.store.database import Database

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
DAY = NOW.date()
LIMIT = Limit("venture", DAY, 10_000_000)


def ask(db: Database, key: str, *, agent: str | None = "ada", item: str | None = "T01") -> None:
    facts = CallFacts("attempt", "claude", "a-model", sprint_id=None, item=item, agent=agent)
    reserve(db, key, LIMIT, facts, micros=500, now=NOW)


def in_order(rows: list[CostRow]) -> list[CostRow]:
    return sorted(rows, key=lambda row: (-row.cost_micros, row.name or ""))


def agree(db: Database) -> None:
    for kind in ("agent", "item", "model"):
        kept = call_totals.totals_by(db, kind, DAY, DAY)
        assert in_order(kept) == in_order(costs_by(db, kind, DAY, DAY))


def test_every_step_of_a_call_is_in_the_sums(db: Database) -> None:
    """Asked, replied by another model, given back, without agent and item: always as counted anew."""
    ask(db, "a")
    agree(db)
    ask(db, "b", agent=None, item=None)
    ask(db, "c", agent="bob")
    agree(db)
    reply = CallEnd("replied", "another-model", 10, 20, 30, 40, 50)
    settle(db, "a", reply, actual_micros=321, warn_at_percent=80, now=NOW)
    agree(db)
    release(db, "b", CallEnd("not_billed"), now=NOW)
    settle(db, "c", CallEnd("unknown"), actual_micros=500, warn_at_percent=80, now=NOW)
    agree(db)
    assert call_totals.total_of(db, DAY, DAY) == CostRow(None, 3, 821, 0, 130, 20)


def test_a_call_that_is_taken_out_leaves_the_sums(db: Database) -> None:
    """Whoever mends the database by hand does not have to know of the sums."""
    ask(db, "a")
    ask(db, "b")
    with db.immediate() as tx:
        tx.execute("DELETE FROM api_calls WHERE reservation_key = 'a'")
    agree(db)


def test_only_the_dearest_are_given(db: Database) -> None:
    """`limit` cuts behind them, and days outside are not counted."""
    for number, item in enumerate(("T01", "T02", "T03"), 1):
        ask(db, item, item=item)
        end = CallEnd("replied", "a-model")
        settle(db, item, end, actual_micros=100 * number, warn_at_percent=80, now=NOW)
    dearest = call_totals.totals_by(db, "item", DAY, DAY, limit=2)
    assert [row.name for row in dearest] == ["T03", "T02"]
    before = date(2026, 11, 29)
    assert call_totals.totals_by(db, "item", before, before) == []
    assert call_totals.total_of(db, before, before).calls == 0
