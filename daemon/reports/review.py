"""The weekly review of the kill criteria: what each verdict is, and what it was made from.

Everything here is worked out from the store and the notes; nobody is asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

from daemon.clock import day_of
from daemon.governance.kill_criteria import (
    CriterionVerdict,
    JudgedTest,
    Outcome,
    judge_criterion,
    overall,
)
from daemon.governance.kill_criteria_evidence import Evidence, EvidenceSource
from daemon.governance.review_change import Change, change_since, snapshot
from daemon.reports.evidence import collect_evidence
from daemon.reports.written import whole_days
from daemon.store import attempts, findings, reviews
from daemon.store.api_calls import costs_by
from daemon.store.database import Database
from daemon.workspace.board import Board
from daemon.workspace.definitions import KillCriterion

_WEEK = 7


@dataclass(frozen=True)
class CriterionReview:
    """A criterion with its counts: findings of the seven whole UTC days before the slot and in all,
    items by standing, and what its items have cost so far, in micro-dollars."""

    verdict: CriterionVerdict
    change: Change
    cost_micros: int
    findings_this_week: int
    findings: int
    items: Mapping[str, int]
    days_left: int

    @property
    def criterion(self) -> KillCriterion:
        return self.verdict.criterion


@dataclass(frozen=True)
class Review:
    """The review that was due at `slot`; `confidence_hundredths` is 0..100."""

    slot: datetime
    outcome: Outcome
    confidence_hundredths: int
    criteria: tuple[CriterionReview, ...]

    @property
    def week(self) -> tuple[date, date]:
        since, until = whole_days(self.slot, _WEEK)
        return since.date(), until.date()


@dataclass(frozen=True)
class Narration:
    """What a model said of the verdicts, by criterion, as far as it was let through. `left_out` says why
    the rest, or all of it, was not; `model` is empty where none was asked."""

    model: str = ""
    words: Mapping[str, str] | None = None
    left_out: str = ""


def take_review(
    root: Path,
    db: Database,
    criteria: Sequence[KillCriterion],
    board: Board,
    slot: datetime,
    *,
    opened: Collection[str] = (),
) -> Review:
    """As notes, findings and items stand now; ages are counted from the day of `slot`.

    `opened` are addresses that were opened again, as `collect_evidence` takes them. Raises StoreError.
    """
    evidence = collect_evidence(root, db, criteria, opened=opened)
    today = day_of(slot)
    verdicts = [judge_criterion(one, evidence[one.id], today) for one in criteria]
    last = reviews.last_review(db, before=slot)
    before = (
        {row.criterion: row.facts for row in reviews.list_of_slot(db, last.slot)} if last else {}
    )
    since, until = whole_days(slot, _WEEK)
    week = Counter(row.criterion for row in findings.list_findings(db, since=since, until=until))
    in_all, costs = findings.count_by_criterion(db), _costs(db, board)
    outcome, confidence = overall(verdicts)
    told = tuple(
        CriterionReview(
            verdict=one,
            change=change_since(before.get(one.criterion.id), one),
            cost_micros=costs[one.criterion.id],
            findings_this_week=week[one.criterion.id],
            findings=in_all.get(one.criterion.id, 0),
            items=_items(one.criterion.id, board),
            days_left=(one.criterion.deadline - today).days,
        )
        for one in verdicts
    )
    return Review(slot, outcome, confidence, told)


def keep_review(db: Database, review: Review, narration: Narration, now: datetime) -> bool:
    """Into the history; False, and nothing changes, where its slot has one. Joins a transaction."""
    words = dict(narration.words or {})
    return reviews.save_review(
        db,
        reviews.ReviewRow(
            review.slot,
            review.outcome,
            review.confidence_hundredths,
            narration.model if words else "",
            words,
            now,
        ),
        [
            reviews.CriterionReviewRow(
                review.slot,
                one.criterion.id,
                one.verdict.outcome,
                one.verdict.confidence_hundredths,
                one.verdict.late,
                one.cost_micros,
                snapshot(one.verdict) | {"findings": one.findings},
            )
            for one in review.criteria
        ],
    )


def review_as_json(review: Review, narration: Narration | None = None) -> dict[str, Any]:
    """Everything, for machines."""
    said = narration or Narration()
    words = said.words or {}
    return {
        "since": str(review.week[0]),
        "verdict": review.outcome,
        "confidence_hundredths": review.confidence_hundredths,
        "narrator": {"model": said.model, "left_out": said.left_out},
        "criteria": [
            criterion_as_json(one, words.get(one.criterion.id, "")) for one in review.criteria
        ],
    }


def criterion_as_json(one: CriterionReview, words: str = "") -> dict[str, Any]:
    """`words` are a model's, empty for none."""
    verdict, change = one.verdict, one.change
    return {
        "criterion": one.criterion.id,
        "name": one.criterion.name,
        "verdict": verdict.outcome,
        "confidence_hundredths": verdict.confidence_hundredths,
        "late": verdict.late,
        "deadline": one.criterion.deadline.isoformat(),
        "days_left": one.days_left,
        "if_failed": one.criterion.if_failed,
        "cost_micros": one.cost_micros,
        "findings_this_week": one.findings_this_week,
        "findings": one.findings,
        "items": dict(one.items),
        "verdict_before": change.before,
        "changes": [dict(vars(test)) for test in change.tests],
        "tests_gone": list(change.gone),
        "tests": [test_as_json(test) for test in verdict.tests],
        "reasoning": words,
    }


def test_as_json(one: JudgedTest) -> dict[str, Any]:
    """One test with all evidence that was seen for it, for machines and pages."""
    test = one.test
    bounds = {name: getattr(test, name) for name in ("go", "no_go", "void")}
    return {
        "id": test.id,
        "measure": test.measure,
        **{name: str(bound) if bound else None for name, bound in bounds.items()},
        "state": one.state,
        "sources": None if one.halves is None else one.halves / 2,
        "sources_needed": test.needs.sources,
        "copies": [{"path": path, "of": of} for path, of in one.copies],
        "counted": [
            {
                **_evidence_as_json(c.evidence),
                "side": c.side,
                "sources": [_source(s) for s in c.sources],
            }
            for c in one.counted
        ],
        "not_counted": [
            {**_evidence_as_json(evidence), "why": why} for evidence, why in one.missed
        ],
    }


def _costs(db: Database, board: Board) -> Counter[str]:
    """Micro-dollars by criterion. Calls that were for no item, as those for planning, are in none."""
    known = attempts.criteria_by_item(db)
    known |= {entry.item.id: entry.item.criterion for entry in board.entries}
    found: Counter[str] = Counter()
    for row in costs_by(db, "item", date.min):
        if row.name is not None:
            found[known.get(row.name, "")] += row.cost_micros
    return found


def _items(criterion: str, board: Board) -> dict[str, int]:
    standing = Counter(one.standing for one in board.entries if one.item.criterion == criterion)
    return {name: standing[name] for name in ("eligible", "waiting", "blocked", "done")}


def _evidence_as_json(one: Evidence) -> dict[str, Any]:
    figure = None if one.figure is None else float(one.figure)
    return {
        "id": one.id,
        "item": one.item,
        "path": one.path,
        "sentence": one.sentence,
        "figure": figure,
        "told": one.told,
        "examined": one.examined,
    }


def _source(one: EvidenceSource) -> dict[str, Any]:
    """Without the text of the note, and with dates as text."""
    return {
        "id": one.id,
        "path": one.path,
        "origin": one.origin,
        "dated_on": one.dated_on.isoformat() if one.dated_on else None,
        "confidence": one.confidence,
        "state": one.state,
    }
