"""Notes: one broken file never keeps the others from being read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.memory.notes import (
    MEMORY,
    Note,
    parse_note,
    parse_sound_note,
    read_note,
    readable_notes,
)
from daemon.memory.opening import OpenRoot, Unreadable


def notes_of(root: Path) -> list[Note]:
    with OpenRoot(root) as opened:
        return list(readable_notes(opened, MEMORY))


def test_non_utf8_note_is_read_marked_and_left_alone(tmp_path: Path) -> None:
    """The others load, the damaged one is readable, its bytes are as before."""
    memory = tmp_path / "memory"
    memory.mkdir()
    raw = b"# Bin\n\xff\xfe x\n"
    (memory / "bin.md").write_bytes(raw)
    (memory / "good.md").write_text("# Good\n\nfine\n")
    notes = notes_of(tmp_path)
    assert [(note.path, note.damaged) for note in notes] == [
        ("memory/bin.md", True), ("memory/good.md", False)
    ]  # fmt: skip
    assert notes[0].title == "Bin"
    assert "\N{REPLACEMENT CHARACTER}" in notes[0].body
    assert (memory / "bin.md").read_bytes() == raw


def test_front_matter_is_text_and_kept_apart_from_the_body(tmp_path: Path) -> None:
    """Scalars stay as written; the body begins after the closing mark."""
    (tmp_path / "memory").mkdir()
    text = "---\ntitle: Prices\nsince: 2026-09-14\nversion: 1.10\n---\n\nbody\n---\nmore\n"
    (tmp_path / "memory" / "a.md").write_text(text)
    note = read_note(tmp_path, "memory/a.md")
    assert note.front == {"title": "Prices", "since": "2026-09-14", "version": "1.10"}
    assert (note.title, note.body) == ("Prices", "body\n---\nmore\n")
    assert note.size_bytes == len(text)


@pytest.mark.parametrize(
    ("text", "line"), [("---\na: 1\na: 2\n---\nbody", 3), ("---\na: [\n---\nbody", 2),
                       ("---\n- a\n---\nbody", 1), ("---\na: 1\nbody", 1)]
)  # fmt: skip
def test_broken_front_matter_is_reported_and_nothing_is_lost(text: str, line: int) -> None:
    """With the file's own line, which the words do not say again, and the whole text is the body."""
    note = parse_note(text.encode(), "memory/a.md")
    assert note.fault_line == line
    assert note.fault
    assert "memory/a.md" not in note.fault
    assert (note.front, note.body) == ({}, text)


def test_title_falls_back_to_heading_and_file_name() -> None:
    """Front matter, then the first heading, then the name of the file."""
    assert parse_note(b"x\n# Rivals\n", "memory/a.md").title == "Rivals"
    assert parse_note(b"x\n", "memory/fit/users.md").title == "users"


def test_what_is_refused_is_passed_over(tmp_path: Path) -> None:
    """Too large, a link, a pipe, a bad name, another kind of file: the good note is read all the same."""
    memory = tmp_path / "memory"
    memory.mkdir()
    (memory / "big.md").write_bytes(b"x" * 1_048_577)
    (memory / "link.md").symlink_to(tmp_path / "elsewhere")
    os.mkfifo(memory / "pipe.md")
    (memory / "bad\n.md").write_text("x")
    (memory / "good.md").write_text("x")
    (memory / "table.csv").write_text("x")
    assert [note.path for note in notes_of(tmp_path)] == ["memory/good.md"]


def test_workspace_without_memory_has_no_notes(tmp_path: Path) -> None:
    """A missing folder is nothing, not an error."""
    assert notes_of(tmp_path) == []


def test_missing_note_is_unreadable(tmp_path: Path) -> None:
    """Reading one by name says what is wrong with it."""
    with pytest.raises(Unreadable, match="does not exist"):
        read_note(tmp_path, "memory/a.md")


@given(st.binary(max_size=200) | st.binary(max_size=200).map(lambda data: b"---\n" + data))
def test_any_bytes_are_a_note(data: bytes) -> None:
    """Parsing never raises, and says when bytes were replaced."""
    note = parse_note(data, "memory/a.md")
    assert note.size_bytes == len(data)
    assert note.damaged or data.decode() is not None


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\xff x\n", "is damaged: not UTF-8"),
        (b"---\na: 1\na: 2\n---\nx\n", "does not say where it came from (line 3): "),
        (b"---\na: 1\nx\n", "does not say where it came from (line 1): "),
    ],
)
def test_a_note_that_nobody_can_rely_on_is_refused_with_its_line(data: bytes, why: str) -> None:
    """One rule for agents, planning and consolidation."""
    with pytest.raises(Unreadable) as refused:
        parse_sound_note(data, "memory/a.md")
    assert refused.value.reason.startswith(why)
