"""Where a clause begins, and what a figure is."""

from __future__ import annotations

import pytest

from daemon.quality.clauses import clause_starts, has_figure
from daemon.quality.normalise import read


def test_a_clause_begins_behind_a_comma_and_behind_a_lead_in() -> None:
    """What stands in front of who speaks does not hide it."""
    reading = read("Sorry, but I stop here, and you go on.")
    (sentence,) = reading.sentences
    starts = clause_starts(reading, sentence)
    assert [reading.masked[at:][:6] for at in starts.opening] == ["sorry,", "i stop"]
    assert "you go" in [reading.masked[at:][:6] for at in starts.every]


@pytest.mark.parametrize(
    ("text", "counts"), [("It costs $35.", True), ("An A2A link.", False), ("Of K-12.", False)]
)
def test_digits_of_a_name_are_no_figure(text: str, counts: bool) -> None:
    """Only a number of its own spares a sentence."""
    reading = read(text)
    assert has_figure(reading, reading.sentences[0]) is counts
