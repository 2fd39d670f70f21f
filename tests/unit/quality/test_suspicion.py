from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.quality.claims import SourceNote
from daemon.quality.suspicion import suspicion
from tests.unit.quality.looking_up import FIRMS

NOTES = [SourceNote("firms", FIRMS)]


def test_sentences_of_the_notes_are_not_suspicious() -> None:
    """Every word is backed."""
    assert suspicion("Ecuador has 63,000 registered lawyers and Colombia 340,000.", NOTES) == 0


def test_a_sentence_that_nothing_backs_is_more_suspicious_than_a_paraphrase() -> None:
    """The order is what the score is for."""
    paraphrase = "In Ecuador 63,000 lawyers are registered; in Colombia there are 340,000."
    invented = "Venture investors from Berlin poured 880 million into fisheries last winter."
    assert suspicion(paraphrase, NOTES) < 0.5 < suspicion(invented, NOTES)


def test_a_sentence_about_the_notes_themselves_is_left_out() -> None:
    """To say what they do not say is no invention."""
    assert (
        suspicion("The provided notes do not mention fisheries, harbours or investors.", NOTES) == 0
    )


def test_without_sources_nothing_is_suspicious() -> None:
    """There is nothing to compare with."""
    assert suspicion("Anything at all, 880 times.", []) == 0


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text_gets_a_score_between_nought_and_one(text: str, note: str) -> None:
    """Never an exception, the same each time."""
    score = suspicion(text, [SourceNote("n", note)])
    assert 0 <= score <= 1
    assert score == suspicion(text, [SourceNote("n", note)])
