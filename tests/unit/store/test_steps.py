"""Results of steps."""

from __future__ import annotations

from datetime import datetime

import pytest

from daemon.errors import StoreError
from daemon.store.database import Database
from daemon.store.sprints import open_sprint
from daemon.store.steps import find_step, list_steps, save_step


def test_the_first_result_of_a_step_stays(db: Database, now: datetime) -> None:
    """A step that runs again after a crash cannot change what others may have built on."""
    sprint_id = open_sprint(db, "REGULAR", None, now)
    assert save_step(db, sprint_id, "plan", {"items": ["T01"]}, now)
    assert not save_step(db, sprint_id, "plan", {"items": ["T02"]}, now)
    found = find_step(db, sprint_id, "plan")
    assert found
    assert (found.result, found.ended_at) == ({"items": ["T01"]}, now)


def test_steps_are_listed_in_the_order_of_their_ends(db: Database, now: datetime) -> None:
    """Also where the clock did not move between them; another sprint has its own."""
    one, two = (open_sprint(db, "REGULAR", None, now) for _ in range(2))
    for name in ("plan", "track/1/context", "track/1/attempt", "close"):
        save_step(db, one, name, None, now)
    save_step(db, two, "plan", None, now)
    assert [step.name for step in list_steps(db, one)] == [
        "plan", "track/1/context", "track/1/attempt", "close",
    ]  # fmt: skip
    assert [step.number for step in list_steps(db, two)] == [1]


def test_a_step_that_was_not_done_is_none(db: Database, now: datetime) -> None:
    """A result of null is a result."""
    sprint_id = open_sprint(db, "REGULAR", None, now)
    assert find_step(db, sprint_id, "plan") is None
    save_step(db, sprint_id, "plan", None, now)
    assert find_step(db, sprint_id, "plan") is not None


def test_a_step_of_no_sprint_is_refused(db: Database, now: datetime) -> None:
    """It would never be seen again."""
    with pytest.raises(StoreError):
        save_step(db, 99, "plan", None, now)


def test_two_diagnoses_cannot_run_at_once(db: Database, now: datetime) -> None:
    """The database itself refuses the second one."""
    open_sprint(db, "DIAGNOSTIC", None, now)
    with pytest.raises(StoreError, match="sprint"):
        open_sprint(db, "DIAGNOSTIC", None, now)
    open_sprint(db, "REGULAR", None, now)
