"""YAML keeps what people wrote, and a fault names its line, its real cause and the cure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.config.yaml_file import MAX_DEPTH, Document, parse_yaml
from daemon.errors import Fault, WorkspaceInvalid

MANIFESTS = Path(__file__).parents[3].parent / "shared" / "vectors" / "kcp" / "manifests"

VISIBLE = st.characters(
    exclude_categories=["Cs", "Cc", "Zl", "Zp"], exclude_characters="\ufeff\ufffe\uffff"
)
PRINTABLE = st.text(alphabet=VISIBLE)
YAML_LIKE = st.text(alphabet="ab:-[]{}&*!|>'\"#%@`,? \n\t\\~0.\ufeff\x00é", max_size=80)


def faults_in(text: str | bytes, **options: int) -> tuple[Fault, ...]:
    with pytest.raises(WorkspaceInvalid) as caught:
        parse_yaml(text, "f.yaml", **options)
    return caught.value.faults


def read_or_faults(text: str | bytes) -> Document | tuple[Fault, ...]:
    """The only two ways that a parse may end."""
    try:
        return parse_yaml(text, "f.yaml")
    except WorkspaceInvalid as error:
        return error.faults


@pytest.mark.parametrize(
    "written",
    [
        "NO",
        "on",
        "off",
        "Yes",
        "13:00",
        "1:30",
        "1.10",
        "012",
        "0x1F",
        "1e3",
        "2026-09-14",
        "1_000",
    ],
)
def test_every_plain_scalar_stays_the_text_that_was_written(written: str) -> None:
    """country: NO is the text NO, version: 1.10 the text 1.10, a date the text of it."""
    assert parse_yaml(f"key: {written}", "f.yaml").value == {"key": written}


@pytest.mark.parametrize("written", ["", "~", "null"])
def test_empty_plain_scalars_are_none_and_quoted_ones_are_text(written: str) -> None:
    """An empty value is None; the same in quotes is text."""
    assert parse_yaml(f"key: {written}", "f.yaml").value == {"key": None}
    document = parse_yaml(f'key: "{written}"', "f.yaml")
    assert document.value == {"key": written}
    assert document.quoted(("key",))


def test_duplicate_keys_are_a_fault_with_both_lines() -> None:
    """The last of two equal keys does not win; the message names both lines."""
    (fault,) = faults_in("actions:\n  write: deny\n  read: allow\n  write: allow\n")
    assert (fault.line, fault.key) == (4, "actions.write")
    assert "on lines 2 and 4" in fault.message


def test_duplicate_keys_on_one_line_are_a_fault() -> None:
    """`actions: {write: deny, write: allow}` is refused: the last one does not win."""
    (fault,) = faults_in("actions: {write: deny, write: allow}")
    assert (fault.line, fault.key) == (1, "actions.write")


def test_all_duplicate_keys_are_told_at_once() -> None:
    """Two pairs of equal keys in different places give two faults with full paths."""
    found = faults_in("a: 1\na: 2\nb:\n  - c: 1\n  - d: 1\n    d: 2\n")
    assert [(fault.line, fault.key) for fault in found] == [(2, "a"), (6, "b[1].d")]


@pytest.mark.parametrize(
    ("text", "line", "cause", "cure"),
    [
        ("actions: [write, *]", 1, "starts with *", 'quotes: "*..."'),
        ("a: 1\npath: **/x.md", 2, "starts with *", "quotes"),
        ("- *name", 1, "*", "quotes"),
        ("by: @anna", 1, "starts with @", 'quotes: "@..."'),
        ("run: `ls`", 1, "starts with `", "quotes"),
        ("share: %5", 1, "starts with %", "quotes"),
        ("a: &x 1", 1, "&", "quotes"),
        ("a: !important", 1, "!", "quotes"),
        ("a:\n\tb: 1", 2, "a tab is used for indentation", "spaces"),
        ("items:\n  - id: a\n\ttitle: b", 3, "a tab is used for indentation", "spaces"),
        ("a: 1\nb: what: this", 2, "a colon followed by a space", "quotes"),
        ("a: 1\nfoo\nb: 2", 2, "neither key: value", "add the colon"),
        ("a: 1\n b: 2", 2, "indentation", "line it up"),
        ("a: 'open\nb: 2\n", 1, "never closed", "close the quote"),
        ("a: [1, 2\nb: 3", 1, "[ that opens here is never closed", "close it"),
        ("a: [", 1, "[ that opens here is never closed", "close it"),
        ("x: 1\ny:\n  - [\n  - b: {c: 1}\n", 3, "[ that opens here is never closed", "close it"),
        ("a: [1, {b: 2}, {c: [d\n", 1, "[ that opens here is never closed", "close it"),
        ("a: {x: 1\n", 1, "{ that opens here is never closed", "close it"),
        ('a: "x" and y', 1, "after a closing quote", "quotes"),
        ('a: "\\q"', 1, "a backslash inside double quotes", "single quotes"),
        ("a: - x", 1, "a list entry", "line after"),
        ("- a\nb: 1", 2, "does not fit the list", "indentation"),
        ("a: 1\n---\nb: 2", 2, "a second document", "one document"),
        ("? [a]\n: 1", 1, "used as a key", "as text"),
    ],
)
def test_a_fault_names_the_real_cause_and_the_cure(
    text: str, line: int, cause: str, cure: str
) -> None:
    """Tabs, *, @ and the like are named as what they are, with what to do about it."""
    (fault,) = faults_in(text)
    assert fault.line == line
    assert cause in fault.message
    assert cure in fault.cure


def test_a_byte_order_mark_at_the_start_is_fine() -> None:
    """An editor's BOM changes nothing, not even the first key."""
    assert parse_yaml(b"\xef\xbb\xbfa: 1\n", "f.yaml").value == {"a": "1"}


@pytest.mark.parametrize(
    ("raw", "line", "cause"),
    [
        (b"a: 1\nb: \xff\xfe\n", 2, "not UTF-8 text (byte 0xff)"),
        ("a: 1".encode("utf-16"), 1, "UTF-16"),
        (b"a: 1\nb: x\x00y\n", 2, "U+0000"),
        ("a: x\u2028y".encode(), 1, "U+2028"),
        ("a: 1\n\ufeffb: 2".encode(), 2, "U+FEFF"),
    ],
)
def test_what_no_editor_shows_is_named_with_its_line(raw: bytes, line: int, cause: str) -> None:
    """Broken encoding and invisible characters are faults of their own, not riddles later on."""
    (fault,) = faults_in(raw)
    assert fault.line == line
    assert cause in fault.message


def test_a_lone_surrogate_in_text_is_a_fault() -> None:
    """Text that could not be stored as UTF-8 is refused, not raised as an encoding error."""
    assert "U+D83D" in faults_in("a: \ud83d")[0].message


def test_too_large_too_deep_is_refused() -> None:
    """The size limit and the nesting limit hold; one level less passes."""
    assert "larger than 10 bytes" in faults_in("a: 12345678", max_bytes=10)[0].message
    assert "deeper than" in faults_in("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1))[0].message
    assert parse_yaml("[" * MAX_DEPTH + "]" * MAX_DEPTH, "f.yaml").value


def test_an_alias_bomb_is_refused_at_its_first_anchor_or_reference() -> None:
    """Ten references to ten references never grow: neither anchors nor references are followed."""
    bomb = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n"
    assert {fault.line for fault in faults_in(bomb)} == {1, 2}


def test_lines_of_entries_and_of_their_nearest_ancestor() -> None:
    """A key's own line where it exists, its nearest ancestor's where it does not."""
    document = parse_yaml(
        "\n# x\nitems:\n  - id: a\n    tags: [x,\n      y]\n  - id: b\n", "f.yaml"
    )
    assert document.line_of(()) == 3
    assert document.line_of(("items", 0, "id")) == 4
    assert document.line_of(("items", 0, "tags", 1)) == 6
    assert document.line_of(("items", 1)) == 7
    assert document.line_of(("items", 1, "tags", 4)) == 7
    assert document.line_of(("nothing", "here")) == 3


def test_windows_line_ends_give_the_same_value_and_lines() -> None:
    """CRLF and LF files read alike."""
    document = parse_yaml(b"a: 1\r\nb: |\r\n  x\r\n  y\r\n", "f.yaml")
    assert document.value == {"a": "1", "b": "x\ny\n"}
    assert document.line_of(("b",)) == 2


def test_an_empty_text_is_none() -> None:
    """A file without content is None, for the caller to judge."""
    assert parse_yaml("# nothing\n", "f.yaml").value is None


@settings(max_examples=400, deadline=None)
@given(st.one_of(YAML_LIKE, st.binary(max_size=80), st.text(max_size=80)))
def test_no_input_raises_anything_but_workspace_invalid(raw: str | bytes) -> None:
    """Any text and any bytes give a document of the promised types, or faults."""
    found = read_or_faults(raw)
    assert found
    assert not isinstance(found, Document) or _is_plain(found.value)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.from_regex(r"[a-z]{1,8}", fullmatch=True), PRINTABLE, max_size=5))
def test_quoted_text_comes_back_unchanged(table: dict[str, str]) -> None:
    """What is quoted as JSON quotes it (YAML reads that too) is the same text afterwards."""
    text = "\n".join(
        f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in table.items()
    )
    assert parse_yaml(text, "f.yaml").value == (table or None)


@pytest.mark.parametrize("opener", list("[{-?&*!|>'\":,"))
def test_a_million_bytes_of_one_special_character_come_to_an_end(opener: str) -> None:
    """No repetition of a special character makes the parser fail in any way but with faults."""
    for text in (opener * 1_000_000, f"{opener} " * 500_000, f"{opener}\n" * 500_000):
        assert read_or_faults(text)


def test_real_manifests_of_other_projects_can_be_read() -> None:
    """Every manifest of the collection is a mapping; none trips over what this parser refuses."""
    files = sorted(MANIFESTS.glob("*.yaml")) if MANIFESTS.is_dir() else []
    if not files:
        pytest.skip("the collection of manifests is not on this machine")
    for file in files:
        assert isinstance(parse_yaml(file.read_bytes(), file.name).value, dict), file.name


def _is_plain(value: object) -> bool:
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(inner) for key, inner in value.items())
    if isinstance(value, list):
        return all(_is_plain(inner) for inner in value)
    return value is None or isinstance(value, str)
