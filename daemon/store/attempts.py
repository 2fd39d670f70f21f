"""The rows of `attempt`: one model call for one assignment, what came back and its verdict.

asked -> answered -> accepted | rejected, and asked | answered -> failed | interrupted.
Doing a step twice changes nothing; a step that the row's state does not allow raises StoreError.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from daemon.clock import from_text, to_text
from daemon.errors import NotFound, StoreError
from daemon.store.database import Database, Transaction
from daemon.store.stored_text import from_json, to_json

AttemptState = Literal["asked", "answered", "accepted", "rejected", "failed", "interrupted"]
JudgedState = Literal["accepted", "rejected"]
FailedState = Literal["failed", "interrupted"]


@dataclass(frozen=True)
class AttemptRow:
    """`number` counts from 1 per item. `output`, `stop_reason` and `model` are None before the
    reply, `verdict` and `score_hundredths` before the judgement, `finding_path` unless accepted."""

    id: int
    sprint_id: int
    track: int
    item: str
    agent: str
    number: int
    state: AttemptState
    effect_key: str
    prompt: Mapping[str, Any]
    context: Mapping[str, Any]
    output: str | None
    stop_reason: str | None
    model: str | None
    verdict: Mapping[str, Any] | None
    score_hundredths: int | None
    finding_path: str | None
    reason: str
    created_at: datetime
    ended_at: datetime | None


def save_asked(
    db: Database,
    *,
    sprint_id: int,
    track: int,
    item: str,
    agent: str,
    effect_key: str,
    prompt: Mapping[str, Any],
    context: Mapping[str, Any],
    now: datetime,
) -> AttemptRow:
    """Keep what is about to be asked. The same `effect_key` again gives the row as it stands."""
    sql = """INSERT INTO attempt
                 (sprint_id, track, item, agent, effect_key, prompt, context, created_at,
                  state, number)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'asked',
                     (SELECT COALESCE(MAX(number), 0) + 1 FROM attempt WHERE item = ?))
             ON CONFLICT (effect_key) DO NOTHING"""
    texts = (item, agent, effect_key, to_json(prompt), to_json(context), to_text(now))
    with db.immediate() as tx:
        tx.execute(sql, (sprint_id, track, *texts, item))
        found = tx.row("SELECT * FROM attempt WHERE effect_key = ?", (effect_key,))
        if found is None:
            raise StoreError(f"the attempt {effect_key} was not kept")
        return _to_row(found)


def save_answer(
    db: Database, attempt_id: int, output: str, stop_reason: str, model: str
) -> AttemptRow:
    """Keep the reply before anything judges it."""
    values = {"output": output, "stop_reason": stop_reason, "model": model}
    return _advance(db, attempt_id, "answered", ("asked",), values)


def save_verdict(
    db: Database,
    attempt_id: int,
    *,
    state: JudgedState,
    verdict: Mapping[str, Any],
    score_hundredths: int,
    finding_path: str | None,
    now: datetime,
) -> AttemptRow:
    """Keep how an answered attempt was judged; `finding_path` is None where it was rejected."""
    values = {
        "verdict": to_json(verdict),
        "score_hundredths": score_hundredths,
        "finding_path": finding_path,
        "ended_at": to_text(now),
    }
    return _advance(db, attempt_id, state, ("answered",), values)


def save_failure(
    db: Database, attempt_id: int, *, state: FailedState, reason: str, now: datetime
) -> AttemptRow:
    """Keep why an attempt ended without a verdict; says nothing about the quality of the item."""
    values = {"reason": reason, "ended_at": to_text(now)}
    return _advance(db, attempt_id, state, ("asked", "answered"), values)


def find_attempt(db: Database, attempt_id: int) -> AttemptRow | None:
    return _first(db, "WHERE id = ?", attempt_id)


def last_rejected(db: Database, item: str) -> AttemptRow | None:
    """The newest rejected attempt at an item: its reasons go into the next prompt."""
    return _first(db, "WHERE item = ? AND state = 'rejected' ORDER BY id DESC LIMIT 1", item)


def list_for_item(db: Database, item: str) -> list[AttemptRow]:
    """All attempts at an item, the oldest first."""
    return _list(db, "WHERE item = ? ORDER BY id", item)


def list_newest_for_item(db: Database, item: str, limit: int) -> list[AttemptRow]:
    """The last `limit` attempts at an item, the newest first."""
    return _list(db, "WHERE item = ? ORDER BY id DESC LIMIT ?", item, limit)


def list_for_sprint(db: Database, sprint_id: int) -> list[AttemptRow]:
    """All attempts of a sprint, the oldest first."""
    return _list(db, "WHERE sprint_id = ? ORDER BY id", sprint_id)


def list_open(db: Database) -> list[AttemptRow]:
    """Attempts without an end, the oldest first; at a start, those that a crash cut off."""
    return _list(db, "WHERE state IN ('asked', 'answered') ORDER BY id")


def earlier_outputs(db: Database, item: str, limit: int) -> list[str]:
    """Outputs for an item that were already judged, the newest first; never the one in hand.

    Rejected ones only as far as they are counted: a person who put the item back starts it anew.
    """
    sql = """SELECT output FROM attempt
             WHERE item = :item AND output IS NOT NULL AND (state = 'accepted' OR id IN (
                 SELECT id FROM attempt WHERE item = :item AND state = 'rejected' ORDER BY id DESC
                 LIMIT (SELECT COALESCE(MAX(rejections), 0) FROM item_state WHERE item = :item)))
             ORDER BY id DESC LIMIT :limit"""
    return [row["output"] for row in db.rows(sql, {"item": item, "limit": limit})]


def judged_ids(
    db: Database, *, since: datetime | None = None, limit: int | None = None
) -> list[int]:
    """The newest `limit` attempts that have a verdict and were begun from `since` on (inclusive),
    the oldest first; None does not narrow."""
    sql = """SELECT id FROM attempt WHERE state IN ('accepted', 'rejected') AND created_at >= ?
             ORDER BY id DESC LIMIT ?"""
    bounds = (to_text(since) if since else "", -1 if limit is None else limit)
    return sorted(row["id"] for row in db.rows(sql, bounds))


def judged_before(db: Database, item: str, attempt_id: int) -> list[tuple[int, JudgedState]]:
    """Number and state of every attempt at an item that was judged before that one, oldest first."""
    sql = """SELECT id, state FROM attempt
             WHERE item = ? AND id < ? AND state IN ('accepted', 'rejected') ORDER BY id"""
    return [(row["id"], row["state"]) for row in db.rows(sql, (item, attempt_id))]


def count_for_sprint(db: Database, sprint_id: int) -> dict[str, int]:
    """How many attempts of a sprint are in each state; a state without any is left out."""
    sql = "SELECT state, COUNT(*) AS n FROM attempt WHERE sprint_id = ? GROUP BY state"
    return {row["state"]: row["n"] for row in db.rows(sql, (sprint_id,))}


def count_for_sprints(db: Database, sprint_ids: Sequence[int]) -> dict[int, dict[str, int]]:
    """How many attempts of each of these sprints are in each state; no zeros."""
    if not sprint_ids:
        return {}
    sql = f"""SELECT sprint_id, state, COUNT(*) AS n FROM attempt
              WHERE sprint_id IN ({", ".join("?" * len(sprint_ids))})
              GROUP BY sprint_id, state"""  # noqa: S608  only places
    found: dict[int, dict[str, int]] = {}
    for row in db.rows(sql, tuple(sprint_ids)):
        found.setdefault(row["sprint_id"], {})[row["state"]] = row["n"]
    return found


def count_by_item(db: Database) -> dict[str, int]:
    """How many attempts each item has had; one without any is left out."""
    rows = db.rows("SELECT item, COUNT(*) AS n FROM attempt GROUP BY item")
    return {row["item"]: row["n"] for row in rows}


def criteria_by_item(db: Database) -> dict[str, str]:
    """The criterion that each item had when it was last begun, also of items that are gone."""
    sql = "SELECT item, json_extract(prompt, '$.criterion') AS criterion FROM attempt ORDER BY id"
    return {row["item"]: row["criterion"] or "" for row in db.rows(sql)}


def count_ended_since(
    db: Database, since: datetime, until: datetime | None = None
) -> dict[str, int]:
    """How many attempts ended in each state from `since` on, before `until`; 0 is left out."""
    sql = """SELECT state, COUNT(*) AS n FROM attempt WHERE ended_at >= ? AND ended_at < ?
             GROUP BY state"""
    bounds = (to_text(since), to_text(until) if until else "9999")
    return {row["state"]: row["n"] for row in db.rows(sql, bounds)}


def _advance(
    db: Database,
    attempt_id: int,
    state: AttemptState,
    allowed: tuple[AttemptState, ...],
    values: Mapping[str, Any],
) -> AttemptRow:
    columns = ", ".join(f"{name} = :{name}" for name in values)
    sql = f"UPDATE attempt SET state = :state, {columns} WHERE id = :id"  # noqa: S608  names are ours
    with db.immediate() as tx:
        found = _existing(tx, attempt_id)
        if found.state == state:
            return found
        if found.state not in allowed:
            raise StoreError(f"attempt {attempt_id} is {found.state}; it cannot become {state}")
        tx.execute(sql, {**values, "state": state, "id": attempt_id})
        return _existing(tx, attempt_id)


def _existing(tx: Transaction, attempt_id: int) -> AttemptRow:
    found = tx.row("SELECT * FROM attempt WHERE id = ?", (attempt_id,))
    if found is None:
        raise NotFound(f"there is no attempt {attempt_id}")
    return _to_row(found)


def _first(db: Database, where: str, *params: int | str) -> AttemptRow | None:
    return next(iter(_list(db, where, *params)), None)


def _list(db: Database, where: str, *params: int | str) -> list[AttemptRow]:
    found = db.rows(f"SELECT * FROM attempt {where}", params)  # noqa: S608  `where` is ours
    return [_to_row(row) for row in found]


def _to_row(found: Mapping[str, Any]) -> AttemptRow:
    ended_at = found["ended_at"]
    return AttemptRow(
        **{
            **found,
            "prompt": from_json(found["prompt"]),
            "context": from_json(found["context"]),
            "verdict": from_json(found["verdict"]),
            "created_at": from_text(found["created_at"]),
            "ended_at": None if ended_at is None else from_text(ended_at),
        }
    )
