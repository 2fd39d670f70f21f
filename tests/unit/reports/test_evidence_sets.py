"""Twenty sets of evidence, each with the verdict that was written down before the rule was run."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from daemon.governance.kill_criteria import Outcome, TestState
from daemon.store.database import Database
from tests.unit.reports.evidence_desk import PAYING, WAYS, EvidenceDesk, criterion_of

SIX = "6 of 25 owners pay after the priced offer."
ONE = "Of 25 owners with a priced offer, 1 paid."
SHARE = """\
    tests:
      - id: share
        measure: Share of owners who would be sad
        words: [would be sad]
        unit: "%"
        go: ">= 40"
        no_go: "< 22"
        needs: {confidence: medium}
      - id: answers
        measure: Owners that answered
        words: [answered]
        unit: owners
        go: ">= 50"
        void: "< 50"
        guards: [share]
        needs: {confidence: medium}
"""
PERMISSION = """\
    rubric:
      - id: permission
        statement: The council permits it in writing
        supports: [council, written permission]
        refutes: [council, refused | no written permission]
        needs: {confidence: high}
"""
Setting = Callable[[EvidenceDesk], object]


def records(desk: EvidenceDesk, *bodies: str, **how: str) -> list[str]:
    """First-hand notes, each of somebody who came to it in a way of their own."""
    return [
        desk.note(f"memory/log/log-{n}.md", f"{WAYS[n]}\n\n{body}", **how)  # type: ignore[arg-type]
        for n, body in enumerate(bodies)
    ]


def clear_pass(desk: EvidenceDesk) -> None:
    one, two = records(desk, SIX, f"In the end: {SIX}")
    desk.finding(SIX, one, two)


def clear_fail(desk: EvidenceDesk) -> None:
    one, two = records(desk, ONE, f"In the end: {ONE}")
    desk.finding(ONE, one)
    desk.finding(f"A second look says the same. {ONE}", two)


def between(desk: EvidenceDesk) -> None:
    said = "3 of 25 owners pay after the priced offer."
    one, two = records(desk, said, f"Again. {said}")
    desk.finding(said, one, two)


def contradictory(desk: EvidenceDesk) -> None:
    one, two, three = records(desk, SIX, f"Again. {SIX}", ONE)
    desk.finding(SIX, one, two)
    desk.finding(ONE, three)


def stale(desk: EvidenceDesk) -> None:
    one, two = records(desk, SIX, f"Again. {SIX}", as_of="2026-02-01")
    desk.finding(SIX, one, two)


def ungrounded_only(desk: EvidenceDesk) -> None:
    one, two = records(desk, "Owners came to see the priced offer.", "Nothing else was noted.")
    desk.finding(SIX, one, two)


def one_strong_against_many_unsure(desk: EvidenceDesk) -> None:
    """What does not count for anything cannot stand in the way either."""
    desk.finding(SIX, *records(desk, SIX, f"Again. {SIX}"))
    for number in range(6):
        weak = desk.note(f"memory/talk/{number}.md", ONE, confidence="low")
        desk.finding(f"Report {number} of the talk. {ONE}", weak)


def one_strong_against_many_sound(desk: EvidenceDesk) -> None:
    """Nothing is outvoted: many do not win, and neither does the one."""
    strong = desk.note("memory/log/strong.md", SIX)
    desk.finding(SIX, strong)
    for number in range(6):
        sound = desk.note(f"memory/log/{number}.md", ONE, confidence="medium")
        desk.finding(f"Report {number} of the log. {ONE}", sound)


def empty(_desk: EvidenceDesk) -> None:
    """Not one finding."""


def too_few(desk: EvidenceDesk) -> None:
    desk.finding(SIX, *records(desk, SIX))


def one_source_told_twice(desk: EvidenceDesk) -> None:
    """Two notes and three findings, all of one address."""
    named = f"{SIX}\nSource: https://www.harbour.example/count (2027-01-10; register)"
    one, two = records(desk, named, f"Again.\n\n{named}")
    for _ in range(3):
        desk.finding(SIX, one, two)


def only_named(desk: EvidenceDesk) -> None:
    """Two addresses that nobody opened are one source together."""
    bodies = [f"{SIX}\nSource: https://{n}.example/count (2027-01-10)" for n in ("one", "two")]
    desk.finding(SIX, *records(desk, *bodies))


def goals(desk: EvidenceDesk) -> None:
    said = "The goal is that 6 of 25 owners pay after the priced offer."
    one, two = records(desk, said, f"Again. {said}")
    desk.finding(said, one, two)


def denied(desk: EvidenceDesk) -> None:
    said = "6 of 25 owners did not pay after the priced offer."
    one, two = records(desk, said, f"Again. {said}")
    desk.finding(said, one, two)


def about_others(desk: EvidenceDesk) -> None:
    said = "6 of 25 owners abroad pay after the priced offer."
    one, two = records(desk, said, f"Again. {said}")
    desk.finding(said, one, two)


def from_outside(desk: EvidenceDesk) -> None:
    """What strangers sent calls itself sure, and is not."""
    notes = [desk.note(f"memory/inbound/{n}.md", f"{n}. {SIX}", outside=True) for n in "ab"]
    desk.finding(SIX, *notes)


def corrected_note(desk: EvidenceDesk) -> None:
    """The notes said it once and do not any more."""
    one, two = records(desk, SIX, f"Again. {SIX}")
    desk.finding(SIX, one, two)
    records(desk, "The count was withdrawn.", "The count was withdrawn.")


def share_without_its_guard(desk: EvidenceDesk) -> None:
    """A low share of nobody knows how many."""
    said = "The share of owners who would be sad is 12 %."
    desk.finding(said, *records(desk, said))


def share_of_enough(desk: EvidenceDesk) -> None:
    said = "The share of owners who would be sad is 12 %. Of all of them 64 owners answered."
    desk.finding(said, *records(desk, said))


def permission_given(desk: EvidenceDesk) -> None:
    said = "The council gave its written permission on 4 February 2027."
    desk.finding(said, *records(desk, said))


def permission_refused(desk: EvidenceDesk) -> None:
    said = "The council gave no written permission and said why."
    desk.finding(said, *records(desk, said))


SETS: tuple[tuple[Setting, str, Outcome, TestState], ...] = (
    (clear_pass, PAYING, "go", "for"),
    (clear_fail, PAYING, "no_go", "against"),
    (between, PAYING, "not_yet_known", "between"),
    (contradictory, PAYING, "not_yet_known", "contradicted"),
    (stale, PAYING, "not_yet_known", "open"),
    (ungrounded_only, PAYING, "not_yet_known", "open"),
    (one_strong_against_many_unsure, PAYING, "go", "for"),
    (one_strong_against_many_sound, PAYING, "not_yet_known", "contradicted"),
    (empty, PAYING, "not_yet_known", "open"),
    (too_few, PAYING, "not_yet_known", "too_few"),
    (one_source_told_twice, PAYING, "not_yet_known", "too_few"),
    (only_named, PAYING, "not_yet_known", "too_few"),
    (goals, PAYING, "not_yet_known", "open"),
    (denied, PAYING, "not_yet_known", "open"),
    (about_others, PAYING, "not_yet_known", "open"),
    (from_outside, PAYING, "not_yet_known", "open"),
    (corrected_note, PAYING, "not_yet_known", "open"),
    (share_without_its_guard, SHARE, "not_yet_known", "unguarded"),
    (share_of_enough, SHARE, "no_go", "against"),
    (permission_given, PERMISSION, "go", "for"),
    (permission_refused, PERMISSION, "no_go", "against"),
)


@pytest.mark.parametrize(
    ("setting", "tests", "outcome", "state"), SETS, ids=[one[0].__name__ for one in SETS]
)
def test_the_verdict_that_was_written_down_comes_out(
    setting: Setting, tests: str, outcome: Outcome, state: TestState, tmp_path: Path, db: Database
) -> None:
    """Of texts and notes, through the whole rule; and the same again from the other end of time."""
    desk = EvidenceDesk(tmp_path, db)
    setting(desk)
    verdict = desk.judge(criterion_of(tests))
    assert (verdict.outcome, verdict.tests[0].state) == (outcome, state)
    late = desk.judge(criterion_of(tests), today=date(2028, 1, 1))
    assert late.outcome == "not_yet_known" or setting.__name__.startswith(("permission", "share"))
    assert late.late == (late.outcome != "go")


def test_there_are_twenty_sets_and_most_of_them_decide_nothing() -> None:
    """A rule that says GO easily is worth nothing."""
    assert len(SETS) >= 20
    assert sum(outcome == "go" for _, _, outcome, _ in SETS) <= 3
