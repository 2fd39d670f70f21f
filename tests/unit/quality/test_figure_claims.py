from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.quality.figure_claims import MOST_FIGURES
from tests.unit.quality.looking_up import FIRMS, look_up, statuses


def test_a_figure_among_the_same_words_is_supported_with_its_place() -> None:
    """The place is in the note's own text, the passage is its sentence."""
    (claim,) = look_up("Ecuador has 63.000 registered lawyers.")
    assert (claim.status, claim.source) == ("supported", "note-0")
    assert claim.place
    assert FIRMS[slice(*claim.place)] == "63,000"
    assert claim.passage.startswith("Ecuador has 63,000")
    assert len(claim.passage) <= 200


def test_a_figure_that_stands_among_other_words_is_weak() -> None:
    """Membership alone accepts a third of all invented figures."""
    assert statuses("The port of Manta moved 63,000 containers of fish.") == {"63,000": "weak"}


def test_an_invented_figure_is_absent() -> None:
    """It stands nowhere and follows from nothing."""
    assert statuses("Ecuador has 71,400 registered lawyers.") == {"71,400": "absent"}


@pytest.mark.parametrize(
    "text",
    ["Ecuador has 63k registered lawyers.", "There were 250 rulings on water.",
     "The law came into force on 2025-03-03.", "La ley (law) came into force el 3 de marzo de 2025.",
     "In Quito 26 lawyers were asked.", "The licence of the search costs USD 49."],
)  # fmt: skip
def test_another_notation_is_supported(text: str) -> None:
    """Scale, words, date, table row, currency."""
    assert set(statuses(text).values()) == {"supported"}


def test_a_rounded_figure_is_supported_and_says_from_what() -> None:
    """Fewer digits, or a word that says so."""
    (claim,) = look_up("The register answers in about 1,300 seconds on average.")
    assert (claim.status, claim.note) == ("supported", "rounded from 1,278")


def test_another_number_near_it_is_no_rounding() -> None:
    """A figure written to its last digit must be right to it."""
    assert statuses("The register answers in 1,279 seconds on average.") == {"1,279": "absent"}


def test_per_cent_is_not_a_count() -> None:
    """26 lawyers are not 26 %."""
    assert statuses("In Quito 26% of the lawyers asked would pay.")["26%"] != "supported"


def test_another_currency_is_not_the_same_price() -> None:
    """$49 does not support €49."""
    assert statuses("The licence of the search costs €49 a month.") == {"€49": "absent"}


@pytest.mark.parametrize(
    ("text", "figure", "note"),
    [
        ("Of the lawyers asked in Quito 20 of 26 would pay, 77%.", "77%", "20 / 26"),
        ("Revenue of the search rose from $40,000 to $50,000, that is 25%.", "25%",
         "(50,000 - 40,000) / 40,000"),
        ("Revenue of the search grew by $10,000, from $40,000 to $50,000.", "$10,000", "50,000 - 40,000"),
        ("Quito and Cuenca: 26 and 15 lawyers asked, 41 in total.", "41", "15 + 26"),
        ("Clio and LexisNexis hold 27% and 43%, together 70% of the market.", "70%", "27% + 43%"),
    ],
)  # fmt: skip
def test_a_derived_figure_shows_its_arithmetic(text: str, figure: str, note: str) -> None:
    """Share, change, difference, sum."""
    claim = next(one for one in look_up(text) if one.text == figure)
    assert (claim.status, claim.note) == ("derived", note)


def test_a_total_row_is_the_sum_of_its_column() -> None:
    """And what was derived once may be named again."""
    table = "| City | Asked |\n|---|---|\n| Quito | 26 |\n| Cuenca | 15 |\n| Total | 41 |\n"
    found = {(c.text, c.status) for c in look_up(f"{table}\nSo 41 lawyers were asked.")}
    assert ("41", "derived") in found
    assert ("41", "absent") not in found


def test_a_change_against_its_direction_is_not_derived() -> None:
    """From 50,000 to 40,000 is a fall of a fifth, not of a quarter."""
    text = "Revenue of the search fell from $50,000 to $40,000, by {}."
    assert statuses(text.format("20%"))["20%"] == "derived"
    assert statuses(text.format("25%"))["25%"] == "absent"


def test_a_figure_given_to_another_name_is_weak_and_says_whose_it_is() -> None:
    """The table's row, the sentence's other half."""
    (claim,) = look_up("Colombia, not Ecuador, has 63,000 registered lawyers.")
    assert (claim.status, claim.note) == ("weak", "it stands there beside Ecuador, not Colombia")
    assert statuses("Clio holds 43% of the market and LexisNexis 27%.") == {
        "43%": "weak",
        "27%": "weak",
    }
    assert statuses("LexisNexis holds 43% of the market and Clio 27%.") == {
        "43%": "supported",
        "27%": "supported",
    }


def test_an_own_estimate_with_its_arithmetic_is_weak_and_named_so() -> None:
    """Promise: a figure occurs in what was given, or is marked as the text's own."""
    claims = look_up("Own estimate: 312 offices x $57 = $17,784 a month.")
    assert {claim.status for claim in claims} <= {"weak", "derived"}
    assert statuses("Own estimate: the market is worth $17,784,000.") == {"$17,784,000": "absent"}


def test_a_share_in_words_that_is_in_no_note_is_a_way_of_speaking() -> None:
    """Half the battle is no claim; half of the notes' half is."""
    assert statuses("Half the battle is won.") == {}
    assert statuses("50% of the firms asked pay.", "Half of the firms asked pay.") == {
        "50%": "supported"
    }


def test_a_figure_of_the_question_is_given() -> None:
    """The reader asked with it."""
    (claim,) = look_up("It misses the bar of 60%.", question="Do 60% pay?")
    assert (claim.status, claim.note, claim.place) == ("supported", "in the question", None)


def test_code_and_references_are_not_looked_up() -> None:
    """They claim nothing."""
    assert (
        look_up(
            "It works.\n\n```\nrun --port 8843\n```\n\n## Sources\n\n1. Report of 2019, 884 pages\n"
        )
        == []
    )


def test_spans_are_places_of_the_cleaned_text() -> None:
    """Also where normalising changes the length."""
    text = "ﬁrst\u200b: Ecuador has 63,000 registered lawyers."
    (claim,) = look_up(text)
    assert text[slice(*claim.span)] == "63,000"


@pytest.mark.parametrize(
    "bit",
    ["7", "778 ", "1,", "1.000.", "$9", "[7", "20 % ", "twenty ", "| 77 ", "Ab 77 ", "1/2/2020 "],
)
def test_a_text_that_loops_gets_claims(bit: str) -> None:
    """Too long for any number, too many for any report; not more are looked up than a report has."""
    text = bit * (60_000 // len(bit))
    assert len(look_up(text, text[:20_000])) <= MOST_FIGURES


@settings(max_examples=150, deadline=None)
@given(
    st.text(max_size=200) | st.text(alphabet="0123456789.,% $|\n-kmab", max_size=120),
    st.text(max_size=200) | st.text(alphabet="0123456789.,% $|\n-kmab", max_size=120),
)
def test_any_text_and_any_note_get_claims(text: str, note: str) -> None:
    """Never an exception; places lie inside the note; passages are short."""
    for claim in look_up(text, note):
        if claim.place:
            assert 0 <= claim.place[0] < claim.place[1] <= len(note)
        assert len(claim.passage) <= 200


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["mangoes", "harbours", "violins", "notaries", "glaciers"]),
            st.sampled_from(["Loja", "Manta", "Azuay", "Quito"]),
            st.integers(min_value=13, max_value=999_999),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_figures_of_a_text_are_supported_by_itself(facts: list[tuple[str, str, int]]) -> None:
    """Whatever it says, it says."""
    text = "\n".join(f"The province of {place} counted {n:,} {thing}." for thing, place, n in facts)
    assert {claim.status for claim in look_up(text, text)} == {"supported"}


BAKERIES = """# Bakeries of Porto
The city counts 142 bakeries, most of them with fewer than fourteen workers.
Flour cost 16.00 EUR a sack in May. Owners would pay USD 14 a month for the ordering tool.
The rule stands in Decreto 112/2019, and has been in force since 2021.
"""


@pytest.mark.parametrize(
    "text",
    [
        "A bakery loses 2,300 EUR a month to orders that nobody wrote down.",
        "Lost orders cost the 142 bakeries of Porto 2,300 EUR a month each.",
        "A bakery loses 2,272 EUR a month to orders that nobody wrote down.",
    ],
)
def test_a_product_of_what_has_nothing_to_do_with_it_derives_nothing(text: str) -> None:
    """A price of flour times a number of bakeries is near, or equal to, an invented loss by chance."""
    invented = next(one for one in look_up(text, BAKERIES) if one.text.startswith("2,"))
    assert invented.status == "absent"


def test_a_product_comes_out_at_the_last_written_digit_unless_it_is_called_rounded() -> None:
    """16.00 x 142 is 2,272; 2,300 is that only where the text says "about"."""
    text = "Flour at 16.00 EUR for each of the 142 bakeries makes {} EUR."
    assert statuses(text.format("2,272"), BAKERIES)["2,272"] == "derived"
    assert statuses(text.format("2,300"), BAKERIES)["2,300"] == "absent"
    assert statuses(text.format("about 2,300"), BAKERIES)["2,300"] == "derived"


def test_notes_that_are_known_give_the_same_claims_again() -> None:
    """What is kept of a note between two attempts changes nothing, for another text neither."""
    first = "The port of Manta moved 63,000 boxes. Clio holds 27%; half of 250 rulings were on water in 2025."
    other = "Clio holds 27% of the market; the law came into force in March 2025, and 43% is of LexisNexis."
    told = [look_up(text) for text in (first, other)]
    fresh = FIRMS + "\nThe end.\n"
    for text, before in zip((first, other, first), (*told, told[0]), strict=True):
        again = look_up(text)
        assert again == before
        assert [(one.text, one.status, one.place, one.note) for one in look_up(text, fresh)] == [
            (one.text, one.status, one.place, one.note) for one in before
        ]
    assert "weak" in {one.status for one in told[0]}
