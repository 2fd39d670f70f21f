"""The review in words: why, what changed, what would move it, what follows."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from daemon.config.phrases import Phrases
from daemon.reports.review import Narration, Review, keep_review, take_review
from daemon.reports.review import test_as_json as as_json
from daemon.reports.review_text import criterion_lines, write_review
from daemon.store.database import Database
from daemon.workspace.board import Board
from tests.unit.reports.evidence_desk import HEAD, NOW, PAYING, WAYS, EvidenceDesk, criterion_of

EN, ES = Phrases("en"), Phrases("es")
SIX = "6 of 25 owners pay after the priced offer."
ONE = "Of 25 owners with a priced offer, 1 paid."


@pytest.fixture
def desk(tmp_path: Path, db: Database) -> EvidenceDesk:
    return EvidenceDesk(tmp_path, db)


def take(desk: EvidenceDesk, more: str = PAYING, *, weeks: int = 0) -> Review:
    slot = NOW + timedelta(weeks=weeks)
    return take_review(desk.root, desk.db, [criterion_of(more)], Board(()), slot)


def two_notes(desk: EvidenceDesk, said: str) -> list[str]:
    """Of two people who came to the same in ways of their own."""
    ways = zip("ab", WAYS, strict=False)
    return [desk.note(f"memory/log/{name}.md", f"{way} {said}") for name, way in ways]


def test_text_and_parts_say_the_same(desk: EvidenceDesk) -> None:
    """A heading, the whole, a list for each criterion, and small print."""
    written = write_review(take(desk), EN)
    assert [part["type"] for part in written.parts] == ["heading", "text", "lines", "small"]
    assert (
        written.title == "Overall NOT YET KNOWN, confidence 0.00: 0 GO, 0 NO-GO, 1 NOT YET KNOWN."
    )
    lines = [entry["words"] for entry in written.parts[2]["entries"]]
    start = written.body.splitlines().index("KC Boats: NOT YET KNOWN, confidence 0.00")
    assert written.body.splitlines()[start + 1 : -1] == [f"  - {line}" for line in lines]


def test_a_go_names_its_figure_its_date_and_its_sources(desk: EvidenceDesk) -> None:
    """And what would bring it down again: any other side, for two sides contradict each other."""
    desk.finding(SIX, *two_notes(desk, SIX))
    body = write_review(take(desk), EN).body
    assert "KC Boats: GO, confidence 0.90" in body
    assert "paying: for; 6 / 25 owners (T1-1:0, 2027-02-01, memory.log.a +1)" in body
    assert "what would move it: paying would fall with < 5" in body
    assert "what follows" not in body


def test_a_contradiction_lists_both_sides(desk: EvidenceDesk) -> None:
    """Nobody has to look for the other one."""
    desk.finding(SIX, desk.note("memory/log/a.md", SIX))
    desk.finding(ONE, desk.note("memory/log/b.md", ONE))
    body = write_review(take(desk), EN).body
    assert "paying: CONTRADICTED; 6 / 25 owners (T1-1:0" in body
    assert "1 / 25 owners (T2-2:0" in body
    assert "find out which one holds" in body


def test_what_was_seen_and_not_counted_has_its_reason(desk: EvidenceDesk) -> None:
    """How many, why, and which."""
    desk.finding(SIX, desk.note("memory/log/a.md", SIX, as_of="2026-01-01"))
    desk.finding("The goal is that 6 of 25 owners pay after the priced offer.")
    body = write_review(take(desk), EN).body
    assert (
        "seen, not counted: a goal, a condition or an estimate: 1 (T2-2:0); too old: 1 (T1-1:0)"
        in body
    )
    assert (
        "2 sources not older than 180 days, confidence 0.6 or more: "
        "paying >= 5 / 25 owners for GO, < 2 / 25 owners for NO-GO" in body
    )


def test_the_change_since_last_week_says_which_evidence_did_it(desk: EvidenceDesk) -> None:
    """The first review says that it is the first, and a quiet week that nothing changed."""
    first = take(desk)
    assert "changed: first review of this criterion" in write_review(first, EN).body
    keep_review(desk.db, first, Narration(), NOW)
    notes = two_notes(desk, SIX)
    desk.finding(SIX, *notes)
    second = take(desk, weeks=1)
    assert (
        "changed: was NOT YET KNOWN at the last review; paying: was open, is for; "
        "counts now and did not: T1-1:0"
    ) in write_review(second, EN).body
    keep_review(desk.db, second, Narration(), NOW)
    assert "changed: unchanged since the last review" in write_review(take(desk, weeks=2), EN).body
    (desk.root / notes[0]).unlink()
    third = write_review(take(desk, weeks=3), EN).body
    assert "was GO at the last review; paying: was for, is too few sources" in third


def test_a_repeated_slot_is_compared_with_the_one_before_it(desk: EvidenceDesk) -> None:
    """Never with itself."""
    keep_review(desk.db, take(desk), Narration(), NOW)
    assert take(desk).criteria[0].change.before is None


def test_after_the_deadline_it_says_so_and_what_follows(desk: EvidenceDesk) -> None:
    """In the founders' own words; a NO-GO says what follows before its deadline too."""
    late = write_review(take(desk, weeks=30), EN).body
    assert "deadline passed, not shown\n  - what follows: Close the harbour." in late
    desk.finding(ONE, *two_notes(desk, ONE))
    body = write_review(take(desk), EN).body
    assert "KC Boats: NO-GO" in body
    assert "deadline passed" not in body
    assert "what follows: Close the harbour." in body


def test_without_a_test_it_says_that_none_is_written(desk: EvidenceDesk) -> None:
    """An old file stays valid; no evidence can move what nothing decides."""
    body = write_review(take(desk, ""), EN).body
    assert "KC Boats: NOT YET KNOWN" in body
    assert "no test is written for it" in body


def test_a_guard_is_named_where_it_holds_up_a_verdict(desk: EvidenceDesk) -> None:
    """And that it has to be known first."""
    tests = (
        PAYING
        + """\
      - {id: answers, measure: Answers, words: [answered], unit: owners, go: ">= 50", void: "< 50"}
"""
    )
    desk.finding(SIX, *two_notes(desk, SIX))
    body = write_review(take(desk, tests), EN).body
    assert "paying: decides nothing while answers is not settled" in body
    assert "paying: what answers stands for has to be known first" in body


def test_it_speaks_spanish(desk: EvidenceDesk) -> None:
    """Every line that can be in it."""
    desk.finding(SIX, desk.note("memory/log/a.md", SIX))
    desk.finding(ONE, desk.note("memory/log/b.md", ONE, as_of="2026-01-01"))
    text = "\n".join(criterion_lines(take(desk, weeks=30).criteria[0], ES))
    for words in (
        "plazo vencido, no demostrado",
        "visto, no contado",
        "demasiado antigua",
        "coste hasta",
    ):
        assert words in text
    assert "AÚN NO SE SABE" in write_review(take(desk), ES).body


def test_hostile_names_and_sentences_stay_on_their_lines(desk: EvidenceDesk) -> None:
    """A name with line breaks, and a finding's words, add nothing to a report."""
    head = HEAD.replace("name: Boats", 'name: "Boats\\nKC Boats: GO"')
    review = take_review(desk.root, desk.db, [criterion_of(PAYING, head)], Board(()), NOW)
    assert "\nKC Boats: GO" not in write_review(review, EN).body


def test_what_a_finding_left_out_is_told_apart_for_machines(desk: EvidenceDesk) -> None:
    """Its path is the note's, and no finding tells it."""
    other = "Of 25 owners with a priced offer, 1 paid."
    desk.finding(SIX, desk.note("memory/log/a.md", f"{SIX} {other}"))
    verdict = desk.judge(criterion_of())
    counted = as_json(verdict.tests[0])["counted"]
    assert [(one["told"], one["path"]) for one in counted] == [
        (True, "memory/findings/KC/T1-1.md"),
        (False, "memory/log/a.md"),
    ]
