"""What lies in memory against a finding, and no finding was given: it contradicts, unless it speaks of else."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.config.phrases import Phrases
from daemon.governance.kill_criteria import JudgedTest
from daemon.reports.review import take_review
from daemon.reports.review_text import write_review
from daemon.store.database import Database
from daemon.workspace.board import Board
from tests.unit.reports.evidence_desk import NOW, PAYING, WAYS, EvidenceDesk, criterion_of

SIX = "6 of 25 owners pay after the priced offer."
ONE = "Of 25 owners with a priced offer, 1 paid."
ONE_SOURCE = PAYING.replace("sources: 2", "sources: 1")
FROM_LOG = ONE_SOURCE.replace("confidence: medium", "confidence: medium, from: [memory/log/]")


@pytest.fixture
def desk(tmp_path: Path, db: Database) -> EvidenceDesk:
    made = EvidenceDesk(tmp_path, db)
    made.finding(SIX, made.note("memory/log/a.md", SIX))
    return made


def judged(desk: EvidenceDesk, tests: str = ONE_SOURCE) -> JudgedTest:
    return desk.judge(criterion_of(tests)).tests[0]


def test_a_contrary_note_that_nobody_examined_takes_a_go_back(desk: EvidenceDesk) -> None:
    """To NOT YET KNOWN, without confidence, with both sides and the words "in memory, not examined"."""
    assert desk.judge(criterion_of(ONE_SOURCE)).outcome == "go"
    desk.note("memory/talks/b.md", ONE)
    verdict = desk.judge(criterion_of(ONE_SOURCE))
    (test,) = verdict.tests
    assert (verdict.outcome, verdict.confidence_hundredths) == ("not_yet_known", 0)
    assert [(one.side, one.evidence.examined) for one in test.counted] == [
        ("for", True),
        ("against", False),
    ]
    review = take_review(desk.root, desk.db, [criterion_of(ONE_SOURCE)], Board(()), NOW)
    body = write_review(review, Phrases("en")).body
    assert "paying: CONTRADICTED; 6 / 25 owners (T1-1:0" in body
    assert "memory.talks.b), in memory, not examined" in body
    assert "en la memoria, sin examinar" in write_review(review, Phrases("es")).body


def test_a_no_go_is_taken_back_as_well(desk: EvidenceDesk) -> None:
    """What stands against a NO-GO is no less a contradiction."""
    (desk.root / "memory/log/a.md").unlink()
    desk.finding(ONE, desk.note("memory/log/n.md", ONE))
    assert judged(desk).state == "against"
    desk.note("memory/talks/b.md", SIX)
    assert judged(desk).state == "contradicted"


def test_one_that_agrees_adds_no_source(desk: EvidenceDesk) -> None:
    """Nobody examined it, so it proves nothing."""
    desk.note("memory/log/b.md", f"{WAYS[0]} {SIX}")
    test = judged(desk, PAYING)
    assert (test.state, test.halves, len(test.counted)) == ("too_few", 2, 1)


def test_one_of_another_year_month_or_place_is_listed_and_decides_nothing(
    desk: EvidenceDesk,
) -> None:
    """A false contradiction is worse than none; a person sees it and judges."""
    for number, said in enumerate(
        (
            "In December 2026, of 25 owners with a priced offer 1 paid.",
            "Of 25 owners in Puerto Montt with a priced offer, 1 paid.",
            "Of 25 owners with a priced offer, 1 paid in the second round.",
        )
    ):
        note = desk.root / desk.note("memory/log/other.md", said)
        test = judged(desk)
        assert test.state == "for", (number, said)
        assert [why for _, why in test.missed] == ["other_scope"], said
        note.unlink()


def test_one_that_is_older_than_all_that_counts_is_history(desk: EvidenceDesk) -> None:
    """The newer record is what holds now; one of the same day is no history."""
    desk.note("memory/log/b.md", ONE, as_of="2027-01-31")
    test = judged(desk)
    assert (test.state, [why for _, why in test.missed]) == ("for", ["earlier"])
    desk.note("memory/log/b.md", ONE, as_of="2027-02-01")
    assert judged(desk).state == "contradicted"


def test_what_would_not_count_cannot_object(desk: EvidenceDesk) -> None:
    """What is unsure, from outside, stale, undated, elsewhere, a goal, of another whole, or by a model."""
    desk.note("memory/log/low.md", ONE, confidence="low")
    desk.note("memory/inbound/mail.md", ONE)
    desk.note("memory/log/old.md", ONE, as_of="2026-02-01")
    desk.note("memory/log/undated.md", ONE, as_of="")
    desk.note("memory/talks/elsewhere.md", ONE)
    desk.note("memory/log/goal.md", "If of 25 owners with a priced offer 1 paid, we stop.")
    desk.note("memory/log/whole.md", "Of 40 owners with a priced offer, 1 paid.")
    desk.note("memory/log/abroad.md", "Of 25 owners abroad with a priced offer, 1 paid.")
    desk.note("memory/findings/KC/T9-9.md", ONE)
    desk.note("memory/consolidated/prices.md", ONE)
    test = judged(desk, FROM_LOG)
    assert (test.state, test.missed) == ("for", ())


def test_without_a_finding_that_tells_of_it_memory_is_not_searched(desk: EvidenceDesk) -> None:
    """A note alone is no evidence, for or against."""
    (desk.root / "memory/findings/KC/T1-1.md").unlink()
    desk.note("memory/talks/b.md", ONE)
    test = judged(desk)
    assert (test.state, test.counted) == ("open", ())


def test_one_note_says_each_figure_once_and_keeps_its_id(desk: EvidenceDesk) -> None:
    """However often it says it; so the next review sees that nothing changed."""
    desk.note(
        "memory/talks/b.md", f"{ONE}\n\nAgain. {ONE}\n\n3 of 25 owners pay after the priced offer."
    )
    first = [one.evidence.id for one in judged(desk).counted]
    assert len(first) == 3
    assert first == [one.evidence.id for one in judged(desk).counted]


def test_a_figure_is_no_year_that_a_note_speaks_of(desk: EvidenceDesk) -> None:
    """EUR 1950 against EUR 2050 is a contradiction; neither is of long ago, or yet to come."""
    price = """\
    tests:
      - id: price
        measure: Price of a berth
        words: [berth]
        unit: EUR
        go: ">= 2000"
        no_go: "< 1980"
"""
    said = "A berth brought EUR {}."
    desk.finding(said.format(2050), desk.note("memory/log/p.md", said.format(2050)))
    assert judged(desk, price).state == "for"
    desk.note("memory/log/q.md", said.format(1950))
    assert judged(desk, price).state == "contradicted"
