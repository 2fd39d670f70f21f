"""The rule by values: what counts, sides, sources, guards, confidence, deadlines."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from itertools import permutations

import pytest

from daemon.governance.kill_criteria import (
    CriterionVerdict,
    Outcome,
    judge_criterion,
    judge_test,
    overall,
)
from daemon.governance.kill_criteria_evidence import Evidence, EvidenceSource, Missed
from daemon.governance.kill_criteria_sources import halves_of
from daemon.governance.review_change import change_since, snapshot
from daemon.quality.measure import Measure
from daemon.workspace.criterion_tests import Bound, CriterionTest, Needs
from daemon.workspace.definitions import KillCriterion

TODAY = date(2027, 3, 1)
LOOKS = Measure((("pay",),))
PAYING = CriterionTest(
    "paying",
    "Owners that pay",
    LOOKS,
    Needs(sources=2, max_age_days=180, confidence=0.6, places=("memory/log/",)),
    go=Bound(">=", Decimal(5)),
    no_go=Bound("<", Decimal(2)),
)
ANSWERS = CriterionTest(
    "answers", "Owners that answered", LOOKS, Needs(confidence=0.6),
    go=Bound(">=", Decimal(50)), void=Bound("<", Decimal(50)), guards=("paying",),
)  # fmt: skip
CRITERION = KillCriterion("KC", "Boats", "?", "e", "t", date(2027, 6, 30), "stop", (PAYING,))


def source(name: str = "a", **changes: object) -> EvidenceSource:
    good = EvidenceSource(name, f"memory/log/{name}.md", name, date(2027, 2, 1), 0.9, "opened")
    return replace(good, **changes)  # type: ignore[arg-type]


def evidence(
    figure: int | None, *sources: EvidenceSource, test: str = "paying", **changes: object
) -> Evidence:
    value = None if figure is None else Decimal(figure)
    name = f"T1-1:{figure}"
    good = Evidence(name, test, "T1", "memory/findings/KC/T1-1.md", "s", value, sources=sources)
    return replace(good, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "missed"),
    [
        (evidence(6, source(state="lost")), "lost"),
        (evidence(6, source(path="memory/fit/a.md")), "elsewhere"),
        (evidence(6, source(dated_on=None)), "undated"),
        (evidence(6, source(dated_on=TODAY + timedelta(days=1))), "future"),
        (evidence(6, source(dated_on=TODAY - timedelta(days=181))), "stale"),
        (evidence(6, source(confidence=0.59)), "unsure"),
        (evidence(6, source(state="lost"), source("b", confidence=0.1)), "unsure"),
        (evidence(6), "ungrounded"),
        (evidence(6, source(), doubt="doubted"), "doubted"),
        (evidence(6, source(), doubt="file_gone"), "file_gone"),
        (evidence(None, source(), doubt="rounded"), "rounded"),
    ],
)
def test_what_misses_a_need_is_listed_with_the_first_one_that_it_missed(
    one: Evidence, missed: Missed
) -> None:
    """Of several sources the one that comes nearest is told of; nothing of it counts."""
    found = judge_test(PAYING, [one], TODAY)
    assert (found.state, found.missed, found.counted) == ("open", ((one, missed),), ())


def test_exactly_at_the_edges_it_counts() -> None:
    """180 days and 0.6 are enough, 5 is GO, and 2 is not yet NO-GO."""
    edge = source(dated_on=TODAY - timedelta(days=180), confidence=0.6)
    assert judge_test(PAYING, [evidence(5, edge, source("b"))], TODAY).state == "for"
    assert judge_test(PAYING, [evidence(2, edge, source("b"))], TODAY).state == "between"
    assert judge_test(PAYING, [evidence(1, edge, source("b"))], TODAY).state == "against"


def test_sources_count_by_what_they_go_back_to() -> None:
    """Of one origin the best counts; named addresses count half, and two of them are one."""
    assert halves_of([source(), source("b", origin="a", state="named")]) == 2
    assert halves_of([source(state="named"), source("b", state="named")]) == 2
    assert halves_of([source(state="lost")]) == 0
    named = [source(name, state="named") for name in "abcd"]
    assert judge_test(PAYING, [evidence(6, *named[:3])], TODAY).state == "too_few"
    assert judge_test(PAYING, [evidence(6, *named)], TODAY).state == "for"


def test_one_that_counts_on_the_other_side_contradicts_any_number() -> None:
    """In whatever order they come, and without an average."""
    many = [evidence(6, source(name)) for name in "abcdef"] + [evidence(1, source("z"))]
    found = judge_test(PAYING, many, TODAY)
    assert (found.state, found.halves, found.confidence) == ("contradicted", None, 0.0)
    assert len(found.counted) == 7


def test_no_go_needs_as_many_sources_as_go() -> None:
    """One bad figure of one source decides nothing."""
    verdict = judge_criterion(CRITERION, [evidence(1, source())], TODAY)
    assert (verdict.outcome, verdict.tests[0].state) == ("not_yet_known", "too_few")
    verdict = judge_criterion(CRITERION, [evidence(1, source(), source("b"))], TODAY)
    assert verdict.outcome == "no_go"


@pytest.mark.parametrize(
    ("answers", "state", "outcome"),
    [
        (64, "against", "no_go"),
        (12, "unguarded", "not_yet_known"),
        (None, "unguarded", "not_yet_known"),
    ],
)
def test_a_guard_that_is_void_or_open_leaves_nothing_decided(
    answers: int | None, state: str, outcome: Outcome
) -> None:
    """In both directions: a bad share of twelve answers is no NO-GO either."""
    criterion = replace(CRITERION, tests=(PAYING, ANSWERS))
    given = [evidence(1, source(), source("b"))]
    if answers is not None:
        given.append(evidence(answers, source(), test="answers"))
    verdict = judge_criterion(criterion, given, TODAY)
    assert (verdict.tests[0].state, verdict.outcome) == (state, outcome)
    good = [evidence(6, source(), source("b")), *given[1:]]
    assert judge_criterion(criterion, good, TODAY).outcome == (
        "go" if answers == 64 else "not_yet_known"
    )


def test_silence_is_never_go() -> None:
    """Neither of a test, nor of a criterion without tests, nor of a venture without criteria."""
    assert judge_criterion(CRITERION, [], TODAY).outcome == "not_yet_known"
    bare = replace(CRITERION, tests=())
    assert judge_criterion(bare, [evidence(6, source())], TODAY).outcome == "not_yet_known"
    assert overall([]) == ("not_yet_known", 0)
    both = replace(CRITERION, tests=(PAYING, replace(ANSWERS, void=None)))
    half = judge_criterion(both, [evidence(6, source(), source("b"))], TODAY)
    assert (half.outcome, half.confidence_hundredths) == ("not_yet_known", 45)


def test_after_the_deadline_it_was_not_shown_in_time() -> None:
    """The day itself still belongs to it; a GO is never late."""
    day = CRITERION.deadline
    assert not judge_criterion(CRITERION, [], day).late
    assert judge_criterion(CRITERION, [], day + timedelta(days=1)).late
    fresh = [evidence(6, source(dated_on=day), source("b", dated_on=day))]
    assert not judge_criterion(CRITERION, fresh, day + timedelta(days=1)).late


def _of(outcome: Outcome, confidence: int = 50) -> CriterionVerdict:
    return CriterionVerdict(CRITERION, outcome, (), late=False, confidence_hundredths=confidence)


def test_the_whole_is_go_only_where_all_are() -> None:
    """One NO-GO makes it NO-GO; the order does not matter."""
    for one in permutations([_of("go", 90), _of("no_go", 60), _of("not_yet_known", 0)]):
        assert overall(one) == ("no_go", 50)
    assert overall([_of("go"), _of("not_yet_known")])[0] == "not_yet_known"
    assert overall([_of("go"), _of("go")])[0] == "go"


def test_the_order_of_the_evidence_changes_nothing() -> None:
    """Two figures that agree, one that is too old, one without a source."""
    given = [
        evidence(6, source()),
        evidence(7, source("b")),
        evidence(1, source(dated_on=None)),
        evidence(9),
    ]
    seen = {judge_criterion(CRITERION, order, TODAY).outcome for order in permutations(given)}
    assert seen == {"go"}


def test_a_change_names_the_evidence_that_did_it() -> None:
    """What came, what went, which test stands elsewhere; the same again is no change."""
    before = judge_criterion(CRITERION, [evidence(6, source())], TODAY)
    after = judge_criterion(CRITERION, [evidence(7, source(), source("b"))], TODAY)
    change = change_since(snapshot(before), after)
    assert change.before == "not_yet_known"
    (test,) = change.tests
    assert (test.before, test.now, test.came, test.went) == (
        "too_few",
        "for",
        ("T1-1:7",),
        ("T1-1:6",),
    )
    assert change_since(snapshot(after), after).tests == ()
    assert change_since(None, after).before is None
    gone = judge_criterion(replace(CRITERION, tests=()), [], TODAY)
    assert change_since(snapshot(after), gone).gone == ("paying",)


def test_an_unguarded_guard_guards_nothing() -> None:
    """A chain of guards is as open as its first; two that guard each other end nowhere."""
    kappa = replace(ANSWERS, id="kappa", guards=("answers",))
    found = [evidence(1, source(), source("b")), evidence(60, source(), test="answers")]
    verdict = judge_criterion(replace(CRITERION, tests=(PAYING, ANSWERS, kappa)), found, TODAY)
    assert [one.state for one in verdict.tests] == ["unguarded", "unguarded", "open"]
    assert verdict.outcome == "not_yet_known"
    both = [*found, evidence(60, source(), test="kappa")]
    ring = (PAYING, ANSWERS, replace(kappa, guards=()))
    assert judge_criterion(replace(CRITERION, tests=ring), both, TODAY).outcome == "no_go"


def test_evidence_that_no_finding_tells_can_only_contradict() -> None:
    """On the same side it adds nothing, alone it decides nothing, and a weak one is not even listed."""
    two = source(), source("b")
    left = evidence(1, *two, told=False)
    assert judge_test(PAYING, [left], TODAY).state == "open"
    assert judge_test(PAYING, [evidence(6, *two), left], TODAY).state == "contradicted"
    same = judge_test(PAYING, [evidence(6, source()), evidence(7, *two, told=False)], TODAY)
    assert (same.state, len(same.counted)) == ("too_few", 1)
    weak = evidence(1, source(confidence=0.1), told=False)
    assert judge_test(PAYING, [evidence(6, *two), weak], TODAY).missed == ()
