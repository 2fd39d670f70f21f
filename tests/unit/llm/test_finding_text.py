"""A finding that is read again is its statements, and not how it was made."""

from __future__ import annotations

from dataclasses import replace

from daemon.config.phrases import Phrases
from daemon.llm.extractive import ExtractiveProvider
from daemon.llm.finding_text import is_finding, stated_part
from daemon.llm.frames import FRAMES
from daemon.llm.provider import Prompt, SourceText
from tests.briefs import quoted_sentences

PORT = SourceText(
    "port.ships",
    "memory/port/ships.md",
    "Ships in the port",
    "# Ships\n\nThe port handled 412 ships in 2025. Nine of every ten ships carried fruit.\n\n"
    "Not known: how many ships the port turned away.\n",
)
FEES = SourceText(
    "port.fees", "memory/port/fees.md", "Fees", "# Fees\n\nA ship pays USD 90 a night in port.\n"
)
QUESTION = "How many ships did the port handle, and which tugs towed these ships?"


def written(language: str = "en") -> str:
    """A finding's file as the daemon writes it, without its front matter."""
    prompt = Prompt("extractive-1", "", "", 2000, QUESTION, (PORT, FEES), language=language)
    annex = Phrases("es" if language == "es" else "en").text("finding.sources_heading")
    brief = ExtractiveProvider().send(prompt).text
    return f"# Ships\n\n{brief}\n## {annex}\n\n- `port.ships`: Ships in the port handled\n"


def finding(text: str) -> SourceText:
    return SourceText("finding-p1-1", "memory/findings/KC1/P1-1.md", "Ships", text, untrusted=True)


def test_nothing_of_sprintd_s_own_is_left_in_a_finding() -> None:
    """Neither the opening line nor headings, what is missing, or the list of sources."""
    for language in ("en", "es"):
        text = stated_part(written(language))
        frame = FRAMES[language]
        own = (*frame.headings(), *frame.lines(), "Not in the notes", "No está en las notas")
        assert "412 ships" in text
        assert not [words for words in (*own, "handled\n", "Not known") if words in text]


def test_a_model_s_list_of_open_questions_is_no_evidence() -> None:
    """What comes after it on the same level is read again."""
    text = stated_part(
        "# T\n\nTen ships.\n\n## Not verified\n\nOdd?\n\n### Odd\n\nOdd.\n\n## More\n\nTwo."
    )
    assert "Odd" not in text
    assert "Ten ships." in text
    assert text.endswith("## More\n\nTwo.")


def test_a_note_is_no_finding_whatever_it_says() -> None:
    """The folder decides, since anybody can write a heading."""
    assert is_finding(finding("x"))
    assert not is_finding(replace(finding("x"), path="memory/port/findings.md"))


def test_a_fact_keeps_its_origin_through_a_finding() -> None:
    """The note that a finding quotes is named beside the finding, once, however often it is passed on."""
    brief = (
        ExtractiveProvider()
        .send(Prompt("m", "", "", 2000, "How many ships are in port?", (finding(written()),)))
        .text
    )
    line = "The port handled 412 ships in 2025. [port.ships]"
    assert f"- {line} [finding-p1-1]" in brief
    assert line in quoted_sentences(brief)
    again = replace(finding(f"# Ships\n\n{brief}"), id="finding-p2-2")
    passed_on = (
        ExtractiveProvider()
        .send(Prompt("m", "", "", 2000, "How many ships are in port?", (again,)))
        .text
    )
    assert f"- {line} [finding-p2-2]" in passed_on


def test_what_a_loaded_note_says_itself_is_quoted_from_the_note() -> None:
    """Not from the finding that repeats it, and not twice."""
    sources = (finding(written()), PORT)
    brief = ExtractiveProvider().send(Prompt("m", "", "", 2000, QUESTION, sources)).text
    assert brief.count("The port handled 412 ships in 2025.") == 1
    assert "- The port handled 412 ships in 2025. [port.ships]\n" in brief
    assert "- A ship pays USD 90 a night in port. [port.fees] [finding-p1-1]" in brief


def test_what_a_finding_concludes_from_a_loaded_note_is_kept() -> None:
    """Its words are its own; the note that it names stays beside them."""
    own = "So more than one ship a day called at the port [port.ships]."
    brief = (
        ExtractiveProvider()
        .send(Prompt("m", "", "", 2000, QUESTION, (PORT, finding(f"# Ships\n\n{own}\n"))))
        .text
    )
    assert f"- {own} [finding-p1-1]" in brief


def test_of_a_merged_document_its_frame_is_no_evidence_and_nor_is_what_was_replaced() -> None:
    """What findings say they do not know, what is unverified or superseded, and the opening line."""
    text = (
        f"# Market\n\n{Phrases('en').text('merged.intro')}\n\n## What is known\n\n### Ships › Fees\n\n"
        "- A ship pays USD 90.\n  Source: `memory/findings/KC1/P1-1.md` (2026-11-30)\n\n"
        "### Ships › What the notes do not say\n\n- Not in the notes: tugs.\n\n"
        "## Unverified, do not cite\n\n### Ships\n\n- Perhaps 7.\n\n## Superseded\n\n### Ships\n\n- It paid 80.\n"
    )
    left = stated_part(text)
    assert "A ship pays USD 90." in left
    assert not [word for word in ("Merged by", "tugs", "Perhaps", "80") if word in left]
    assert is_finding(replace(PORT, path="memory/consolidated/market.md"))
    assert is_finding(replace(PORT, path="memory/archive/2026-W49/findings/KC1/P1-1.md"))


def test_a_heading_that_a_person_typed_below_superseded_makes_nothing_hold_again() -> None:
    """The mark in a source counts, wherever its statement stands; a person's own words there are read."""
    source = "Source: `memory/findings/KC1/P1-%d.md` (2026-11-0%d%s; internal)"
    old = (
        source % (1, 1, "; superseded 2026-11-20"),
        source % (2, 2, "; superseded 2026-11-20; outside"),
    )
    text = (
        f"# Market\n\n## What is known\n\n### Fees\n\n- A tug pays 40.\n  {source % (3, 3, '')}\n\n"
        f"## Unverified, do not cite\n\n## Superseded\n\n- A ship paid 70.\n  {old[0]}\n\n"
        f"## My remarks\n\nThe port closes in May.\n\n### Fees\n\n- A ship paid 80.\n\n  In summer.\n"
        f"  {old[0]}\n  {old[1]}\n- A crane paid 90.\n  {old[1]}\n\nA barge paid 60.\n{old[0]}\n"
        f"- A pilot asks 30.\n  {source % (4, 4, '')}\n"
        f"- Perhaps 7.\n  {source % (5, 5, '; unverified')}\n"
    )
    left = stated_part(text)
    for word in ("A tug pays 40.", "The port closes in May.", "A pilot asks 30.", "## My remarks"):
        assert word in left
    assert not [word for word in ("70", "80", "summer", "90", "60", "Perhaps") if word in left]
    assert left.count("Source:") == 2
