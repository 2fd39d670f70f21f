"""One file is written whole or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from daemon.memory.writing import MemoryUnwritable, write_file

_ON_A_FULL_DISK = """
import resource, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from daemon.memory.writing import MemoryUnwritable, write_file
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    write_file(Path(sys.argv[1]), "memory/a.md", b"x" * 5000)
except MemoryUnwritable as error:
    print(error)
"""


def test_full_disk_leaves_the_old_file_and_no_rest(tmp_path: Path) -> None:
    """A write that cannot be finished changes nothing. The limit is set in a process of its own."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "a.md").write_text("old")
    checkout = str(Path(__file__).parents[3])
    command = [sys.executable, "-c", _ON_A_FULL_DISK, str(tmp_path), checkout]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == (
        "cannot write memory/a.md: the disk or the quota is full; free some space\n"
    )
    assert [path.name for path in (tmp_path / "memory").iterdir()] == ["a.md"]
    assert (tmp_path / "memory" / "a.md").read_text() == "old"


def test_new_content_replaces_the_old_in_one_step(tmp_path: Path) -> None:
    """The new file is another one under the old name: nobody sees half of it."""
    write_file(tmp_path, "memory/a.md", b"old")
    before = (tmp_path / "memory" / "a.md").stat().st_ino
    write_file(tmp_path, "memory/a.md", b"new")
    assert (tmp_path / "memory" / "a.md").read_bytes() == b"new"
    assert (tmp_path / "memory" / "a.md").stat().st_ino != before


def test_left_over_that_is_a_link_is_not_written_through(tmp_path: Path) -> None:
    """Somebody may have put a link where the temporary file goes."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "victim.txt").write_text("unchanged")
    (tmp_path / "memory" / ".a.md.new").symlink_to(tmp_path / "victim.txt")
    write_file(tmp_path, "memory/a.md", b"new")
    assert (tmp_path / "victim.txt").read_text() == "unchanged"
    assert (tmp_path / "memory" / "a.md").read_bytes() == b"new"


@pytest.mark.parametrize("path", ["../memory-evil/x", "memory/../../x", "/x", "", "a\\b"])
def test_path_out_of_the_workspace_is_refused(tmp_path: Path, path: str) -> None:
    """Nothing is made on the way."""
    with pytest.raises(MemoryUnwritable, match="the path"):
        write_file(tmp_path / "space", path, b"x")
    assert list(tmp_path.iterdir()) == []


def test_file_directly_in_the_workspace_is_written(tmp_path: Path) -> None:
    """A path without a folder is ordinary."""
    write_file(tmp_path, "a.md", b"x")
    assert (tmp_path / "a.md").read_bytes() == b"x"


def test_workspace_that_is_gone_and_name_that_is_too_long_are_told(tmp_path: Path) -> None:
    """One line each, with the path."""
    with pytest.raises(MemoryUnwritable, match=r"cannot write a\.md: No such file"):
        write_file(tmp_path / "gone", "a.md", b"x")
    with pytest.raises(MemoryUnwritable, match="the name is too long"):
        write_file(tmp_path, "a" * 253, b"x")


def test_descriptors_are_given_back(tmp_path: Path) -> None:
    """Neither success nor failure leaves a folder open."""
    (tmp_path / "file").write_text("")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        write_file(tmp_path, "a/b/c.md", b"x")
        with pytest.raises(MemoryUnwritable):
            write_file(tmp_path, "file/b/c.md", b"x")
    assert len(list(Path("/proc/self/fd").iterdir())) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser writes into read-only folders")
def test_read_only_folder_is_one_clear_line(tmp_path: Path) -> None:
    """The message says whose right is missing."""
    (tmp_path / "memory").mkdir(mode=0o555)
    with pytest.raises(MemoryUnwritable, match="read-only; let the user that sprintd runs as"):
        write_file(tmp_path, "memory/a.md", b"x")
