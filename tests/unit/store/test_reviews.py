"""Reviews of the kill criteria: one a slot, never changed."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from daemon.store.database import Database
from daemon.store.reviews import (
    CriterionReviewRow,
    ReviewRow,
    last_review,
    list_of_criterion,
    list_of_slot,
    list_reviews,
    save_review,
)

WEEK = timedelta(days=7)


def rows_of(slot: datetime) -> tuple[ReviewRow, list[CriterionReviewRow]]:
    review = ReviewRow(slot, "no_go", 42, "model-1", {"KC1": "Words."}, slot)
    facts = {"outcome": "no_go", "tests": {}}
    criteria = [
        CriterionReviewRow(slot, "KC2", "go", 90, late=False, cost_micros=7, facts=facts),
        CriterionReviewRow(slot, "KC1", "no_go", 0, late=True, cost_micros=0, facts={}),
    ]
    return review, criteria


def test_a_review_comes_back_as_it_was(db: Database, now: datetime) -> None:
    """With its criteria by id."""
    review, criteria = rows_of(now)
    assert save_review(db, review, criteria)
    assert last_review(db) == review
    assert list_of_slot(db, now) == criteria[::-1]


def test_a_slot_is_kept_once(db: Database, now: datetime) -> None:
    """A second one changes nothing, whatever it says."""
    review, criteria = rows_of(now)
    assert save_review(db, review, criteria)
    assert not save_review(db, replace(review, verdict="go"), [])
    assert list_reviews(db, 9) == [review]
    assert len(list_of_slot(db, now)) == 2


def test_the_history_is_newest_first_and_knows_what_was_before(db: Database, now: datetime) -> None:
    """The review before a slot is never that slot's own."""
    for slot in (now, now + WEEK, now + 2 * WEEK):
        save_review(db, *rows_of(slot))
    assert [row.slot for row in list_reviews(db, 2)] == [now + 2 * WEEK, now + WEEK]
    assert [row.slot for row in list_of_criterion(db, "KC1", 9)] == [
        now + n * WEEK for n in (2, 1, 0)
    ]
    before = last_review(db, before=now + WEEK)
    assert before
    assert before.slot == now
    assert last_review(db, before=now) is None
