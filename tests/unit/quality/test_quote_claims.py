from __future__ import annotations

import pytest

from daemon.quality.quote_claims import in_order
from tests.unit.quality.references import look_up, only, status_of

NOTE = (
    "Interview with Elena Paz, Cuenca. She said: “We pay for the gazette because nobody else has it"
    " before noon, and our clients notice when we are late.” Asked about price she shrugged.\n"
    "El gerente explicó: «No compramos otra herramienta mientras la búsqueda\nsiga fallando en las"
    " sentencias antiguas». The firm has **nine lawyers** and [two assistants](https://a.org/x) only."
)


@pytest.mark.parametrize(
    "written",
    [
        '"We pay for the gazette because nobody else has it before noon"',
        "“we pay for the gazette, because nobody else has it before noon.”",
        "«No compramos otra herramienta mientras la busqueda siga fallando»",
        "'our clients notice when we are late'",
        "> We pay for the gazette because nobody else has it\n> before noon",
        '"We pay for the gazette ... and our clients notice when we are late"',
        '"We pay for the gazette because [no one] else has it before noon […] our clients notice"',
        '"[W]e pay for the gazette because nobody else has it"',
        '"The firm has nine lawyers and two assistants only"',
    ],
)
def test_words_that_stand_in_a_note_are_supported(written: str) -> None:
    """Case, accents, quotes, blanks, emphasis, link targets, ellipses and brackets do not matter."""
    claim = only(f"As they put it:\n{written}\n\nThat settles it.", NOTE)
    assert (claim.kind, claim.status, claim.source) == ("quote", "supported", "law.n0")
    assert claim.place is not None
    assert claim.passage


@pytest.mark.parametrize(
    "written",
    [
        '"The gazette is the only thing that we will never stop paying for"',
        "«nunca pagaremos por una herramienta que no sea del Estado»",
        "> They told us twice that the price does not matter at all.\n> — Elena Paz",
        '"We pay for the gazette ... because the court obliges every firm to do so"',
        '"our clients notice when we are late ... We pay for the gazette"',
    ],
)
def test_words_that_stand_in_no_note_are_absent(written: str) -> None:
    """Also where one half is true, or the halves stand the other way round."""
    assert status_of(f"She was clear:\n{written}\n\nThat settles it.", NOTE) == "absent"


def test_one_changed_word_in_ten_is_weak_and_shows_the_passage() -> None:
    """Nearly right is for a person to look at."""
    text = 'She said "we pay for the gazette because nobody else ever has it before midday".'
    assert status_of(text, NOTE) == "absent"
    text = 'She said "We pay for the gazette because nobody else has it before midnight, and our clients".'
    claim = only(text, NOTE)
    assert claim.status == "weak"
    assert "We pay for the gazette" in claim.passage


@pytest.mark.parametrize(
    "text",
    [
        'They call it a "search of rulings" and a "bot".',
        'The paper "How Small Firms Search Case Law in Ecuador" came out.',
        'A book titled "what every young lawyer should know" helps.',
        '# "We never pay for anything at all"\n\nNothing follows.',
        '```\nsay "we never pay for anything at all"\n```',
        "The firms' results and the clients' views of it all don't differ.",
        'A 5" screen, a 7" screen and nothing else in the whole of the room.',
    ],
)
def test_titles_terms_and_apostrophes_are_no_quotations(text: str) -> None:
    """Fewer than five words, the name of a work, a heading, code, inches."""
    assert look_up(text, NOTE) == []


@pytest.mark.parametrize(
    "text",
    [
        'We asked: "How much would you pay for a search?"',
        'Ads such as "find your ruling in a minute or pay nothing" would work.',
        "Results follow.\n\n> The price is too high for small firms of two people.\n",
    ],
)
def test_words_in_marks_that_need_be_nobodys_are_weak_at_worst(text: str) -> None:
    """A question, an example, the author's own boxed sentence."""
    assert status_of(text, NOTE) == "weak"


def test_a_quotation_of_the_question_is_no_claim() -> None:
    """The scope line of a report repeats what was asked."""
    text = 'The question was "which firms pay for the gazette before noon".'
    assert look_up(text, NOTE, question="Which firms pay for the gazette before noon?") == []


@pytest.mark.parametrize("profile", ["plan", "template", "code"])
def test_drafts_quote_what_does_not_exist_yet(profile: str) -> None:
    """A contract template holds clauses that nobody wrote before."""
    text = 'Clause 1 reads "the parties agree to keep every document secret".'
    assert look_up(text, NOTE, profile=profile) == []  # type: ignore[arg-type]


def test_words_in_order_are_counted_over_gaps_and_repeats() -> None:
    """The longest common subsequence of a classic pair has four words."""
    assert in_order(tuple("abcbdab"), tuple("bdcaba")) == 4
    assert in_order(tuple("aaa"), tuple("aa")) == 2
    assert in_order((), tuple("ab")) == 0
