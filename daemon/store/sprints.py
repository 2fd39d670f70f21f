"""The rows of `sprint`: one cycle of the daemon each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from daemon.clock import from_text, to_text
from daemon.errors import NotFound
from daemon.store.database import Database
from daemon.store.stored_text import from_json, to_json

SprintKind = Literal["REGULAR", "DIAGNOSTIC"]
SprintState = Literal["running", "completed", "no_work", "paused_budget", "interrupted", "failed"]


@dataclass(frozen=True)
class SprintRow:
    """`focus` is a team's id or None; `plan` is None before planning, `ended_at` while running."""

    id: int
    kind: SprintKind
    focus: str | None
    state: SprintState
    reason: str
    plan: Mapping[str, Any] | None
    started_at: datetime
    ended_at: datetime | None


def open_sprint(db: Database, kind: SprintKind, focus: str | None, now: datetime) -> int:
    """Begin a sprint; its id."""
    sql = """INSERT INTO sprint (kind, focus, state, started_at)
             VALUES (?, ?, 'running', ?) RETURNING id"""
    with db.immediate() as tx:
        return int(tx.rows(sql, (kind, focus, to_text(now)))[0]["id"])


def save_plan(db: Database, sprint_id: int, plan: Mapping[str, Any]) -> None:
    """Keep the plan. Raises NotFound where there is no such sprint."""
    with db.immediate() as tx:
        if not tx.execute("UPDATE sprint SET plan = ? WHERE id = ?", (to_json(plan), sprint_id)):
            raise NotFound(f"there is no sprint {sprint_id}")


def close_sprint(
    db: Database, sprint_id: int, state: SprintState, reason: str, now: datetime
) -> bool:
    """End a running sprint. False, and nothing changes, where it had ended before.

    Raises NotFound where there is no such sprint, ValueError for the state "running".
    """
    if state == "running":
        raise ValueError("a sprint does not end as running")
    sql = """UPDATE sprint SET state = ?, reason = ?, ended_at = ?
             WHERE id = ? AND state = 'running'"""
    with db.immediate() as tx:
        if tx.execute(sql, (state, reason, to_text(now), sprint_id)):
            return True
        if tx.row("SELECT id FROM sprint WHERE id = ?", (sprint_id,)) is None:
            raise NotFound(f"there is no sprint {sprint_id}")
        return False


def find_sprint(db: Database, sprint_id: int) -> SprintRow | None:
    found = db.row("SELECT * FROM sprint WHERE id = ?", (sprint_id,))
    return None if found is None else _to_row(found)


def last_sprint(db: Database) -> SprintRow | None:
    """The newest sprint, running or not; None before the first."""
    return next(iter(list_sprints(db, 1)), None)


def list_sprints(db: Database, limit: int, before_id: int | None = None) -> list[SprintRow]:
    """The newest first; only those older than `before_id` where it is given (for pages)."""
    if before_id is None:
        found = db.rows("SELECT * FROM sprint ORDER BY id DESC LIMIT ?", (limit,))
    else:
        sql = "SELECT * FROM sprint WHERE id < ? ORDER BY id DESC LIMIT ?"
        found = db.rows(sql, (before_id, limit))
    return [_to_row(row) for row in found]


def list_page(
    db: Database, limit: int, *, state: SprintState | None = None, before_id: int | None = None
) -> list[SprintRow]:
    """The newest first, those in a state alone where it is given, older than `before_id`."""
    newest = 2**62 if before_id is None else before_id
    if state is None:
        return list_sprints(db, limit, newest)
    sql = "SELECT * FROM sprint WHERE state = ? AND id < ? ORDER BY id DESC LIMIT ?"
    return [_to_row(row) for row in db.rows(sql, (state, newest, limit))]


def neighbours(db: Database, sprint_id: int) -> tuple[int | None, int | None]:
    """The sprints before and after this one; None where there is none."""
    older = "SELECT max(id) AS id FROM sprint WHERE id < ?"
    newer = "SELECT min(id) AS id FROM sprint WHERE id > ?"
    before, after = (db.rows(sql, (sprint_id,))[0]["id"] for sql in (older, newer))
    return before, after


def list_running(db: Database) -> list[SprintRow]:
    """Sprints without an end, the oldest first; at a start, those that a crash cut off."""
    found = db.rows("SELECT * FROM sprint WHERE state = 'running' ORDER BY id")
    return [_to_row(row) for row in found]


def count_states(db: Database, since: datetime, until: datetime | None = None) -> dict[str, int]:
    """How many sprints that started from `since` on, before `until`, are in each state; no zeros."""
    sql = """SELECT state, COUNT(*) AS n FROM sprint WHERE started_at >= ? AND started_at < ?
             GROUP BY +state"""  # the +: search by time, do not walk the index of states
    bounds = (to_text(since), to_text(until) if until else "9999")
    return {row["state"]: row["n"] for row in db.rows(sql, bounds)}


def _to_row(found: Mapping[str, Any]) -> SprintRow:
    ended_at = found["ended_at"]
    return SprintRow(
        **{
            **found,
            "plan": from_json(found["plan"]),
            "started_at": from_text(found["started_at"]),
            "ended_at": None if ended_at is None else from_text(ended_at),
        }
    )
