"""Sprint rows: opened once, ended once, newest first."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from daemon.errors import NotFound, StoreError
from daemon.store.database import Database
from daemon.store.sprints import (
    SprintRow,
    close_sprint,
    count_states,
    find_sprint,
    last_sprint,
    list_page,
    list_running,
    list_sprints,
    neighbours,
    open_sprint,
    save_plan,
)


def test_a_sprint_is_kept_with_plan_and_end(db: Database, now: datetime) -> None:
    """What was saved is what is found, with aware moments and the plan as it was."""
    sprint_id = open_sprint(db, "REGULAR", "market", now)
    plan = {"assignments": [{"item": "prices", "agent": "analyst"}], "planner": "rules"}
    save_plan(db, sprint_id, plan)
    later = now + timedelta(minutes=3)
    assert close_sprint(db, sprint_id, "completed", "two findings", later)
    assert find_sprint(db, sprint_id) == SprintRow(
        id=sprint_id,
        kind="REGULAR",
        focus="market",
        state="completed",
        reason="two findings",
        plan=plan,
        started_at=now,
        ended_at=later,
    )


def test_a_new_sprint_is_running_without_plan_or_end(db: Database, now: datetime) -> None:
    """Nothing is made up before it happened."""
    found = find_sprint(db, open_sprint(db, "DIAGNOSTIC", None, now))
    assert found is not None
    assert (found.state, found.plan, found.ended_at, found.focus) == ("running", None, None, None)


def test_a_sprint_ends_only_once(db: Database, now: datetime) -> None:
    """The second end changes nothing and says so: a repeated recovery is harmless."""
    sprint_id = open_sprint(db, "REGULAR", None, now)
    assert close_sprint(db, sprint_id, "interrupted", "restart", now)
    assert not close_sprint(db, sprint_id, "failed", "again", now + timedelta(hours=1))
    found = find_sprint(db, sprint_id)
    assert found is not None
    assert (found.state, found.reason, found.ended_at) == ("interrupted", "restart", now)


def test_a_sprint_does_not_end_as_running(db: Database, now: datetime) -> None:
    """That would hide it from nobody and end nothing."""
    sprint_id = open_sprint(db, "REGULAR", None, now)
    with pytest.raises(ValueError, match="running"):
        close_sprint(db, sprint_id, "running", "", now)


def test_a_sprint_that_does_not_exist_is_named(db: Database, now: datetime) -> None:
    """Looking gives None; changing it is an error with its number."""
    assert find_sprint(db, 7) is None
    with pytest.raises(NotFound, match="no sprint 7"):
        save_plan(db, 7, {})
    with pytest.raises(NotFound, match="no sprint 7"):
        close_sprint(db, 7, "failed", "", now)


def test_an_unknown_state_is_refused_by_the_table(db: Database, now: datetime) -> None:
    """The table holds the words, whatever the types say."""
    sprint_id = open_sprint(db, "REGULAR", None, now)
    with pytest.raises(StoreError, match="CHECK constraint failed"):
        close_sprint(db, sprint_id, "finished", "", now)  # type: ignore[arg-type]


def test_pages_of_sprints_are_newest_first(db: Database, now: datetime) -> None:
    """Five sprints in pages of two: 5 4, 3 2, 1, and no sprint twice."""
    ids = [open_sprint(db, "REGULAR", None, now + timedelta(minutes=n)) for n in range(5)]
    seen: list[list[int]] = []
    before: int | None = None
    while page := list_sprints(db, 2, before):
        seen.append([row.id for row in page])
        before = page[-1].id
    assert seen == [[ids[4], ids[3]], [ids[2], ids[1]], [ids[0]]]


def test_the_last_sprint_is_the_newest(db: Database, now: datetime) -> None:
    """None before the first; running or not afterwards."""
    assert last_sprint(db) is None
    open_sprint(db, "REGULAR", None, now)
    newest = open_sprint(db, "REGULAR", None, now)
    found = last_sprint(db)
    assert found is not None
    assert found.id == newest


def test_sprints_that_a_crash_cut_off_are_found_and_ended_once(db: Database, now: datetime) -> None:
    """Running ones are listed oldest first; once interrupted they are not listed again."""
    ended = open_sprint(db, "REGULAR", None, now)
    close_sprint(db, ended, "completed", "", now)
    cut_off = [open_sprint(db, "REGULAR", None, now) for _ in range(2)]
    assert [row.id for row in list_running(db)] == cut_off
    assert [close_sprint(db, row, "interrupted", "restart", now) for row in cut_off] == [True, True]
    assert list_running(db) == []


def test_states_are_counted_from_a_moment_on(db: Database, now: datetime) -> None:
    """The moment itself counts; what was before does not."""
    old = open_sprint(db, "REGULAR", None, now - timedelta(days=1))
    close_sprint(db, old, "failed", "", now)
    for state in ("completed", "completed", "failed"):
        close_sprint(db, open_sprint(db, "REGULAR", None, now), state, "", now)  # type: ignore[arg-type]
    assert count_states(db, now) == {"completed": 2, "failed": 1}


def test_pages_of_one_state_skip_the_others(db: Database, now: datetime) -> None:
    """And every sprint knows the ones beside it."""
    for number in range(1, 6):
        sprint_id = open_sprint(db, "REGULAR", None, now)
        close_sprint(db, sprint_id, "failed" if number % 2 else "completed", "", now)
    assert [row.id for row in list_page(db, 2, state="failed")] == [5, 3]
    assert [row.id for row in list_page(db, 2, state="failed", before_id=3)] == [1]
    assert [row.id for row in list_page(db, 2)] == [5, 4]
    assert [neighbours(db, number) for number in (1, 3, 5)] == [(None, 2), (2, 4), (4, None)]
