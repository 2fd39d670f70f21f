"""The scanner finds the line of every key that tomllib reads."""

from __future__ import annotations

import tomllib
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.config.toml_lines import key_lines, line_of

TEXT = '''\
# comment with [section] and a = 1
top = 1
"quoted key" = 2
dotted . "inner.key" = 3

[section]
text = """
fake = 1
[fake]
\\""" still inside """ # comment
literal = \'\'\'
also = "fake
\'\'\'
list = [
  1, # = [
  "]", [2,
  3],
]
inline = { a = 1, b = "}" }
after = 'x # y'

[ section . "sub table" ]
deep = true

[[fruit]]
name = "a"
[[fruit]]
name = "b"
[fruit.size]
cm = 3
[[fruit.kind]]
id = 1
[[fruit.kind]]
id = 2
'''


def test_every_form_of_key_is_found_on_its_line() -> None:
    """Sections, dotted and quoted keys, arrays of sections; nothing inside texts and lists."""
    assert key_lines(TEXT) == {
        ("top",): [2],
        ("quoted key",): [3],
        ("dotted", "inner.key"): [4],
        ("section",): [6],
        ("section", "text"): [7],
        ("section", "literal"): [11],
        ("section", "list"): [14],
        ("section", "inline"): [19],
        ("section", "after"): [20],
        ("section", "sub table"): [22],
        ("section", "sub table", "deep"): [23],
        ("fruit", 0): [25],
        ("fruit", 0, "name"): [26],
        ("fruit", 1): [27],
        ("fruit", 1, "name"): [28],
        ("fruit", 1, "size"): [29],
        ("fruit", 1, "size", "cm"): [30],
        ("fruit", 1, "kind", 0): [31],
        ("fruit", 1, "kind", 0, "id"): [32],
        ("fruit", 1, "kind", 1): [33],
        ("fruit", 1, "kind", 1, "id"): [34],
    }


def test_every_path_that_is_found_exists_in_what_tomllib_read() -> None:
    """The two agree on the whole text above."""
    whole = tomllib.loads(TEXT)
    for path in key_lines(TEXT):
        value: Any = whole
        for step in path:
            value = value[step]
        assert value is not None


def test_a_broken_text_gives_the_keys_before_the_break() -> None:
    """The scan ends where it cannot go on, without an error."""
    assert key_lines("a = 1\nb = 2\n???\nc = 3\n") == {("a",): [1], ("b",): [2]}


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="[]=.\"'#\n\\ ab1,{}", max_size=60))
def test_no_text_makes_the_scanner_fail(text: str) -> None:
    """Whatever stands in the text, every line that is told exists."""
    last = text.count("\n") + 1
    assert all(1 <= line <= last for lines in key_lines(text).values() for line in lines)


def test_a_key_that_is_not_written_has_its_nearest_ancestors_line() -> None:
    """The second table of a name is another one; what is nowhere has 0."""
    lines = key_lines('a = 1\n\n[[t]]\nx = 1\n[[ t ]]\n"y" = 2\nx = 3\n')
    assert line_of(lines, ("a",)) == 1
    assert line_of(lines, ("t", 0, "x")) == 4
    assert line_of(lines, ("t", 1, "y")) == 6
    assert line_of(lines, ("t", 1, "x")) == 7
    assert line_of(lines, ("t", 0, "gone")) == line_of(lines, ("t", 0)) == 3
    assert line_of(lines, ("none", 0, "x")) == line_of(lines, ()) == 0
