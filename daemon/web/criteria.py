"""The page at /criteria: each kill criterion with its verdict, its tests, its evidence and its trend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from flask import Flask, render_template

from daemon.clock import Clock, day_of
from daemon.governance.kill_criteria import CriterionVerdict, judge_criterion, overall
from daemon.reports.evidence import collect_evidence
from daemon.reports.review import test_as_json
from daemon.reports.review_words import move_lines
from daemon.store import findings, reports, reviews
from daemon.store.reviews import CriterionReviewRow
from daemon.web.beside import Beside, Kept
from daemon.web.charts import Dot, curve
from daemon.web.watch import Watch
from daemon.web.wording import cents
from daemon.workspace.definitions import KillCriterion, Workspace

# With more findings than these, the last review's evidence is shown: gathering it anew takes long.
MOST_FINDINGS = 150
MOST_REVIEWS = 26
OLD_AFTER_SECONDS = 60.0
_TONES = {"go": "good", "no_go": "bad", "not_yet_known": "dim"}


@dataclass(frozen=True)
class CriterionView:
    """One criterion. `tests` have the form of a review's facts; `moves` says what would change them.

    `outcome` and `confidence` (0..1 as text) are empty before there is any verdict. `curve` is the
    confidence at each review, the oldest first.
    """

    criterion: KillCriterion
    outcome: str
    confidence: str
    late: bool
    days_left: int
    findings: int
    cost: str
    tests: tuple[Mapping[str, Any], ...]
    moves: tuple[str, ...]
    history: tuple[CriterionReviewRow, ...]
    curve: tuple[Dot, ...]

    @property
    def units(self) -> Mapping[str, str]:
        """By test what its bounds are counted in, as it stands in kill_criteria.yaml; "" for bare."""
        named = {one.id: one.looks.unit for one in self.criterion.tests}
        return {test: unit[0] if unit else "" for test, unit in named.items()}

    @property
    def contradicted(self) -> tuple[str, ...]:
        return tuple(str(test["id"]) for test in self.tests if test["state"] == "contradicted")


@dataclass(frozen=True)
class CriteriaView:
    """`at` is when the evidence was judged: just now, or at the last review; None where it never was."""

    criteria: tuple[CriterionView, ...]
    outcome: str
    confidence: str
    at: datetime | None
    is_live: bool


class Judged:
    """The verdicts of now: worked out anew where a finding, a definition or the day is another, and every
    minute, for notes and findings are files that people edit."""

    def __init__(self, clock: Clock) -> None:
        self._beside: Beside[tuple[CriterionVerdict, ...]] = Beside(
            "the verdicts on the kill criteria", clock, old_after_seconds=OLD_AFTER_SECONDS
        )

    def verdicts(
        self, watch: Watch, workspace: Workspace
    ) -> Kept[tuple[CriterionVerdict, ...]] | None:
        """None where there are too many findings, or it is not worked out yet."""
        newest = findings.list_findings(watch.services.db, limit=MOST_FINDINGS + 1)
        if len(newest) > MOST_FINDINGS:
            return None
        today = day_of(watch.services.clock.now())
        last = newest[0].attempt_id if newest else 0
        key = (workspace, today, len(newest), last)
        return self._beside.answer(key, lambda: _judge(watch, workspace, today))


def register(app: Flask, watch: Watch) -> None:
    """/criteria"""
    judged = Judged(watch.services.clock)

    @app.get("/criteria")
    def criteria_page() -> str:
        return render_template("criteria.html", view=criteria_view(watch, judged))


def criteria_view(watch: Watch, judged: Judged) -> CriteriaView:
    """Without a workspace there is nothing to show."""
    workspace = watch.services.source.latest
    if workspace is None:
        return CriteriaView((), "", "", None, is_live=False)
    live = judged.verdicts(watch, workspace)
    if live is not None:
        outcome, confidence = overall(live.value)
        views = tuple(_live(watch, one) for one in live.value)
        return CriteriaView(views, outcome, f"{confidence / 100:.2f}", live.at, is_live=True)
    return _of_last_review(watch, workspace)


def _judge(watch: Watch, workspace: Workspace, today: date) -> tuple[CriterionVerdict, ...]:
    services = watch.services
    evidence = collect_evidence(services.root, services.db, workspace.criteria)
    return tuple(judge_criterion(one, evidence[one.id], today) for one in workspace.criteria)


def _live(watch: Watch, verdict: CriterionVerdict) -> CriterionView:
    return _view(
        watch,
        verdict.criterion,
        outcome=verdict.outcome,
        hundredths=verdict.confidence_hundredths,
        late=verdict.late,
        tests=tuple(test_as_json(test) for test in verdict.tests),
        moves=tuple(move_lines(verdict, watch.services.phrases)),
    )


def _of_last_review(watch: Watch, workspace: Workspace) -> CriteriaView:
    db = watch.services.db
    report = reports.last_report(db, "review")
    facts = report.facts if report else {}
    known = {str(one.get("criterion")): one for one in facts.get("criteria", ())}
    views = tuple(
        _view(
            watch,
            one,
            outcome=str(known.get(one.id, {}).get("verdict", "")),
            hundredths=known.get(one.id, {}).get("confidence_hundredths"),
            late=bool(known.get(one.id, {}).get("late")),
            tests=tuple(known.get(one.id, {}).get("tests", ())),
            moves=(),
        )
        for one in workspace.criteria
    )
    hundredths = facts.get("confidence_hundredths")
    confidence = "" if hundredths is None else f"{hundredths / 100:.2f}"
    at = report.slot if report else None
    return CriteriaView(views, str(facts.get("verdict", "")), confidence, at, is_live=False)


def _view(
    watch: Watch,
    criterion: KillCriterion,
    *,
    outcome: str,
    hundredths: int | None,
    late: bool,
    tests: tuple[Mapping[str, Any], ...],
    moves: tuple[str, ...],
) -> CriterionView:
    db = watch.services.db
    history = tuple(reversed(reviews.list_of_criterion(db, criterion.id, MOST_REVIEWS)))
    return CriterionView(
        criterion=criterion,
        outcome=outcome,
        confidence="" if hundredths is None else f"{hundredths / 100:.2f}",
        late=late,
        days_left=(criterion.deadline - day_of(watch.services.clock.now())).days,
        findings=findings.count_of_criterion(db, criterion.id),
        cost=cents(history[-1].cost_micros) if history else "",
        tests=tests,
        moves=moves,
        history=history,
        curve=_curve(watch, history),
    )


def _curve(watch: Watch, history: Sequence[CriterionReviewRow]) -> tuple[Dot, ...]:
    say = watch.services.phrases.text
    return curve(
        [row.confidence_hundredths / 100 for row in history],
        [_TONES[row.verdict] for row in history],
        [
            say(
                "criteria.dot",
                day=f"{row.slot:%Y-%m-%d}",
                verdict=say(f"review.verdict_{row.verdict}"),
                confidence=f"{row.confidence_hundredths / 100:.2f}",
            )
            for row in history
        ],
    )
