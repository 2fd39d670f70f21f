"""The words beside a figure, against those that another figure has in the notes."""

from __future__ import annotations

from tests.unit.quality.looking_up import look_up, statuses

CASTING = "The studio tested over 9,400 candidates for 27 speaking roles in the spring."
SURVEY = "Of the farms, 63% lacked running water and 49% worried about prices in the dry season."


def test_one_of_two_exchanged_figures_is_doubted() -> None:
    """Both numbers stand in the note's sentence, each between the words of the other."""
    told = statuses("The studio tested over 27 candidates for 9,400 speaking roles.", CASTING)
    assert told["9,400"] == "weak"


def test_exchanged_shares_are_doubted_and_the_words_of_the_note_are_named() -> None:
    """The remark says beside which words the figure stands in the note."""
    claims = look_up("Some 49% lacked running water and 63% worried about prices.", SURVEY)
    assert [claim.status for claim in claims] == ["weak", "weak"]
    assert "worried about" in claims[0].note


def test_another_order_of_the_sentence_is_no_exchange() -> None:
    """Each figure keeps its own words, wherever the sentence puts it."""
    told = statuses("While 49% worried about prices, 63% lacked running water.", SURVEY)
    assert told == {"49%": "supported", "63%": "supported"}


def test_words_that_serve_both_figures_tell_nothing() -> None:
    """Both prices are per square metre, and "tiling costs" is said once for both."""
    note = "Tiling costs 140 dollars per square metre in Loja and 185 dollars per square metre in Zamora."
    told = statuses("In Zamora tiling costs 185 dollars per square metre.", note)
    assert told == {"185": "supported"}


def test_rows_and_years_are_left_alone() -> None:
    """A table names its figures by column; years are told of in any order."""
    note = "| Bakery | Loaves sold | Loaves lost |\n|---|---|---|\n| Centro | 1,430 | 61 |"
    table = "| Bakery | Loaves lost | Loaves sold |\n|---|---|---|\n| Centro | 61 | 1,430 |"
    assert set(statuses(table, note).values()) == {"supported"}
    years = "Sales of the bakery rose in 2021 and fell in 2023."
    assert statuses("Sales of the bakery fell in 2023.", years) == {"2023": "supported"}


def test_a_common_word_with_a_capital_owns_no_figure() -> None:
    """ "This" and "Highest" begin sentences; they are nobody's name."""
    note = (
        "And peeling takes 15 minutes a sack. The highest yield came from Chola potatoes: 88 sacks."
    )
    told = statuses("This way of peeling takes 15 minutes a sack.", note)
    assert told == {"15": "supported"}
