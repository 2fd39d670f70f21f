"""The rows of `step`: what each step of a sprint came to, kept before the next one begins."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from daemon.clock import from_text, to_text
from daemon.store.database import Database
from daemon.store.stored_text import from_json, to_json


@dataclass(frozen=True)
class StepRow:
    """`number` counts from 1 per sprint; `result` is anything that JSON can hold."""

    sprint_id: int
    name: str
    number: int
    result: Any
    ended_at: datetime


def save_step(db: Database, sprint_id: int, name: str, result: Any, now: datetime) -> bool:
    """Keep a result; False, and the first one stays, where the step was kept before."""
    sql = """INSERT INTO step (sprint_id, name, result, ended_at, number)
             VALUES (?, ?, ?, ?, (SELECT COUNT(*) + 1 FROM step WHERE sprint_id = ?))
             ON CONFLICT (sprint_id, name) DO NOTHING"""
    values = (sprint_id, name, to_json(result), to_text(now), sprint_id)
    with db.immediate() as tx:
        return bool(tx.execute(sql, values))


def find_step(db: Database, sprint_id: int, name: str) -> StepRow | None:
    """A step that was done, or None."""
    sql = "SELECT * FROM step WHERE sprint_id = ? AND name = ?"
    found = db.row(sql, (sprint_id, name))
    return None if found is None else _to_row(found)


def list_steps(db: Database, sprint_id: int) -> list[StepRow]:
    """The steps of a sprint that were done, in their order."""
    sql = "SELECT * FROM step WHERE sprint_id = ? ORDER BY number"
    return [_to_row(row) for row in db.rows(sql, (sprint_id,))]


def _to_row(found: dict[str, Any]) -> StepRow:
    return StepRow(
        **{
            **found,
            "result": from_json(found["result"]),
            "ended_at": from_text(found["ended_at"]),
        }
    )
