"""Text fit for a terminal: harmless, aligned, and never too wide."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.reports.plain_text import columns, hang, one_line, printable, render_table, wrap

HOSTILE = "a\x1b]0;t\x07b\r\n\tc\x00\x9b\u202ed\u2028e\u200bf"


def test_one_line_is_one_line_without_controls() -> None:
    """Line ends of all kinds become blanks; escapes, C1 controls and direction marks are named."""
    assert one_line(HOSTILE) == ("a[U+001B]]0;t[U+0007]b c[U+0000][U+009B][U+202E]d e[U+200B]f")


def test_one_line_cuts_with_a_mark() -> None:
    """At the limit nothing is cut; beyond it the mark counts too."""
    assert one_line("x" * 200) == "x" * 200
    assert one_line("x" * 201) == "x" * 199 + "…"
    assert one_line("word " * 20_000, 50) == "word word word word word word word word word word…"


def test_printable_keeps_lines() -> None:
    """What could move a cursor is named."""
    assert printable("one\n\ttwo\x1b[1m\nthree") == "one\n    two[U+001B][1m\nthree"


def test_wrapped_text_keeps_every_word() -> None:
    """A word that is longer than a line is cut into pieces, not lost."""
    words = "short " + "y" * 50 + " end"
    lines = wrap(words, 20, indent="  ")
    assert max(map(len, lines)) <= 20
    assert "".join("".join(lines).split()) == "".join(words.split())
    assert wrap("", 20) == []


def test_a_line_hangs_below_its_own_words() -> None:
    """Behind its point or its blanks; every line keeps within the width, and nothing is nothing."""
    assert hang("one two three", 8) == ["one two", "three"]
    assert hang("- one two three", 9) == ["- one two", "  three"]
    assert hang("  - one two three", 11) == ["  - one two", "    three"]
    assert hang("  one two", 5) == ["  one", "  two"]
    assert hang("  - ", 9) == hang("", 9) == []


def test_a_table_is_aligned_and_its_last_column_wraps() -> None:
    """Numbers to the right, what does not fit below its own column."""
    table = render_table(
        ("id", "n", "why"),
        [("A", "1", "a reason that is long"), ("BB", "1,000", "short")],
        width=22,
        right=(1,),
    )
    assert table.splitlines() == [
        "id      n  why",
        "A       1  a reason",
        "           that is",
        "           long",
        "BB  1,000  short",
    ]


def test_wide_letters_count_as_two_columns() -> None:
    """Alignment holds for names in other scripts and for combining accents."""
    assert (columns("灯台"), columns("e\u0301"), columns("abc")) == (4, 1, 3)
    rows = render_table(("a", "b"), [("灯台", "x"), ("abcd", "y")]).splitlines()
    assert rows[1] == "灯台  x"
    assert rows[2] == "abcd  y"


@pytest.mark.parametrize("width", [80, 100])
@given(st.lists(st.tuples(st.text(), st.text(), st.text()), max_size=4))
def test_no_text_makes_a_table_too_wide(width: int, rows: list[tuple[str, str, str]]) -> None:
    """Whatever stands in a cell, no line is wider than asked for and none has a control."""
    for line in render_table(("a", "b", "c"), rows, width=width, right=(1,)).splitlines():
        assert columns(line) <= width
        assert not [c for c in line if unicodedata.category(c) in {"Cc", "Cf", "Zl", "Zp"}]


def test_a_very_long_cell_takes_no_long_time() -> None:
    """A hundred thousand characters are cut before they are measured."""
    table = render_table(("a", "b"), [("x" * 100_000, "y" * 100_000)])
    assert max(map(len, table.splitlines())) <= 100
    assert len(table) < 5_000
