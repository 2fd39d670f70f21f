from __future__ import annotations

import pytest

from daemon.quality.citation_numbers import citations
from daemon.quality.normalise import read
from daemon.quality.verdict import Defect

LISTS = (
    "References\n[1] A survey.\n[2] A price list.",
    "## Sources\n\n1. A survey\n2. A price list",
    "Sources: [1] A survey. [2] A price list.",
    "Fuentes consultadas:\n(1) Encuesta\n(2) Lista",
    "Notas\n- [1] Encuesta\n- [2] Lista",
)


def found(text: str) -> list[Defect]:
    return list(citations(read(text), "report"))


@pytest.mark.parametrize("sources", LISTS)
def test_a_number_beyond_the_list_rejects_a_short_text(sources: str) -> None:
    """In whatever shape the list stands; numbers within it are nobody's fault."""
    bracket = "({})" if "(1)" in sources else "[{}]"
    told = f"Milk sells at the gate {bracket.format(1)} and in town {{}}.\n\n{sources}"
    assert [one.rejects for one in found(told.format(bracket.format(4)))] == [True]
    assert found(told.format(bracket.format(2))) == []


@pytest.mark.parametrize("mark", ["[1, 4]", "[1-4]", "[^4]", "(ref. 4)", "town⁴"])
def test_ranges_lists_notes_and_raised_numbers_are_citations(mark: str) -> None:
    """Each of these cites a fourth source where there are two."""
    assert found(f"Milk sells at the gate in town {mark}.\n\nSources\n[1] A\n[2] B")


def test_a_long_text_is_marked_only() -> None:
    """Good reports of a thousand words miscount too."""
    text = "Milk sells at the farm gate in town. " * 60 + "It is so [4].\n\nSources\n[1] A\n[2] B"
    assert [one.rejects for one in found(text)] == [False]


def test_a_text_without_a_list_has_nothing_to_be_beyond() -> None:
    """Its numbers may stand for the notes, which code lists."""
    assert found("Milk sells at the gate [7] and in town [9].") == []
