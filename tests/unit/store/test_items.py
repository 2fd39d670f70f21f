"""Item states: three rejections block, a human puts back, done stays done."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

from daemon.store.database import Database
from daemon.store.items import (
    ItemState,
    count_rejection,
    count_states,
    find_item_state,
    list_item_states,
    mark_done,
    reopen,
    unblock,
    unblock_all,
)


def _block(db: Database, item: str, now: datetime) -> None:
    count_rejection(db, item, "bad", 1, now)


def test_an_item_that_nothing_happened_to_is_open(db: Database) -> None:
    """No row is needed, and none is made by looking."""
    assert find_item_state(db, "prices") == ItemState("prices", "open", 0, "", None)
    assert list_item_states(db) == {}


def test_third_rejection_blocks_the_item(db: Database, now: datetime) -> None:
    """1 and 2 leave it open, 3 blocks it; the newest reason and moment are kept."""
    states = []
    for number in range(3):
        moment = now + timedelta(minutes=number)
        states.append(count_rejection(db, "prices", f"reason {number}", 3, moment))
    assert [(row.state, row.rejections) for row in states] == [
        ("open", 1),
        ("open", 2),
        ("blocked", 3),
    ]
    assert states[-1] == find_item_state(db, "prices")
    assert (states[-1].reason, states[-1].changed_at) == ("reason 2", now + timedelta(minutes=2))


def test_the_first_rejection_blocks_where_one_attempt_is_allowed(
    db: Database, now: datetime
) -> None:
    """max_attempts 1 needs no earlier row."""
    assert count_rejection(db, "prices", "bad", 1, now).state == "blocked"


def test_eight_threads_count_every_rejection(db: Database, now: datetime) -> None:
    """24 rejections at the same time are 24."""
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: count_rejection(db, "prices", "bad", 100, now), range(24)))
    assert find_item_state(db, "prices").rejections == 24


def test_done_stays_done(db: Database, now: datetime) -> None:
    """Marking twice keeps the first moment; a late rejection does not reopen or block it."""
    assert mark_done(db, "prices", now).state == "done"
    assert mark_done(db, "prices", now + timedelta(hours=1)).changed_at == now
    assert count_rejection(db, "prices", "late", 1, now).state == "done"


def test_done_after_a_rejection_clears_the_reason(db: Database, now: datetime) -> None:
    """An accepted item has nothing left to complain about."""
    count_rejection(db, "prices", "bad", 3, now)
    found = mark_done(db, "prices", now)
    assert (found.state, found.reason, found.rejections) == ("done", "", 1)


def test_unblocking_puts_back_with_a_clean_slate(db: Database, now: datetime) -> None:
    """Open, no rejections, no reason; the next rejection is the first again."""
    _block(db, "prices", now)
    later = now + timedelta(hours=1)
    assert unblock(db, "prices", later)
    assert find_item_state(db, "prices") == ItemState("prices", "open", 0, "", later)
    assert count_rejection(db, "prices", "bad", 3, later).rejections == 1


def test_unblocking_what_is_not_blocked_changes_nothing(db: Database, now: datetime) -> None:
    """Unknown, open and done items: False, and as they were."""
    count_rejection(db, "opened", "bad", 3, now)
    mark_done(db, "finished", now)
    before = list_item_states(db)
    later = now + timedelta(hours=1)
    assert [unblock(db, item, later) for item in ("unknown", "opened", "finished")] == [False] * 3
    assert list_item_states(db) == before


def test_all_blocked_items_are_put_back_and_named(db: Database, now: datetime) -> None:
    """Sorted ids; twice is harmless; done items stay."""
    for item in ("b", "a", "c"):
        _block(db, item, now)
    mark_done(db, "d", now)
    assert unblock_all(db, now) == ["a", "b", "c"]
    assert unblock_all(db, now) == []
    assert count_states(db) == {"open": 3, "done": 1, "blocked": 0}


def test_item_ids_are_data_not_sql(db: Database, now: datetime) -> None:
    """An id with quotes and signs is an id like any other."""
    item = "'; DROP TABLE item_state; -- %_\""
    _block(db, item, now)
    assert unblock(db, item, now)
    assert list(list_item_states(db)) == [item]


def test_ten_thousand_items_are_listed_and_counted(db: Database, now: datetime) -> None:
    """The counts come from an index, not from the rows."""
    with db.immediate():
        for number in range(10_000):
            mark_done(db, f"item-{number}", now)
    assert len(list_item_states(db)) == 10_000
    assert count_states(db) == {"open": 0, "done": 10_000, "blocked": 0}
    plan = db.rows("EXPLAIN QUERY PLAN SELECT state, COUNT(*) FROM item_state GROUP BY state")
    assert "USING COVERING INDEX item_state_state" in plan[0]["detail"]


def test_a_done_item_can_be_reopened(db: Database, now: datetime) -> None:
    """Open again without rejections; what is not done stays as it is."""
    count_rejection(db, "prices", "bad", 3, now)
    mark_done(db, "prices", now)
    assert reopen(db, "prices", now)
    assert find_item_state(db, "prices") == ItemState("prices", "open", 0, "", now)
    _block(db, "rivals", now)
    assert not reopen(db, "rivals", now)
    assert not reopen(db, "prices", now)
    assert not reopen(db, "unknown", now)
    assert find_item_state(db, "rivals").state == "blocked"
