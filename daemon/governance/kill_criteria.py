"""GO, NO-GO or NOT YET KNOWN, worked out from evidence: values in, verdict out.

1. A test looks at the sentences of accepted findings that are about its measure. One *counts* if it is
   one plain figure (or statement), if a note that the finding rests on still says the same in the
   same words of the measure, and if a note that does is young, sure and local enough for the
   test's needs. All others are listed as seen and not counted, each with the first need that it missed.
   What such a note says and the finding leaves out can contradict the finding, and nothing else; so
   can what a note says that no such finding was given, if it names no year or place that what
   counts does not name, and is not older than all of it.
2. What counts stands on a side: *for* (the figure is within `go`), *against* (within `no_go`), *between*,
   or *void*. If two sides have any, the test is *contradicted*. Nothing is averaged or outvoted.
3. The notes behind one side are counted by what they go back to: two that name the same address, and two
   of which one is a copy of the other (daemon/quality/measure_copies.py), are one. One that was opened
   again counts whole, one whose address was only named counts half. With fewer than the test needs,
   on whichever side, it has *too few*.
4. A test without anything that counts is *open*: silence speaks for nothing.
5. A test with a `void` bound guards others: while it is not for, against or between, those decide
   nothing and are *unguarded*.
6. A criterion without tests is NOT YET KNOWN. One test against makes it NO-GO; all tests for make it
   GO; anything else is NOT YET KNOWN.
7. Behind its deadline a criterion that is not GO is *not shown in time*; the verdict stays what it is.
8. All criteria GO make the whole GO, one NO-GO makes it NO-GO; anything else is NOT YET KNOWN.
9. Confidence is the weighted share of tests that are for or against, each times the lowest confidence
   of what decided it. It says how much of the threshold is known, and never changes a verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from daemon.governance.kill_criteria_evidence import (
    Counted,
    Evidence,
    EvidenceSource,
    Missed,
    Side,
)
from daemon.governance.kill_criteria_sources import halves_of, one_of_each, with_objections
from daemon.knowledge.paths import covers
from daemon.workspace.criterion_tests import CriterionTest, Needs
from daemon.workspace.definitions import KillCriterion

Outcome = Literal["go", "no_go", "not_yet_known"]
TestState = Literal[
    "for", "against", "between", "void", "contradicted", "too_few", "open", "unguarded"
]
_SETTLED = ("for", "against", "between")
_ORDER: tuple[Missed, ...] = ("lost", "elsewhere", "undated", "future", "stale", "unsure")


@dataclass(frozen=True)
class JudgedTest:
    """How one test stands. `halves` is what its sources count for, two to a whole one; None where
    sides disagree, or nothing counts. `copies` are paths of notes, each with that of what it copies.
    `confidence` is 0..1, 0 unless it is for or against."""

    test: CriterionTest
    state: TestState
    counted: tuple[Counted, ...] = ()
    missed: tuple[tuple[Evidence, Missed], ...] = ()
    halves: int | None = None
    confidence: float = 0.0
    copies: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class CriterionVerdict:
    """`late`: the deadline is over and it is not GO. `confidence_hundredths` is 0..100."""

    criterion: KillCriterion
    outcome: Outcome
    tests: tuple[JudgedTest, ...]
    late: bool
    confidence_hundredths: int


def judge_criterion(
    criterion: KillCriterion, evidence: Sequence[Evidence], today: date
) -> CriterionVerdict:
    """Steps 1 to 7; the order of the evidence changes nothing but the order of lists."""
    tests = _guarded(
        [
            judge_test(test, [one for one in evidence if one.test == test.id], today)
            for test in criterion.tests
        ]
    )
    outcome = _outcome([one.state for one in tests])
    total = sum(one.test.weight for one in tests)
    known = sum(one.test.weight * one.confidence for one in tests)
    return CriterionVerdict(
        criterion,
        outcome,
        tests,
        late=today > criterion.deadline and outcome != "go",
        confidence_hundredths=round(100 * known / total) if total else 0,
    )


def overall(verdicts: Sequence[CriterionVerdict]) -> tuple[Outcome, int]:
    """Step 8, and the mean confidence in hundredths. Of no criterion nothing is known."""
    outcomes = {one.outcome for one in verdicts}
    if not verdicts:
        return "not_yet_known", 0
    confidence = round(sum(one.confidence_hundredths for one in verdicts) / len(verdicts))
    if "no_go" in outcomes:
        return "no_go", confidence
    return ("go" if outcomes == {"go"} else "not_yet_known"), confidence


def judge_test(test: CriterionTest, evidence: Sequence[Evidence], today: date) -> JudgedTest:
    """Steps 1 to 4."""
    counted: list[Counted] = []
    missed: list[tuple[Evidence, Missed]] = []
    for one in evidence:
        found = _weigh(test, one, today)
        if isinstance(found, Counted):
            counted.append(found)
        elif one.told:
            missed.append((one, found))
    counted, unlike = with_objections(counted)
    missed += unlike
    sides = {one.side for one in counted}
    if len(sides) != 1:
        state: TestState = "contradicted" if sides else "open"
        return JudgedTest(test, state, tuple(counted), tuple(missed))
    sources, copies = one_of_each(counted)
    halves = halves_of(sources)
    enough = halves >= 2 * test.needs.sources
    side = counted[0].side
    decided = enough and side in ("for", "against")
    return JudgedTest(
        test,
        side if enough else "too_few",
        tuple(counted),
        tuple(missed),
        halves,
        min(source.confidence for one in counted for source in one.sources) if decided else 0.0,
        copies,
    )


def _weigh(test: CriterionTest, evidence: Evidence, today: date) -> Counted | Missed:
    """The evidence with its side, or the first thing that keeps it from counting."""
    if evidence.doubt:
        return evidence.doubt
    if not evidence.sources:
        return "ungrounded"
    missed = [(one, _missed_by(one, test.needs, today)) for one in evidence.sources]
    good = tuple(one for one, why in missed if why is None)
    if good:
        return Counted(evidence, side_of(test, evidence), good)
    return max((why for _, why in missed if why), key=_ORDER.index)


def _missed_by(source: EvidenceSource, needs: Needs, today: date) -> Missed | None:
    """What a source lacks; of several sources the one that comes nearest is told of."""
    if source.state == "lost":
        return "lost"
    if needs.places and not covers(needs.places, source.path):
        return "elsewhere"
    if source.dated_on is None:
        return "undated"
    if max(source.dated_on, source.newest_on or source.dated_on) > today:
        return "future"
    if (today - source.dated_on).days > needs.max_age_days:
        return "stale"
    return "unsure" if source.confidence < needs.confidence else None


def side_of(test: CriterionTest, evidence: Evidence) -> Side:
    """Where a figure or a statement stands; a figure of a test that is void there is on no other side."""
    if test.go is None:
        return "against" if evidence.speaks_against else "for"
    figure = evidence.figure
    if figure is None:
        return "between"
    if test.void and test.void.holds(figure):
        return "void"
    if test.go.holds(figure):
        return "for"
    return "against" if test.no_go and test.no_go.holds(figure) else "between"


def _outcome(states: Sequence[TestState]) -> Outcome:
    if "against" in states:
        return "no_go"
    return "go" if set(states) == {"for"} else "not_yet_known"


def _guarded(tests: Sequence[JudgedTest]) -> tuple[JudgedTest, ...]:
    """Step 5; what an unguarded test guards is unguarded too."""
    open_guards = [one.test for one in tests if one.test.void and one.state not in _SETTLED]
    found = tuple(
        replace(one, state="unguarded", confidence=0.0)
        if one.state in ("for", "against") and any(_guards(test, one.test) for test in open_guards)
        else one
        for one in tests
    )
    return found if list(found) == list(tests) else _guarded(found)


def _guards(guard: CriterionTest, test: CriterionTest) -> bool:
    return guard.id != test.id and (not guard.guards or test.id in guard.guards)
