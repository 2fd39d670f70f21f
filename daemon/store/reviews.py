"""The rows of `review` and `criterion_review`: what each review of the kill criteria came to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from daemon.clock import from_text, to_text
from daemon.store.database import Database
from daemon.store.stored_text import from_json, to_json

StoredOutcome = Literal["go", "no_go", "not_yet_known"]


@dataclass(frozen=True)
class CriterionReviewRow:
    """How a criterion stood in the review of `slot`. `facts` are the tests and their evidence;
    `cost_micros` is what its items had cost until then."""

    slot: datetime
    criterion: str
    verdict: StoredOutcome
    confidence_hundredths: int
    late: bool
    cost_micros: int
    facts: Mapping[str, Any]


@dataclass(frozen=True)
class ReviewRow:
    """`reasoning` are a model's words by criterion, `narrator` that model; both empty without one."""

    slot: datetime
    verdict: StoredOutcome
    confidence_hundredths: int
    narrator: str
    reasoning: Mapping[str, str]
    created_at: datetime


def save_review(db: Database, row: ReviewRow, criteria: Sequence[CriterionReviewRow]) -> bool:
    """Keep a review; False, and nothing changes, where its slot has one. Joins a transaction."""
    sql = """INSERT INTO review
                 (slot, verdict, confidence_hundredths, narrator, reasoning, created_at)
             VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"""
    of_one = """INSERT INTO criterion_review
                    (slot, criterion, verdict, confidence_hundredths, late, cost_micros, facts)
                VALUES (?, ?, ?, ?, ?, ?, ?)"""
    values = (row.verdict, row.confidence_hundredths, row.narrator, to_json(row.reasoning))
    with db.immediate() as tx:
        if not tx.execute(sql, (to_text(row.slot), *values, to_text(row.created_at))):
            return False
        for one in criteria:
            known = (one.criterion, one.verdict, one.confidence_hundredths, int(one.late))
            rest = (one.cost_micros, to_json(one.facts))
            tx.execute(of_one, (to_text(row.slot), *known, *rest))
        return True


def last_review(db: Database, *, before: datetime | None = None) -> ReviewRow | None:
    """The newest review, of a slot before that moment; None: there is none, or for `before` any."""
    sql = "SELECT * FROM review WHERE slot < ? ORDER BY slot DESC LIMIT 1"
    found = db.row(sql, (to_text(before) if before else "9999",))
    return None if found is None else _review(found)


def list_reviews(db: Database, limit: int) -> list[ReviewRow]:
    """The newest first."""
    return [
        _review(row) for row in db.rows("SELECT * FROM review ORDER BY slot DESC LIMIT ?", (limit,))
    ]


def list_of_slot(db: Database, slot: datetime) -> list[CriterionReviewRow]:
    """The criteria of one review, by id."""
    sql = "SELECT * FROM criterion_review WHERE slot = ? ORDER BY criterion"
    return [_criterion(row) for row in db.rows(sql, (to_text(slot),))]


def list_of_criterion(db: Database, criterion: str, limit: int) -> list[CriterionReviewRow]:
    """How one criterion stood in each review, the newest first."""
    sql = "SELECT * FROM criterion_review WHERE criterion = ? ORDER BY slot DESC LIMIT ?"
    return [_criterion(row) for row in db.rows(sql, (criterion, limit))]


def _review(found: Mapping[str, Any]) -> ReviewRow:
    times = {name: from_text(found[name]) for name in ("slot", "created_at")}
    return ReviewRow(**{**found, **times, "reasoning": _mapping(found["reasoning"])})


def _criterion(found: Mapping[str, Any]) -> CriterionReviewRow:
    typed = {"slot": from_text(found["slot"]), "late": bool(found["late"])}
    return CriterionReviewRow(**{**found, **typed, "facts": _mapping(found["facts"])})


def _mapping(text: str) -> dict[str, Any]:
    """Empty where somebody changed it into something else: one row of the past stops no new review."""
    try:
        found = from_json(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
