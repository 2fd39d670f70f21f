"""Events are read in the order in which they happened, each once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

from daemon.store.database import Database
from daemon.store.events import EventRow, last_id, list_after, list_newest, record


def test_an_event_comes_back_as_it_was(db: Database, now: datetime) -> None:
    """With and without sprint, item and facts."""
    first = record(db, "sprint_ended", now, sprint_id=3, item="prices", facts={"state": "failed"})
    second = record(db, "halted", now)
    assert list_after(db, 0) == [
        EventRow(first, now, "sprint_ended", 3, "prices", {"state": "failed"}),
        EventRow(second, now, "halted", None, None, {}),
    ]


def test_a_reader_that_keeps_its_place_sees_each_event_once(db: Database, now: datetime) -> None:
    """Seven events in pages of three, from the last id seen."""
    ids = [record(db, f"kind-{number}", now) for number in range(7)]
    seen: list[int] = []
    place = 0
    while page := list_after(db, place, limit=3):
        seen += [row.id for row in page]
        place = page[-1].id
    assert seen == ids == sorted(ids)
    assert place == last_id(db)


def test_ids_rise_in_the_order_of_commit(db: Database, now: datetime) -> None:
    """While eight threads write, a reader that goes on from its place misses none."""
    seen: list[int] = []
    with ThreadPoolExecutor(8) as pool:
        futures = [pool.submit(record, db, "kind", now) for _ in range(80)]
        finished = False
        while not finished:
            finished = all(future.done() for future in futures)
            seen += [row.id for row in list_after(db, seen[-1] if seen else 0)]
    assert sorted(future.result() for future in futures) == seen


def test_the_last_id_is_zero_before_the_first_event(db: Database, now: datetime) -> None:
    """And a reader from there begins with the first."""
    assert last_id(db) == 0
    assert last_id(db) != record(db, "kind", now) == last_id(db)


def test_the_newest_events_come_first(db: Database, now: datetime) -> None:
    """For the page: at most so many."""
    ids = [record(db, "kind", now) for _ in range(4)]
    assert [row.id for row in list_newest(db, 2)] == [ids[3], ids[2]]
