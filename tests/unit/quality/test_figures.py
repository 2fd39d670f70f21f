from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.quality.figures import Figure, find_figures
from daemon.quality.normalise import clean, read


def figures(text: str) -> list[Figure]:
    reading = read(clean(text))
    return find_figures(reading.raw, reading.open)


def values(text: str) -> list[float]:
    return [figure.readings[0][0] for figure in figures(text)]


@pytest.mark.parametrize(
    "text",
    ["1,200 firms", "1200 firms", "1.2k firms", "1 200 firms", "1\u00a0200 firms", "1.200 empresas",
     "1,2 mil empresas", "mil doscientas empresas", "one thousand two hundred firms", "$1,200"],
)  # fmt: skip
def test_notations_of_one_number_are_one_number(text: str) -> None:
    """Grouping, decimal marks, scales and words in English and Spanish."""
    assert values(text)[0] == 1200


@pytest.mark.parametrize("text", ["20 %", "20%", "20 percent", "20 per cent", "20 por ciento"])
def test_notations_of_a_percentage(text: str) -> None:
    """The mark and its words."""
    (found,) = figures(f"It is {text} of all")
    assert (found.kind, found.readings[0][0]) == ("percent", 20)


@pytest.mark.parametrize(
    ("text", "value"),
    [("half of them", 50), ("la mitad", 50), ("two thirds", 200 / 3), ("dos tercios", 200 / 3),
     ("two in five patients", 40), ("tres de cada cuatro", 75)],
)  # fmt: skip
def test_shares_in_words(text: str, value: float) -> None:
    """They are percentages, and marked as perhaps only a way of speaking."""
    (found,) = figures(text)
    assert found.kind == "percent"
    assert found.fraction
    assert found.readings[0][0] == pytest.approx(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [("two hundred and fifty", 250), ("doscientos cincuenta", 250), ("twenty-seven", 27),
     ("treinta y cinco mil", 35_000), ("two million three hundred thousand", 2_300_000),
     ("three dozen", 36), ("a hundred", 100)],
)  # fmt: skip
def test_numbers_in_words(text: str, value: float) -> None:
    """English and Spanish."""
    assert values(f"We asked {text} people") == [value]


@pytest.mark.parametrize(
    "text",
    ["3 March 2025", "March 3, 2025", "2025-03-03", "3 de marzo de 2025", "el 3 de marzo del 2025"],
)
def test_a_date_in_any_notation_is_the_same_date(text: str) -> None:
    """Its parts are compared, and its numbers are no figures of their own."""
    (found,) = figures(f"It came on {text}.")
    assert [(d.year, d.month, d.day) for d in found.dates] == [(2025, 3, 3)]


@pytest.mark.parametrize("text", ["the seventies; setenta y ochenta", "by MIL-STD", "thousands"])
def test_words_that_only_look_like_one_number_are_left_out(text: str) -> None:
    """Two numbers in a row, a name, a plural."""
    assert figures(text) == []


def test_a_date_in_slashes_may_be_read_both_ways() -> None:
    """Day and month are not told apart, so either will do."""
    (found,) = figures("on 03/04/2025")
    assert {(d.month, d.day) for d in found.dates} == {(4, 3), (3, 4)}


def test_a_decimal_comma_and_a_decimal_point_are_the_same() -> None:
    """Also with thousands."""
    assert values("1.234,56 y 1,234.56; 12,5 and 12.5") == [1234.56, 1234.56, 12.5, 12.5]


def test_three_digits_behind_a_point_may_be_thousands_or_decimals() -> None:
    """Both readings are kept, for nobody can tell."""
    assert [value for value, _ in figures("63.125 casos")[0].readings] == [63125.0, 63.125]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("10-12 %", [10, 12]), ("$20–30 million", [20e6, 30e6]), ("between 20 and 30 %", [20, 30])],
)
def test_both_ends_of_a_range_have_its_unit(text: str, wanted: list[float]) -> None:
    """The unit is written once."""
    assert values(text) == wanted


@pytest.mark.parametrize(
    "text",
    ["three of 12 firms", "See [memory-unit.id-2] and [13] and [14, 15]", "1. First\n14. Second",
     "## 4.2 Costs", "Article 214, table 17, page 99", "https://a.example/2024/778", "GPT-45 and COVID-19",
     "version 2.14.1", "Ruling 0381-2019", "| 14 | Quito |", "H100 and B2B"],
)  # fmt: skip
def test_numbers_that_claim_nothing_are_left_out(text: str) -> None:
    """Small integers, marks, numbering, names of parts, links, names and versions."""
    assert figures(text) == []


@pytest.mark.parametrize(
    ("text", "unit"),
    [("$49", "$"), ("US$ 49", "$"), ("49 dólares", "$"), ("USD 49", "$"), ("€49", "€")],
)
def test_money_knows_its_currency(text: str, unit: str) -> None:
    """Before or behind the amount."""
    (found,) = figures(f"It costs {text} a month")
    assert (found.kind, found.unit) == ("money", unit)


def test_what_is_hidden_is_not_looked_at() -> None:
    """Code and the list of references."""
    assert find_figures("run 778 now", "run 778 now", [(0, 8)]) == []


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200) | st.text(alphabet="0123456789.,% $€-–()[]|\nkmbMañh:/", max_size=80))
def test_any_text_has_figures_in_order_and_apart(text: str) -> None:
    """Never an exception; places lie inside and do not overlap."""
    behind = 0
    for figure in figures(text):
        assert behind <= figure.start < figure.end
        behind = figure.end


@settings(max_examples=150, deadline=None)
@given(st.integers(min_value=13, max_value=9_999_999))
def test_every_grouping_of_an_integer_is_that_integer(number: int) -> None:
    """Comma, point, thin space and none."""
    written = f"{number:,}"
    for mark in (",", ".", "\u202f", ""):
        found = figures(f"We counted {written.replace(',', mark)} cases")
        assert number in [value for value, _ in found[0].readings]
