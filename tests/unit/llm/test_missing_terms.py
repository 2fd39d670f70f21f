"""What a question asks about and no note has."""

from __future__ import annotations

from daemon.llm.extractive import MOST_MISSING, ExtractiveProvider
from daemon.llm.missing_terms import missing_terms
from daemon.llm.provider import Prompt, SourceText

NOTE = SourceText("a", "a.md", "Harbours", "One crane stands there today.")


def test_words_that_no_note_holds_are_named_in_any_form() -> None:
    """By stem: a plural in the question is found as a singular in the note."""
    assert missing_terms((NOTE,), "Compare cranes, harbour and drones", "en") == ["drones"]


def test_only_names_of_things_are_named() -> None:
    """That a note lacks "plausibly", "single" or "replace" tells nobody anything."""
    question = (
        "Which single range could plausibly replace the sounding buoys, LNG and pre-war piers?"
    )
    assert missing_terms((NOTE,), question, "en") == ["buoys", "LNG", "piers"]
    spanish = "¿Qué rango podría reemplazar rápidamente a las boyas y los drones que vigilan?"
    assert missing_terms((NOTE,), spanish, "es") == ["boyas", "drones"]


def test_a_title_names_a_task_and_no_thing() -> None:
    """Where something ends in a question mark, only that was asked."""
    assert missing_terms((NOTE,), "Runway forecast. Which pilots sail?", "en") == ["pilots"]


def test_at_most_six_are_listed() -> None:
    """A longer list is not read."""
    words = "anchors, beacons, canoes, dinghies, ferries, galleys, hovercraft or kayaks"
    prompt = Prompt("m", "", "", 900, f"Which {words}?", (NOTE,))
    brief = ExtractiveProvider().send(prompt).text
    listed = brief.rstrip().rpartition("Not in the notes: ")[2].removesuffix(".").split(", ")
    assert len(listed) == MOST_MISSING == 6
