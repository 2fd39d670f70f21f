from __future__ import annotations

from daemon.quality.limits_told import limits_told

FOUND = "Growers prefer the short contract: it frees them after the harvest, and the buyer pays in cash.\n\n"


def test_limits_behind_a_finding_are_a_part_of_their_own() -> None:
    """As a heading and as a label, in both languages."""
    for told in (
        "## Limitations\n\nWe could not reach two farms.",
        "Not verified: the price after June.",
        "**Limitaciones**\nNo se llegó a dos fincas.",
        "No verificado: el precio después de junio.",
    ):
        assert limits_told(FOUND + told) == [(len(FOUND), len(FOUND + told))]


def test_a_label_ends_with_its_paragraph() -> None:
    """What stands behind it is judged again."""
    label = "Not verified: the price after June."
    assert limits_told(f"{FOUND}{label}\n\nThe pump is sold in Machala.") == [
        (len(FOUND), len(FOUND) + len(label))
    ]


def test_limits_without_a_finding_are_the_whole_output() -> None:
    """Nothing in front, too little, a report that speaks of itself, or limits that are most of the text."""
    assert limits_told("Limitations: I could not open the file.") == []
    assert limits_told("Dairies matter.\n\nLimitations: I could not open the file.") == []
    itself = "This report aims to study the dairies of the province and their needs in depth and detail.\n\n"
    assert limits_told(itself + "Limitations: I could not open the file.") == []
    assert limits_told(FOUND + "Limitations: " + "I could not open the file. " * 12) == []
