"""A count times a rate of the notes, and an amount by a small count of them."""

from __future__ import annotations

from tests.unit.quality.looking_up import look_up

GROVE = "The grower in Palora has four hectares of pitahaya. He harvests 9 tonnes per hectare."
LINES = (
    "Line A filled 1,600 bottles an hour and line B 1,275 bottles an hour. Line A employs nine"
    " persons a shift and line B five."
)


def test_a_rate_times_a_count_in_words_is_derived() -> None:
    """Four hectares at nine tonnes per hectare are 36 tonnes: the units meet."""
    (claim,) = look_up("He obtains 36 tonnes from his four hectares.", GROVE)
    assert (claim.status, claim.note) == ("derived", "four x 9 tonnes per hectare")


def test_a_product_whose_units_do_not_meet_is_not_derived() -> None:
    """Four lorries are no hectares, and 36 crates no tonnes."""
    (lorries,) = look_up("He obtains 36 tonnes with his four lorries.", GROVE)
    (crates,) = look_up("He obtains 36 crates from his four hectares.", GROVE)
    assert {lorries.status, crates.status} == {"absent"}


def test_an_amount_by_a_small_count_is_derived_where_the_sentence_says_per() -> None:
    """1,275 bottles by five persons are 255 a person."""
    text = "Line A fills 1,600 bottles an hour, line B 1,275.\n\nThat is 255 bottles per person on line B."
    claims = {claim.text: claim for claim in look_up(text, LINES)}
    assert (claims["255"].status, claims["255"].note) == ("derived", "1,275 / five")


def test_a_quotient_that_is_off_by_one_is_absent() -> None:
    """1,275 by five are not 254."""
    text = "Line A fills 1,600 bottles an hour, line B 1,275.\n\nThat is 254 bottles per person on line B."
    claims = {claim.text: claim for claim in look_up(text, LINES)}
    assert claims["254"].status == "absent"
