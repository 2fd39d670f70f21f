"""criteria: how each kill criterion stands, on what evidence, and what it was before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from daemon.cli.group import Command
from daemon.cli.opening import Look, did_you_mean, look_despite_faults
from daemon.cli.options import json_option
from daemon.cli.output import say, say_json, width
from daemon.clock import utc_text
from daemon.config.phrases import Phrases
from daemon.errors import NotFound
from daemon.reports.plain_text import hang, one_line, render_table
from daemon.reports.review import CriterionReview, criterion_as_json, take_review
from daemon.reports.review_text import criterion_lines, heading_line
from daemon.reports.review_words import confidence_text
from daemon.store.reviews import CriterionReviewRow, list_of_criterion
from daemon.workspace.criterion_tests import CriterionTest
from daemon.workspace.loader import load_workspace

_MOST_REVIEWS = 12
_MOST_SEEN = 40


@click.command(cls=Command)
@click.argument("criterion", required=False)
@json_option
@click.pass_obj
def criteria(workspace: Path, criterion: str | None, as_json: bool) -> None:  # noqa: FBT001
    """Show the kill criteria; of one, all its tests, evidence and history.

    Worked out now, from the findings and notes as they are; changes nothing and asks no model.

    \b
    Examples:
      sprintd criteria
      sprintd criteria KC1
      sprintd criteria KC1 --json | jq '.criteria[0].tests[] | {id, state}'
    """
    with look_despite_faults(workspace) as look:
        chosen = _reviews(look, criterion)
        history = {
            one.criterion.id: list_of_criterion(look.db, one.criterion.id, _MOST_REVIEWS)
            for one in chosen
        }
    if as_json:
        say_json({"criteria": [_as_json(one, history[one.criterion.id]) for one in chosen]})
    elif criterion is None:
        say(_table(chosen))
    else:
        lines = _lines(chosen[0], history[criterion])
        say("\n".join(part for line in lines for part in hang(line, width())))


def _reviews(look: Look, criterion: str | None) -> tuple[CriterionReview, ...]:
    files = load_workspace(look.root)
    known = [one.id for one in files.criteria]
    if criterion is not None and criterion not in known:
        near = did_you_mean(criterion, known)
        raise NotFound(f"no criterion is called {criterion!r}{near}; there are: {', '.join(known)}")
    found = take_review(look.root, look.db, files.criteria, look.board(), look.clock.now())
    return tuple(one for one in found.criteria if criterion in (None, one.criterion.id))


def _table(chosen: tuple[CriterionReview, ...]) -> str:
    if not chosen:
        return "kill_criteria.yaml has no criterion."
    say_it = Phrases("en").text
    rows = [
        [
            one.criterion.id,
            say_it(f"review.verdict_{one.verdict.outcome}"),
            confidence_text(one.verdict.confidence_hundredths),
            _tests(one),
            f"{one.criterion.deadline}{' (over)' if one.days_left < 0 else ''}",
            one_line(one.criterion.name),
        ]
        for one in chosen
    ]
    titles = ["id", "verdict", "confidence", "tests", "deadline", "name"]
    return render_table(titles, rows, width=width(), right=(2,))


def _tests(one: CriterionReview) -> str:
    """How many tests say yes or no, of how many."""
    tests = one.verdict.tests
    decided = sum(test.state in ("for", "against") for test in tests)
    return f"{decided} of {len(tests)} decided" if tests else "none written"


def _lines(one: CriterionReview, history: list[CriterionReviewRow]) -> Iterator[str]:
    yield heading_line(one, Phrases("en"))
    yield f"Question: {one_line(one.criterion.question, 600)}"
    yield f"Threshold: {one_line(one.criterion.threshold, 1_200)}"
    yield from (f"- {line}" for line in criterion_lines(one, Phrases("en")))
    yield from _evidence(one)
    if history:
        yield "Reviews, the newest first:"
    for row in history:
        verdict = Phrases("en").text(f"review.verdict_{row.verdict}")
        yield f"- {utc_text(row.slot)}: {verdict}, confidence {confidence_text(row.confidence_hundredths)}"


def _evidence(one: CriterionReview) -> Iterator[str]:
    """Each sentence, so that a person can see what a count rests on."""
    phrases = Phrases("en")
    for test in one.verdict.tests:
        yield f"{test.test.id}: {one_line(test.test.measure)}{_bounds(test.test)}"
        for counted in test.counted:
            named = ", ".join(f"{s.path} ({s.dated_on}, {s.confidence:g})" for s in counted.sources)
            said = counted.evidence
            left_out = "" if said.told else f" (left out of {said.item}'s finding)"
            left_out = left_out if said.examined else " (in memory, given to no finding)"
            yield f"- {counted.side}{left_out}: {said.id} {one_line(said.sentence, 300)}"
            yield f"  rests on {one_line(named, 400)}"
        for path, of in test.copies:
            yield f"- one source, counted once: {path} is a copy of {of}"
        for evidence, why in test.missed[:_MOST_SEEN]:
            reason = phrases.text(f"review.missed_{why}")
            word = f' ("{one_line(evidence.word)}")' if evidence.word else ""
            yield f"- not counted, {reason}{word}: {evidence.id} {one_line(evidence.sentence, 200)}"


def _bounds(test: CriterionTest) -> str:
    """The figures on both sides with what they are counted in; empty for a statement."""
    unit = f" {test.looks.unit[0]}" if test.looks.unit else ""
    sides = {"GO": test.go, "NO-GO": test.no_go, "void": test.void}
    bounds = [f"{side} {bound}{unit}" for side, bound in sides.items() if bound]
    return f" ({', '.join(bounds)})" if bounds else ""


def _as_json(one: CriterionReview, history: list[CriterionReviewRow]) -> dict[str, Any]:
    reviews = [
        {
            "slot": row.slot.isoformat(),
            "verdict": row.verdict,
            "confidence_hundredths": row.confidence_hundredths,
            "late": row.late,
            "cost_micros": row.cost_micros,
        }
        for row in history
    ]
    texts = {name: getattr(one.criterion, name) for name in ("question", "evidence", "threshold")}
    return {**criterion_as_json(one), **texts, "reviews": reviews}
