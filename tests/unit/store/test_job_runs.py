"""One row for a job and slot, from the queue to its end."""

from __future__ import annotations

from datetime import timedelta

import pytest

from daemon.errors import StoreError
from daemon.store import job_runs
from daemon.store.database import Database
from tests.workspaces import NOON

LATER, HOUR = NOON + timedelta(minutes=10), timedelta(hours=1)


def test_a_slot_can_be_asked_for_once(db: Database) -> None:
    """The second one changes nothing, whatever became of the first."""
    assert job_runs.queue_run(db, "digest", NOON, NOON)
    assert not job_runs.queue_run(db, "digest", NOON, LATER, late=True)
    job_runs.start_run(db, "digest", NOON, NOON, deadline_at=LATER)
    job_runs.end_run(db, "digest", NOON, "done", "posted", NOON)
    assert not job_runs.queue_run(db, "digest", NOON, LATER)
    row = job_runs.find_run(db, "digest", NOON)
    assert row is not None
    assert (row.state, row.note, row.late, row.queued_at) == ("done", "posted", False, NOON)


def test_what_a_clock_ahead_made_of_times_to_come_is_taken_away(db: Database) -> None:
    """Runs beyond the bound, and whatever was only skipped; what ran before it stays."""
    for hours in (0, 2, 4):
        job_runs.queue_run(db, "digest", NOON + hours * HOUR, NOON)
    job_runs.skip_run(db, "digest", NOON + HOUR, "passed over", NOON)
    job_runs.skip_run(db, "digest", NOON - HOUR, "passed over", NOON)
    job_runs.skip_run(db, "digest", NOON - 2 * HOUR, "passed over", NOON + 9 * HOUR)
    assert job_runs.forget_future(db, NOON, done_beyond=NOON + 3 * HOUR) == 3
    left = [row.slot for row in job_runs.list_runs(db, "digest")]
    assert left == [NOON - HOUR, NOON, NOON + 2 * HOUR]


def test_other_jobs_and_slots_are_others(db: Database) -> None:
    """The name of a run is both."""
    assert job_runs.queue_run(db, "digest", NOON, NOON)
    assert job_runs.queue_run(db, "daily", NOON, NOON)
    assert job_runs.queue_run(db, "digest", NOON + HOUR, NOON)
    assert job_runs.find_run(db, "daily", NOON + HOUR) is None


def test_a_run_begins_once_for_each_time_it_is_queued(db: Database) -> None:
    """Its beginnings are counted, so that one that ends the daemon each time is found out."""
    job_runs.queue_run(db, "digest", NOON, NOON)
    assert job_runs.start_run(db, "digest", NOON, NOON, deadline_at=LATER)
    assert not job_runs.start_run(db, "digest", NOON, NOON, deadline_at=LATER)
    assert job_runs.queue_again(db, "digest", NOON, late=True)
    assert job_runs.start_run(db, "digest", NOON, LATER, deadline_at=LATER + HOUR)
    (row,) = job_runs.list_open(db)
    assert (row.tries, row.late, row.started_at) == (2, True, LATER)
    assert row.deadline_at == LATER + HOUR


def test_what_has_ended_is_not_queued_again(db: Database) -> None:
    """Doing the recovery twice changes nothing."""
    job_runs.queue_run(db, "digest", NOON, NOON)
    job_runs.start_run(db, "digest", NOON, NOON, deadline_at=LATER)
    job_runs.end_run(db, "digest", NOON, "done", "posted", NOON)
    assert not job_runs.queue_again(db, "digest", NOON, late=True)
    assert not job_runs.start_run(db, "digest", NOON, NOON, deadline_at=LATER)
    assert job_runs.list_open(db) == []


def test_a_run_given_up_may_still_end_well(db: Database) -> None:
    """A hung one that comes back tells the truth; one that ended well is not made worse."""
    job_runs.queue_run(db, "digest", NOON, NOON)
    job_runs.start_run(db, "digest", NOON, NOON, deadline_at=LATER)
    assert job_runs.end_run(db, "digest", NOON, "failed", "hung", LATER)
    assert job_runs.end_run(db, "digest", NOON, "done", "posted", LATER + HOUR)
    assert not job_runs.end_run(db, "digest", NOON, "failed", "no", LATER + HOUR)
    row = job_runs.find_run(db, "digest", NOON)
    assert row is not None
    assert (row.state, row.ended_at) == ("done", LATER + HOUR)


def test_skipping_takes_a_slot_or_a_waiting_run_and_no_other(db: Database) -> None:
    """With its reason; a run that began is not talked away."""
    assert job_runs.skip_run(db, "digest", NOON, "passed over", NOON)
    assert not job_runs.queue_run(db, "digest", NOON, NOON)
    job_runs.queue_run(db, "digest", LATER, NOON)
    assert job_runs.skip_run(db, "digest", LATER, "the daemon stopped", NOON)
    job_runs.queue_run(db, "daily", NOON, NOON)
    job_runs.start_run(db, "daily", NOON, NOON, deadline_at=LATER)
    assert not job_runs.skip_run(db, "daily", NOON, "passed over", NOON)
    notes = [(row.state, row.note) for row in job_runs.list_runs(db, "digest")]
    assert notes == [("skipped", "passed over"), ("skipped", "the daemon stopped")]


def test_the_last_run_is_the_newest_slot_until_a_moment(db: Database) -> None:
    """Slots of a clock that was far ahead stay out."""
    assert job_runs.last_run(db, "digest", NOON) is None
    for hours in (0, 1, 24 * 365):
        job_runs.queue_run(db, "digest", NOON + hours * HOUR, NOON)
    found = job_runs.last_run(db, "digest", NOON + 2 * HOUR)
    assert found is not None
    assert found.slot == NOON + HOUR
    slots = [row.slot for row in job_runs.list_runs(db, "digest", since=NOON + HOUR)]
    assert slots == [NOON + HOUR, NOON + 24 * 365 * HOUR]


def test_an_unknown_state_is_refused_by_the_database(db: Database) -> None:
    """Whatever a caller makes up."""
    job_runs.queue_run(db, "digest", NOON, NOON)
    with pytest.raises(StoreError):
        job_runs.end_run(db, "digest", NOON, "lost", "", NOON)  # type: ignore[arg-type]
