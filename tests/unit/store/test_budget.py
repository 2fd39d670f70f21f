from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from daemon.errors import StoreError
from daemon.store import budget, events
from daemon.store.api_calls import CallEnd, CallFacts, find_call
from daemon.store.budget import DayRow, Denied, HoldRow, KeyTaken, Limit
from daemon.store.database import Database, open_database

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
DAY = NOW.date()
FACTS = CallFacts("attempt", "claude", "claude-haiku-5-5")
REPLIED = CallEnd("replied", "claude-haiku-5-5", 10, 20)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    database = open_database(tmp_path / "state" / "sprintd.db")
    yield database
    database.close()


def reserve(
    db: Database, key: str, micros: int, *, cap: int = 1_000, day: date = DAY
) -> HoldRow | Denied | KeyTaken:
    return budget.reserve(db, key, Limit("venture", day, cap), FACTS, micros=micros, now=NOW)


def settle(db: Database, key: str, micros: int, now: datetime = NOW) -> HoldRow:
    return budget.settle(db, key, REPLIED, actual_micros=micros, warn_at_percent=80, now=now)


def figures(db: Database, day: date = DAY) -> tuple[int, int]:
    row = budget.find_day(db, "venture", day)
    assert row
    return row.spent_micros, row.held_micros


def kinds(db: Database) -> list[str]:
    return [event.kind for event in events.list_after(db, 0)]


def test_a_reservation_is_written_with_its_call(db: Database) -> None:
    """One transaction: the day's figure, the reservation and the call that it is for."""
    assert reserve(db, "a", 400) == HoldRow("a", "venture", DAY, 400, None, "held")
    assert figures(db) == (0, 400)
    row = find_call(db, "a")
    assert row
    assert (row.end.outcome, row.reserved_micros, row.cost_micros) == ("started", 400, None)


def test_the_cap_is_reached_exactly_and_never_passed(db: Database) -> None:
    """The last micro-dollar can be reserved; one more cannot."""
    assert isinstance(reserve(db, "a", 999), HoldRow)
    assert isinstance(reserve(db, "b", 2), Denied)
    assert isinstance(reserve(db, "c", 1), HoldRow)
    assert isinstance(reserve(db, "d", 1), Denied)


def test_a_refusal_leaves_nothing_behind(db: Database) -> None:
    """No day, no reservation, no call: only the figures that it was decided on."""
    refused = reserve(db, "a", 1_001)
    assert refused == Denied(Limit("venture", DAY, 1_000), 0, 0, 1_001)
    assert budget.find_day(db, "venture", DAY) is None
    assert budget.find_hold(db, "a") is None
    assert find_call(db, "a") is None


def test_a_cap_of_zero_refuses_every_price_but_zero(db: Database) -> None:
    """Zero is a cap of zero, never "no cap"; what costs nothing passes."""
    assert isinstance(reserve(db, "a", 1, cap=0), Denied)
    assert isinstance(reserve(db, "b", 0, cap=0), HoldRow)


def test_a_key_is_reserved_once(db: Database) -> None:
    """A second asker with the same key is told so, and must not call on the first one's money."""
    reserve(db, "a", 400)
    assert reserve(db, "a", 300) == KeyTaken(HoldRow("a", "venture", DAY, 400, None, "held"))
    settle(db, "a", 100)
    again = reserve(db, "a", 300)
    assert isinstance(again, KeyTaken)
    assert again.hold.state == "settled"
    assert figures(db) == (100, 0)


def test_the_cap_of_today_is_the_one_that_counts(db: Database) -> None:
    """Lowered during the day it holds from the next call on; so it does when it is raised."""
    reserve(db, "a", 600)
    assert isinstance(reserve(db, "b", 10, cap=500), Denied)
    assert isinstance(reserve(db, "c", 600, cap=2_000), HoldRow)
    row = budget.find_day(db, "venture", DAY)
    assert row == DayRow("venture", DAY, 2_000, 1_200, 1_200, None)


def test_scopes_and_days_do_not_share_money(db: Database) -> None:
    """Each has its own figures."""
    reserve(db, "a", 1_000)
    assert isinstance(reserve(db, "b", 1_000, day=date(2026, 12, 1)), HoldRow)
    other = budget.reserve(db, "c", Limit("total", DAY, 1_000), FACTS, micros=1_000, now=NOW)
    assert isinstance(other, HoldRow)


def test_settling_replaces_the_hold_by_the_bill(db: Database) -> None:
    """What was held too much is free again, and the call knows its cost."""
    reserve(db, "a", 900)
    assert settle(db, "a", 250) == HoldRow("a", "venture", DAY, 900, 250, "settled")
    assert figures(db) == (250, 0)
    assert isinstance(reserve(db, "b", 750), HoldRow)
    row = find_call(db, "a")
    assert row
    assert (row.cost_micros, row.end) == (250, REPLIED)


def test_a_bill_after_midnight_counts_for_the_day_of_its_reservation(db: Database) -> None:
    """The new day starts with nothing spent."""
    reserve(db, "a", 900)
    settle(db, "a", 500, now=NOW + timedelta(days=1))
    assert figures(db) == (500, 0)
    assert budget.find_day(db, "venture", date(2026, 12, 1)) is None


def test_a_bill_above_its_hold_is_booked_as_it_is_and_told(db: Database) -> None:
    """The truth may be above the cap; it is written down and said, not trimmed."""
    reserve(db, "a", 900)
    settle(db, "a", 1_500)
    assert figures(db) == (1_500, 0)
    told = events.list_after(db, 0)[0]
    assert told.kind == "bill_above_hold"
    assert told.facts == {"key": "a", "held_micros": 900, "cost_micros": 1_500}
    assert isinstance(reserve(db, "b", 1), Denied)


def test_released_money_is_free_again(db: Database) -> None:
    """A call that was not billed costs nothing, and says why."""
    reserve(db, "a", 900)
    budget.release(db, "a", CallEnd("not_billed", error="overloaded"), now=NOW)
    assert figures(db) == (0, 0)
    row = find_call(db, "a")
    assert row
    assert (row.cost_micros, row.end.outcome, row.end.error) == (0, "not_billed", "overloaded")


def test_a_reservation_is_closed_once(db: Database) -> None:
    """Whatever comes second changes nothing: no figure, no call, no event."""
    reserve(db, "a", 900)
    settle(db, "a", 850)
    before = (figures(db), find_call(db, "a"), kinds(db))
    settle(db, "a", 10)
    released = budget.release(db, "a", CallEnd("not_billed"), now=NOW)
    assert released.state == "settled"
    assert (figures(db), find_call(db, "a"), kinds(db)) == before


def test_what_was_never_reserved_cannot_be_closed(db: Database) -> None:
    """A bill without a reservation is a fault that must be seen."""
    with pytest.raises(StoreError, match="there is no reservation 'ghost'"):
        settle(db, "ghost", 1)


def test_the_warning_is_given_once_a_day_when_most_is_spent(db: Database) -> None:
    """Money only set aside does not raise it; spending does, one time; the next day again."""
    reserve(db, "a", 900)
    assert kinds(db) == []
    settle(db, "a", 799)
    assert kinds(db) == []
    for key in ("b", "c"):
        reserve(db, key, 1)
        settle(db, key, 1)
    assert kinds(db) == ["budget_warning"]
    facts = events.list_after(db, 0)[0].facts
    assert facts == {"day": "2026-11-30", "percent": 80, "spent_micros": 800, "cap_micros": 1_000}
    reserve(db, "d", 900, day=date(2026, 12, 1))
    settle(db, "d", 900)
    assert kinds(db) == ["budget_warning", "budget_warning"]


def test_a_cap_of_zero_gives_no_warning(db: Database) -> None:
    """All of nothing is not "most of it"."""
    reserve(db, "a", 0, cap=0)
    settle(db, "a", 0)
    assert kinds(db) == []


def test_a_failure_in_the_middle_leaves_the_hold_standing(db: Database) -> None:
    """Settling is one transaction with whatever surrounds it: all of it, or none."""
    reserve(db, "a", 900)

    def settle_and_break() -> None:
        with db.immediate():
            settle(db, "a", 100)
            raise RuntimeError("cut")

    with pytest.raises(RuntimeError):
        settle_and_break()
    assert figures(db) == (0, 900)
    assert [hold.key for hold in budget.list_held(db)] == ["a"]


def test_reservations_are_counted_by_the_beginning_of_their_key(db: Database) -> None:
    """Only whole prefixes: item 1 is not item 10."""
    for key in ("item/1/try/1", "item/1/try/2", "item/10/try/1"):
        reserve(db, key, 1)
    assert budget.count_reservations(db, "item/1/try/") == 2
    assert budget.count_reservations(db, "item/2/try/") == 0


def test_the_days_are_listed_oldest_first(db: Database) -> None:
    """From the asked day on."""
    for day in (date(2026, 12, 2), date(2026, 11, 29), DAY):
        reserve(db, day.isoformat(), 1, day=day)
    assert [row.day for row in budget.list_days(db, "venture", DAY)] == [DAY, date(2026, 12, 2)]


def test_sound_books_have_no_faults(db: Database) -> None:
    """Held, settled, released and above the hold: used is held plus settled."""
    for number, key in enumerate(("a", "b", "c", "d")):
        reserve(db, key, 100 + number)
    settle(db, "b", 40)
    settle(db, "c", 400)
    budget.release(db, "d", CallEnd("not_billed"), now=NOW)
    assert budget.budget_faults(db) == []


def test_books_that_disagree_are_told(db: Database) -> None:
    """A day that does not equal its reservations, and a call that does not equal its own."""
    reserve(db, "a", 100)
    reserve(db, "b", 100)
    settle(db, "b", 40)
    with db.immediate() as tx:
        tx.execute("UPDATE budget_day SET used_micros = used_micros - 5")
        tx.execute("UPDATE api_calls SET cost_micros = 39 WHERE reservation_key = 'b'")
    assert budget.budget_faults(db) == [
        (
            "2026-11-30 (venture): the day counts 135 micro-dollars used, 100 of them held; "
            "its reservations say 140, 100 of them held"
        ),
        "b: the reservation is settled at 40 micro-dollars, its call replied at 39",
    ]
