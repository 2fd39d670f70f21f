"""Ranking by words."""

from __future__ import annotations

import pytest

from daemon.store.search import content_terms, rank, stems


def test_the_text_with_the_rarer_words_of_the_query_ranks_first() -> None:
    """BM25: a rare word counts more than a common one."""
    texts = ["Lawyers pay.", "Lawyers pay for cocoa.", "Roses grow.", "Bees fly.", "Lawyers sue."]
    texts += [f"Filler number {number}." for number in range(5)]
    scores = rank(texts, "Which lawyers deal in cocoa?", "en")
    assert max(scores) == scores[1]


def test_no_word_in_common_is_zero() -> None:
    """0 means no match, and words without content match nothing."""
    assert rank(["What is the price?", "Nothing here."], "what is the tariff", "en") == [0.0, 0.0]


@pytest.mark.parametrize(
    ("text", "query", "language"),
    [
        ("The firms were exporting.", "export firm", "en"),
        ("La inversión creció.", "inversion", "es"),
        ("Las exportaciones de cacao", "¿Cuánta exportación?", "es"),
        ("inversio\u0301n", "inversión", "es"),
    ],
)
def test_stems_and_accents_do_not_matter(text: str, query: str, language: str) -> None:
    """Inflected, accented, unaccented and decomposed forms meet."""
    assert rank([text, "otra cosa", "another thing"], query, language)[0] > 0


def test_a_match_is_above_zero_even_where_every_text_has_the_word() -> None:
    """FTS5 gives a word that most texts hold next to nothing, but it is a match."""
    assert all(score > 0 for score in rank(["price one", "price two"], "price", "en"))


@pytest.mark.parametrize(
    "query",
    ["", "???", '"x" OR NEAR( * y', "a AND NOT b)", "col:x ^ {", "\x00", "_ __", "🙂", "\ud800"],
)
def test_no_query_breaks_the_index(query: str) -> None:
    """The query is data, never an expression of the index's language."""
    scores = rank(["x and y", "ordinary text", "\ud800 \x00 _ half"], query, "en")
    assert len(scores) == 3
    assert min(scores) >= 0


def test_a_long_query_and_long_words_are_bounded() -> None:
    """Five thousand terms do not reach SQLite's limit of depth."""
    query = " ".join(f"word{number}" for number in range(5000)) + " " + "x" * 100_000
    assert rank(["word7 is here", "y" * 100_000], query, "en")[0] > 0


def test_empty_and_other_languages() -> None:
    """No texts, no scores; an unknown language is compared word by word."""
    assert rank([], "price", "en") == []
    assert rank(["preis", "preise"], "Preis", "de") == [pytest.approx(1.0, abs=1.0), 0.0]
    assert stems("Running Firms", "en") == ["run", "firm"]


def test_content_terms_keep_the_words_as_written() -> None:
    """So that a person can be told which word was not found."""
    assert content_terms("How many Lawyers does a lawyer know?", "en") == {
        "lawyer": "Lawyers",
        "know": "know",
    }
    assert content_terms("¿Cómo están?", "es") == {"com": "Cómo", "estan": "están"}
