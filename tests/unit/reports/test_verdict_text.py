"""What a person reads about a verdict, on a terminal and on a page."""

from __future__ import annotations

import pytest

from daemon.config.phrases import Phrases
from daemon.quality.claims import Claim
from daemon.quality.verdict import Defect, ScorePart, Verdict
from daemon.reports.verdict_text import NoteText, render_verdict, sentence_at, view_verdict

EN, ES = Phrases("en"), Phrases("es")
TEXT = "The port is open. It had 37 % more boats in 2025.\nBerths cost 41 USD."
NOTE = NoteText("port.boats", "# Boats\n\nA berth costs 41 USD a night.\n", "memory/boats.md", 5)


def verdict_with(*claims: Claim, text: str = TEXT) -> Verdict:
    return Verdict("accept", 40, (ScorePart("content", 30, "r"),), (), text, claims=claims)


def rejected() -> Verdict:
    start = TEXT.index("37")
    return Verdict(
        outcome="reject",
        score_hundredths=35,
        parts=(ScorePart("content", 30, "r"), ScorePart("planning", -15, "r")),
        defects=(
            Defect("grounding.absent", "These figures are in no note: 37 %.", True, (start, start + 4)),
            Defect("language", "It is in another language.", False),
        ),
        cleaned_text=TEXT,
        stripped=("Certainly!\x1b[2J\nHere it is:",),
    )  # fmt: skip


def test_each_defect_has_the_sentence_it_stands_in() -> None:
    """A reason without its place sends the reader through the whole text."""
    lines = render_verdict(rejected(), EN, 100)
    assert lines[0] == "Rejected; score 0.35, threshold 0.40"
    at = lines.index("- These figures are in no note: 37 %. [grounding.absent]")
    assert lines[at + 1] == "    “It had 37 % more boats in 2025.”"
    assert "- It is in another language. [language] (marked, no reason to reject)" in lines
    assert "Score: content +0.30, planning -0.15" in lines


def test_what_was_cut_is_shown_without_control_characters() -> None:
    """A model's text can neither clear the screen nor start a line of its own."""
    lines = render_verdict(rejected(), EN, 100)
    assert "  - “Certainly![U+001B][2J Here it is:”" in lines
    assert not [line for line in lines if not line.isprintable()]


def test_a_claim_has_file_line_and_passage() -> None:
    """The line is the file's own, front matter counted."""
    claim = Claim(
        "figure", "41 USD", (0, 6), "supported", NOTE.id, (24, 30), "A berth costs 41 USD"
    )
    [found] = view_verdict(verdict_with(claim), EN, [NOTE]).claims
    assert found.place == "memory/boats.md:7"
    assert found.passage == "A berth costs 41 USD"
    text = "\n".join(render_verdict(verdict_with(claim), EN, 100, notes=[NOTE]))
    assert "  - 41 USD: figure, as in memory/boats.md:7" in text


def test_without_the_note_its_id_is_the_place() -> None:
    """A verdict from the store can be shown where the notes are gone."""
    claim = Claim("figure", "41 USD", (0, 6), "weak", "port.boats", (24, 30), "p")
    [found] = view_verdict(verdict_with(claim), EN).claims
    assert found.place == "port.boats"


def test_what_needs_an_eye_stands_first() -> None:
    """Absent before weak before derived before supported; the count names each."""
    claims = (
        Claim("figure", "1", (0, 1), "supported", "n"),
        Claim("norm", "Art. 9", (2, 3), "weak", "n"),
        Claim("figure", "3", (4, 5), "derived", note="41 - 38"),
        Claim("url", "https://a.test", (6, 7), "absent"),
    )
    view = view_verdict(verdict_with(*claims), EN)
    assert [one.status for one in view.claims] == ["absent", "weak", "derived", "supported"]
    assert view.claim_count.endswith("4: 1 absent, 1 weak, 1 derived, 1 supported")
    assert view.claims[0].words == "address that no note has"
    assert view.claims[2].words.endswith("(41 - 38)")


def test_a_passage_that_answers_several_claims_is_shown_once() -> None:
    """Each figure is named once, beside the one passage that holds them all."""
    passage = "Peru has 248.1 lawyers, Brazil 327.1."
    texts = ("248.1", "327.1", "248.1")
    claims = [Claim("figure", text, (0, 1), "supported", passage=passage) for text in texts]
    (row,) = view_verdict(verdict_with(*claims), EN).claims
    assert (row.text, row.passage) == ("248.1; 327.1", passage)


def test_hundreds_of_claims_are_summed_up() -> None:
    """The count is whole, the list is not endless."""
    many = [Claim("figure", "5", (0, 1), "supported", passage=f"Line {n}.") for n in range(230)]
    view = view_verdict(verdict_with(*many), EN)
    assert (len(view.claims), view.claims_left_out) == (200, 30)
    lines = render_verdict(verdict_with(*[Claim("figure", "5", (0, 1), "weak")] * 230), EN, 100)
    assert lines[-1].strip() == "… and 30 more"


def test_it_speaks_the_language_of_the_workspace() -> None:
    """Every sentence around the model's own words is in Spanish."""
    text = "\n".join(render_verdict(rejected(), ES, 100))
    assert "Rechazado; puntuación 0.35, umbral 0.40" in text
    assert "señalado, no es motivo de rechazo" in text
    assert "Recortado antes de juzgar" in text


def test_a_profile_without_a_threshold_says_so() -> None:
    """The score of a short answer rejects nothing."""
    verdict = Verdict("accept", 30, (), (), "Yes.", threshold_hundredths=None)
    assert render_verdict(verdict, EN, 100) == [
        "Accepted; score 0.30, which rejects nothing in this profile"
    ]


def test_lines_fit_and_are_indented() -> None:
    """As part of a longer page."""
    lines = render_verdict(rejected(), EN, 40, indent="    ")
    assert all(line.startswith("    ") and len(line) <= 40 for line in lines)


@pytest.mark.parametrize(
    ("span", "sentence"),
    [
        ((0, 3), "The port is open."),
        ((18, 20), "It had 37 % more boats in 2025."),
        ((50, 69), "Berths cost 41 USD."),
        ((0, 18), "The port is open."),
        ((0, len(TEXT)), " ".join(TEXT.split())),
        ((69, 69), "Berths cost 41 USD."),
    ],
)
def test_a_span_is_widened_to_its_sentence(span: tuple[int, int], sentence: str) -> None:
    """A match in the middle of a sentence is shown with what stands around it."""
    assert sentence_at(TEXT, span) == sentence


def test_a_list_s_mark_is_no_part_of_the_sentence() -> None:
    """The quote is what somebody can search for."""
    assert sentence_at("Boats:\n- Berths cost 41 USD.\n", (10, 14)) == "Berths cost 41 USD."
