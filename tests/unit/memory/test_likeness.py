"""What says the same, and what says the same of another figure."""

from __future__ import annotations

import pytest

from daemon.memory.likeness import key_of, shape_of


@pytest.mark.parametrize(
    ("one", "other"),
    [("The price is 1,697 dollars.", "the **price** is  1697 dollars"), ("A\n  b", "a b"),
     ("Año 2021; fin.", "año 2021; fin")],
)  # fmt: skip
def test_the_same_said_twice_is_the_same(one: str, other: str) -> None:
    """Case, spaces, emphasis, the last full stop, commas between thousands."""
    assert key_of(one) == key_of(other)


def test_marks_between_thousands_may_differ_only_where_they_can_be_nothing_else() -> None:
    """Several groups, or one before the other mark, in any language; one comma in an English sentence."""
    same = [("Pagó 1.500.000 dólares", "pagó 1500000 dólares"), ("Pagó 1,500,000", "pagó 1.500.000"),
            ("Pagó 1.500,75", "pagó 1500,75"), ("Pagó 1,500.75", "pagó 1500.75"),
            ("There are 12,345 of them in the city", "there are 12345 of them in the city")]  # fmt: skip
    for one, other in same:
        assert key_of(one) == key_of(other), one
    forms = ("1,500", "1500", "1.500", "1 500", "1.5", "1,5", "1,500.0", "1.500,0")
    for frame in (
        "La tasa del mes en la ciudad fue de {}",
        "Wert {}",
        "{}",
        "La cifra es {}, no más",
    ):
        keys = {key_of(frame.format(form)) for form in forms}
        assert len(keys) == len(forms), keys
    spaces = {key_of(f"La cifra es 1{space}500") for space in (" ", "\u00a0", "\u202f", "\u2009")}
    assert spaces == {"la cifra es 1 500"}
    for text in (
        "0,500 of it is in the city",
        "The v1.2.345.678 is in the city",
        "The 12,345,6 is in the list",
    ):
        assert key_of(text) == text.casefold()


@pytest.mark.parametrize(
    ("one", "other"),
    [("It costs 1.697 dollars", "It costs 1,697 dollars"), ("It rose", "It did not rise"),
     ("It costs 5 [a.b]", "It costs 5 [c.d]"), ("MARKER-1", "MARKER-11"), ("a_b", "ab")],
)  # fmt: skip
def test_whatever_could_differ_is_not_the_same(one: str, other: str) -> None:
    """A point is no comma, and a source that is named counts."""
    assert key_of(one) != key_of(other)


def test_subject_is_all_but_the_figures_and_years_belong_to_it() -> None:
    """Another currency or another year is another subject."""
    first = shape_of("In 2024 the plan cost USD 20 a month. [a.b]")
    assert first is not None
    assert first.figures == ("20",)
    assert first == shape_of("In 2024 the plan cost USD 20 a month. [c.d]")
    for other in ("In 2025 the plan cost USD 20 a month", "In 2024 the plan cost EUR 20 a month",
                  "In 2024 the plan did not cost USD 20 a month"):  # fmt: skip
        found = shape_of(other)
        assert found is not None
        assert found.subject != first.subject


@pytest.mark.parametrize("text", ["No figure at all here", "About 20", "In 2024 it was founded"])
def test_without_a_figure_of_something_there_is_no_subject(text: str) -> None:
    """Nothing can contradict it."""
    assert shape_of(text) is None
