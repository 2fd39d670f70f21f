"""Files are opened by walking, and only ordinary ones with one name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from daemon.memory.opening import OpenRoot, Unreadable


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace beside a folder that nobody may reach."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "victim.txt").write_text("secret")
    memory = tmp_path / "space" / "memory"
    memory.mkdir(parents=True)
    (memory / "a.md").write_text("hello")
    return tmp_path / "space"


def test_file_is_read_and_measured(root: Path) -> None:
    """The ordinary case."""
    with OpenRoot(root) as opened:
        assert opened.read("memory/a.md") == b"hello"
        assert opened.size("memory/a.md") == 5


@pytest.mark.parametrize("path", ["../outside/victim.txt", "memory/../../outside/victim.txt", ""])
def test_path_out_of_the_workspace_is_refused(root: Path, path: str) -> None:
    """The path is judged before anything is opened."""
    with OpenRoot(root) as opened, pytest.raises(Unreadable, match="the path"):
        opened.read(path)


def test_symbolic_link_as_the_file_is_refused(root: Path) -> None:
    """The last step does not follow a link, whether it is read or measured."""
    (root / "memory" / "link.md").symlink_to(root.parent / "outside" / "victim.txt")
    with OpenRoot(root) as opened:
        for action in (opened.read, opened.size):
            with pytest.raises(Unreadable, match="symbolic link"):
                action("memory/link.md")


def test_symbolic_link_on_the_way_is_refused(root: Path) -> None:
    """No step follows a link, not even one that stays inside the workspace."""
    (root / "memory" / "out").symlink_to(root.parent / "outside")
    (root / "memory" / "in").symlink_to(root / "memory")
    with OpenRoot(root) as opened:
        for path in ("memory/out/victim.txt", "memory/in/a.md"):
            with pytest.raises(Unreadable, match="symbolic link or a file"):
                opened.read(path)


def test_hard_link_is_refused(root: Path) -> None:
    """A second name would open a file that no scope covers."""
    os.link(root.parent / "outside" / "victim.txt", root / "memory" / "hard.md")
    with OpenRoot(root) as opened, pytest.raises(Unreadable, match="second name"):
        opened.read("memory/hard.md")


def test_pipe_and_folder_are_refused_without_waiting(root: Path) -> None:
    """A pipe of that name cannot hold the daemon up."""
    os.mkfifo(root / "memory" / "pipe.md")
    (root / "memory" / "folder.md").mkdir()
    with OpenRoot(root) as opened:
        for path in ("memory/pipe.md", "memory/folder.md"):
            with pytest.raises(Unreadable, match="not an ordinary file"):
                opened.read(path)


def test_larger_file_than_allowed_is_refused_whole(root: Path) -> None:
    """Nothing is cut silently; exactly the limit is still read."""
    with OpenRoot(root) as opened:
        assert opened.read("memory/a.md", max_bytes=5) == b"hello"
        with pytest.raises(Unreadable, match="larger than 4 bytes"):
            opened.read("memory/a.md", max_bytes=4)


def test_missing_file_says_so(root: Path) -> None:
    """The reason is a sentence that a person can use."""
    with OpenRoot(root) as opened, pytest.raises(Unreadable) as caught:
        opened.read("memory/gone.md")
    assert str(caught.value) == "memory/gone.md: the file does not exist"


@pytest.mark.parametrize("root", [Path(), Path("memory")])
def test_empty_or_relative_root_is_refused(root: Path) -> None:
    """An empty root must not switch the walk off."""
    with pytest.raises(Unreadable, match="absolute"):
        OpenRoot(root)


def test_many_folders_do_not_use_up_the_descriptors(root: Path) -> None:
    """Folders stay open only up to a bound, and reading goes on beyond it."""
    for number in range(300):
        (root / f"f{number}").mkdir()
        (root / f"f{number}" / "a.md").write_text(str(number))
    with OpenRoot(root) as opened:
        before = len(list(Path("/proc/self/fd").iterdir()))
        read = [opened.read(f"f{number}/a.md") for number in (*range(300), 0)]
        after = len(list(Path("/proc/self/fd").iterdir()))
    assert read[-2:] == [b"299", b"0"]
    assert after - before <= 200


def test_walk_names_every_file_and_every_link(root: Path) -> None:
    """Sorted, with a reason for what is refused; links are not entered."""
    (root / "memory" / "deep").mkdir()
    (root / "memory" / "deep" / "b.md").write_text("b")
    (root / "memory" / "out").symlink_to(root.parent / "outside")
    (root / "memory" / "bad\n.md").write_text("x")
    with OpenRoot(root) as opened:
        assert list(opened.walk("memory")) == [
            ("memory/a.md", ""),
            ("memory/bad\n.md", "has a control or invisible character"),
            ("memory/deep/b.md", ""),
            ("memory/out", "is a symbolic link"),
        ]
        assert list(opened.walk("nowhere")) == []
