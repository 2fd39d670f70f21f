"""Evidence from findings and notes: what bears a sentence out, where it is from, what it is worth."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from daemon.governance.kill_criteria_evidence import Evidence
from daemon.reports.evidence import collect_evidence
from daemon.reports.passage_source import address_of, named_source, noted_date
from daemon.store.database import Database
from tests.unit.reports.evidence_desk import PAYING, EvidenceDesk, criterion_of

SIX = "6 of 25 owners pay after the priced offer."
ONE_SOURCE = PAYING.replace("sources: 2", "sources: 1")
ADDRESS = "https://www.harbour.example/count/"


@pytest.fixture
def desk(tmp_path: Path, db: Database) -> EvidenceDesk:
    return EvidenceDesk(tmp_path, db)


def of(desk: EvidenceDesk, *, opened: tuple[str, ...] = ()) -> tuple[Evidence, ...]:
    return collect_evidence(desk.root, desk.db, [criterion_of()], opened=opened)["KC"]


def test_a_first_hand_note_was_opened_again_and_counts_whole(desk: EvidenceDesk) -> None:
    """With its date and its confidence; its origin is itself."""
    desk.finding(f"What was found. {SIX}", desk.note("memory/log/a.md", f"Some words.\n\n{SIX}"))
    (one,) = of(desk)
    (source,) = one.sources
    assert (source.origin, source.state) == ("memory/log/a.md", "opened")
    assert (source.dated_on, source.confidence) == (date(2027, 2, 1), 0.9)
    assert (one.id, one.figure, one.sentence) == ("T1-1:16", Decimal(6), SIX)


def test_an_address_is_only_named_until_it_was_opened(desk: EvidenceDesk) -> None:
    """Its own date holds where it is older than the note's."""
    body = f"{SIX}\nSource: {ADDRESS} (2027-01-10; register) · fact 1"
    desk.finding(SIX, desk.note("memory/log/a.md", body))
    (source,) = of(desk)[0].sources
    assert (source.origin, source.state) == ("harbour.example/count", "named")
    assert source.dated_on == date(2027, 1, 10)
    (source,) = of(desk, opened=(address_of(ADDRESS),))[0].sources
    assert source.state == "opened"


def test_a_note_that_says_another_figure_bears_nothing_out(desk: EvidenceDesk) -> None:
    """Nor does one that says it of another whole, about, or as a goal."""
    for other in (
        "7 of 25 owners",
        "6 of 40 owners",
        "About 6 of 25 owners",
        "The goal: 6 of 25 owners",
    ):
        desk.finding(SIX, desk.note("memory/log/a.md", f"{other} pay after the priced offer."))
    assert [one.sources for one in of(desk)] == [()] * 4


def test_a_spanish_finding_is_borne_out_by_a_spanish_note(desk: EvidenceDesk) -> None:
    """One measure has the words of both languages."""
    note = desk.note("memory/log/a.md", "De 25 propietarios con oferta con precio, 6 pagan.")
    desk.finding("Pagan 6 de 25 propietarios que recibieron la oferta con precio.", note)
    tests = """\
    tests:
      - id: paying
        measure: Owners that pay
        words: [pay | pagan, priced offer | oferta con precio]
        unit: owners | propietarios
        of: 25
        go: ">= 5"
"""
    (one,) = collect_evidence(desk.root, desk.db, [criterion_of(tests)])["KC"]
    assert len(one.sources) == 1


def test_what_models_wrote_bears_nothing_out(desk: EvidenceDesk) -> None:
    """A finding that was read again is no second source."""
    desk.finding(SIX, desk.note("memory/log/a.md", SIX))
    again = desk.note("memory/findings/KC/T0-9.md", SIX)
    desk.note("memory/consolidated/prices.md", SIX)
    desk.finding(SIX, again, "memory/consolidated/prices.md")
    assert [len(one.sources) for one in of(desk)] == [1, 0]


def test_a_note_that_changed_or_went_is_lost(desk: EvidenceDesk) -> None:
    """One that changed elsewhere and still says it is not."""
    one, two = desk.note("memory/log/a.md", SIX), desk.note("memory/log/b.md", SIX)
    desk.finding(SIX, one, two)
    desk.note("memory/log/a.md", f"A line more.\n\n{SIX}")
    (desk.root / two).unlink()
    assert [source.state for source in of(desk)[0].sources] == ["opened", "lost"]


def test_a_finding_whose_file_is_gone_counts_for_nothing(desk: EvidenceDesk) -> None:
    """A person who deletes one takes it out of the evidence."""
    path = desk.finding(SIX, desk.note("memory/log/a.md", SIX))
    (desk.root / path).unlink()
    assert [one.doubt for one in of(desk)] == ["file_gone"]


def test_a_sentence_with_a_claim_that_no_note_has_is_doubted(desk: EvidenceDesk) -> None:
    """It was kept out of what may be cited, so it is no evidence either."""
    note = desk.note("memory/log/a.md", SIX)
    desk.finding("6 of 25 owners pay after the priced offer; the town has 83,417 boats.", note)
    assert [one.doubt for one in of(desk)] == ["doubted"]


def test_text_from_outside_is_never_sure(desk: EvidenceDesk) -> None:
    """Whatever it says of itself, wherever the agent's context has it from."""
    desk.finding(SIX, desk.note("memory/log/a.md", SIX, outside=True))
    desk.finding(SIX, desk.note("memory/inbound/b.md", SIX))
    assert [one.sources[0].confidence for one in of(desk)] == [0.3, 0.3]


def test_a_sentence_about_an_old_year_is_as_old_as_that_year(desk: EvidenceDesk) -> None:
    """However new the note is that tells of it."""
    old = "In 2019 6 of 25 owners paid after the priced offer."
    desk.finding(old, desk.note("memory/log/a.md", old))
    assert of(desk)[0].sources[0].dated_on == date(2019, 12, 31)


def test_a_note_without_date_or_confidence_has_none(desk: EvidenceDesk) -> None:
    """Nothing is guessed."""
    desk.finding(SIX, desk.note("memory/log/a.md", SIX, as_of="", confidence="perhaps"))
    (source,) = of(desk)[0].sources
    assert (source.dated_on, source.confidence) == (None, 0.0)


def test_the_line_below_a_passage_names_its_source() -> None:
    """Only that of its own paragraph; without an address its words are the origin."""
    body = (
        f"First.\nSource: {ADDRESS} (2026-05)\n\nSecond,\nin two lines.\nFuente: Our list (undated)"
    )
    first, second = named_source(body, "First."), named_source(body, "Second, in two lines.")
    assert (first.address, first.dated_on) == ("harbour.example/count", date(2026, 5, 1))
    assert (second.address, second.undated) == ("our list", True)
    assert named_source(body, "Third.").address == ""
    assert noted_date("2027-02-01", first) == date(2026, 5, 1)
    assert noted_date("2027-02-01", second) is None
    assert noted_date("2027-02-01", named_source("", "x"), "In 2019, not in 2018.") == date(
        2019, 12, 31
    )
    assert noted_date("2027-02-01", named_source("", "x"), "In 2031 and 2,019.") == date(2027, 2, 1)
    assert noted_date("soon", named_source("x", "x")) is None


def test_a_note_that_now_denies_hides_or_takes_back_its_sentence_is_lost(
    desk: EvidenceDesk,
) -> None:
    """The old sentence is still somewhere in each of these texts, and none of them says it."""
    for number, now in enumerate(
        (
            f"It is not true that {SIX}",
            f"1{SIX}",
            f"The goal is that {SIX}",
            f"~~{SIX}~~",
            f"<!-- {SIX} -->",
            f"```\n{SIX}\n```",
            f"Retracted on 2027-02-20. {SIX}",
            f"# {SIX}",
        )
    ):
        note = desk.note(f"memory/log/{number}.md", SIX)
        desk.finding(SIX, note)
        desk.note(note, now)
        (told,) = [one for one in of(desk) if one.told and one.item == f"T{number + 1}"]
        assert [source.state for source in told.sources] == ["lost"], now
    assert desk.judge(criterion_of(ONE_SOURCE)).tests[0].state == "open"


def test_a_note_that_takes_itself_back_in_its_front_matter_is_lost(desk: EvidenceDesk) -> None:
    """Whatever word it has for it."""
    for number, key in enumerate(
        ("retracted: 2027-02-20", "status: superseded", "deprecated: yes")
    ):
        note = desk.note(f"memory/log/{number}.md", SIX)
        desk.finding(SIX, note)
        file = desk.root / note
        file.write_text(file.read_text().replace("title: A note", f"title: A note\n{key}"))
        assert [source.state for source in of(desk)[-1].sources] == ["lost"], key


def test_what_a_finding_leaves_out_of_its_notes_contradicts_it(desk: EvidenceDesk) -> None:
    """No model makes a GO by passing over a note, or the other half of one; an unsure note cannot object."""
    other = "Of 25 owners that got a priced offer, 1 pay."
    desk.finding(SIX, desk.note("memory/log/a.md", f"{SIX} {other}"))
    (test,) = desk.judge(criterion_of(ONE_SOURCE)).tests
    assert test.state == "contradicted"
    assert [(one.evidence.told, one.evidence.path, one.side) for one in test.counted] == [
        (True, "memory/findings/KC/T1-1.md", "for"),
        (False, "memory/log/a.md", "against"),
    ]
    desk.note("memory/log/a.md", SIX)
    desk.finding(SIX, "memory/log/a.md", desk.note("memory/log/b.md", other, confidence="low"))
    verdict = desk.judge(criterion_of(ONE_SOURCE))
    assert (verdict.outcome, verdict.tests[0].missed) == ("go", ())


def test_what_no_finding_tells_decides_nothing(desk: EvidenceDesk) -> None:
    """A note alone is no evidence, and it is there once however many findings pass it over."""
    note = desk.note("memory/log/a.md", f"{SIX} Of 25 owners that got a priced offer, 1 pay.")
    desk.finding("The owners came to see the offer.", note)
    assert of(desk) == ()
    desk.finding(SIX, note)
    desk.finding(f"Once more. {SIX}", note)
    assert [one.told for one in of(desk)] == [True, False, True]
    assert len({one.id for one in of(desk)}) == 3


def test_a_copy_of_a_note_is_no_second_source(desk: EvidenceDesk) -> None:
    """Nor is one address in other spellings, or one that stands in the text."""
    desk.finding(
        SIX, desk.note("memory/log/a.md", SIX), desk.note("memory/log/c.md", f"\n{SIX}\n\n")
    )
    assert len({source.origin for source in of(desk)[0].sources}) == 1
    spellings = (
        "\nSource: https://harbour.example/count?id=1 (2027-02-01)",
        "\n\n1. Source: http://www.harbour.example:80/count/ (2027-02-01)",
        "\n*Reference:* https://HARBOUR.example./count#top (2027-02-01)",
        " ([the count](https://harbour.example/count))",
        " See www.harbour.example/count.",
    )
    notes = [desk.note(f"memory/log/s{n}.md", SIX + one) for n, one in enumerate(spellings)]
    desk.finding(f"Again. {SIX}", *notes)
    sources = of(desk)[-1].sources
    assert {(one.origin, one.state) for one in sources} == {("harbour.example/count", "named")}
    assert len(sources) == 5


def test_a_note_that_says_much_otherwise_is_told_of_once_a_figure(desk: EvidenceDesk) -> None:
    """However often it says it, and however many findings pass it over."""
    note = desk.note(
        "memory/log/a.md", f"{SIX}\n\n" + "Of 25 owners that got a priced offer, 1 pay.\n\n" * 300
    )
    for number in range(3):
        desk.finding(f"Look {number} at it. {SIX}", note)
    assert [one.told for one in of(desk)].count(False) == 1
