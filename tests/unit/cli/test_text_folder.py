"""A folder of notes named on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.cli.text_folder import MOST_FILES, read_texts
from daemon.errors import SprintdError


def test_texts_below_the_folder_are_read_in_order_of_paths(tmp_path: Path) -> None:
    """Markdown and plain text, nested; nothing hidden, nothing else."""
    for name in ("b.md", "a/x.txt", "pic.png", ".git/y.md", ".secret.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"text of {name}")
    found = read_texts(tmp_path, pytest.fail)
    assert [(note.id, note.text) for note in found] == [
        ("a/x.txt", "text of a/x.txt"),
        ("b.md", "text of b.md"),
    ]
    assert found[0].path == str(tmp_path / "a/x.txt")


def test_no_link_leads_out_of_the_folder(tmp_path: Path) -> None:
    """Left out and told; so is a file of more than 1 MiB."""
    inside = tmp_path / "in"
    inside.mkdir()
    (tmp_path / "secret.md").write_text("secret")
    (inside / "link.md").symlink_to(tmp_path / "secret.md")
    (inside / "folder").symlink_to(tmp_path)
    (inside / "large.md").write_text("x" * 1_100_000)
    (inside / "good.md").write_text("good")
    told: list[str] = []
    assert [note.text for note in read_texts(inside, told.append)] == ["good"]
    assert any("link.md: is a symbolic link" in line for line in told)
    assert any("large.md: is larger" in line for line in told)


def test_a_folder_without_texts_or_with_too_many_is_refused(tmp_path: Path) -> None:
    """A context of nothing would call every figure invented."""
    with pytest.raises(SprintdError, match="holds no"):
        read_texts(tmp_path, pytest.fail)
    for number in range(MOST_FILES + 1):
        (tmp_path / f"{number}.md").write_text("x")
    with pytest.raises(SprintdError, match="more than 500"):
        read_texts(tmp_path, pytest.fail)
    with pytest.raises(SprintdError, match="does not exist"):
        read_texts(tmp_path / "gone", pytest.fail)
    with pytest.raises(SprintdError, match="is a file; name a folder"):
        read_texts(tmp_path / "1.md", pytest.fail)


def test_a_note_is_read_below_its_front_matter(tmp_path: Path) -> None:
    """The lines are the file's own."""
    (tmp_path / "note.md").write_text("---\ntitle: A\n---\n\nThe first line.\n")
    [note] = read_texts(tmp_path, pytest.fail)
    assert (note.text, note.first_line) == ("The first line.\n", 5)


def test_the_judged_file_is_not_among_its_own_notes(tmp_path: Path) -> None:
    """Else everything that it says would be supported, by itself."""
    for name in ("own.md", "other.md"):
        (tmp_path / name).write_text(name)
    found = read_texts(tmp_path, pytest.fail, but=tmp_path / "own.md")
    assert [note.id for note in found] == ["other.md"]
