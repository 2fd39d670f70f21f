"""Splitting loses nothing, keeps every limit, and cuts no character."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from daemon.notify.text_parts import cut_text, split_text, utf16_units


def units(text: str) -> int:
    return sum(map(utf16_units, text))


@given(st.text(st.characters(exclude_categories=["Cs"])), st.integers(2, 50))
def test_joined_the_parts_are_the_text_and_each_is_within_the_limit(text: str, limit: int) -> None:
    """Whatever the text, in UTF-16 units as JavaScript counts."""
    parts = split_text(text, limit)
    assert "".join(parts) == text
    assert all(0 < units(part) <= limit for part in parts)


def test_a_part_ends_at_a_line_end_or_else_at_a_blank() -> None:
    """Where there is one near its end."""
    assert split_text("first line\nsecond line", 14) == ["first line\n", "second line"]
    assert split_text("some words that go on", 14) == ["some words ", "that go on"]
    assert split_text("x" * 7, 3) == ["xxx", "xxx", "x"]


def test_no_character_is_cut_as_people_see_it() -> None:
    """Letters keep their accents; families, flags, skins and variants stay whole."""
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    for whole in (
        "e\u0301",
        family,
        "\U0001f1ea\U0001f1e8",
        "\U0001f44d\U0001f3fd",
        "\u2764\ufe0f",
    ):
        text = "x" + whole + "y"
        for limit in range(units(whole) + 1, units(text)):
            parts = split_text(text, limit)
            assert "".join(parts) == text
            assert any(whole in part for part in parts), (whole, limit, parts)


def test_cutting_gives_the_first_part() -> None:
    assert cut_text("", 5) == ""
    assert cut_text("one two", 5) == "one "
    assert cut_text("short", 5) == "short"
