"""A broken edit never stops the daemon."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.errors import WorkspaceInvalid
from daemon.workspace.last_good import LastGoodWorkspace
from tests.unit.workspace.small_workspace import edit, write, write_workspace


def test_a_broken_edit_keeps_the_last_good_workspace_and_tells_the_fault(tmp_path: Path) -> None:
    """The old items stay, the fault names file and line; mending brings the new ones."""
    last_good = LastGoodWorkspace(write_workspace(tmp_path))
    before = last_good.load()
    assert last_good.faults == ()
    edit(tmp_path, "backlog.yaml", "priority: 1", "priority: high")
    assert last_good.load() is before
    assert [(fault.file, fault.line) for fault in last_good.faults] == [("backlog.yaml", 8)]
    edit(tmp_path, "backlog.yaml", "priority: high", "priority: 2")
    assert last_good.load().item("size-market").priority == 2
    assert last_good.faults == ()


def test_without_any_good_workspace_the_faults_are_raised(tmp_path: Path) -> None:
    """There is nothing to go on with; after mending there is."""
    last_good = LastGoodWorkspace(write_workspace(tmp_path))
    edit(tmp_path, "backlog.yaml", "priority: 1", "priority: high")
    for _time in range(2):
        with pytest.raises(WorkspaceInvalid, match="expects a whole number"):
            last_good.load()
    edit(tmp_path, "backlog.yaml", "priority: high", "priority: 2")
    assert last_good.load().items


def test_unchanged_files_are_not_read_again(tmp_path: Path) -> None:
    """The same object comes back, with or without faults."""
    last_good = LastGoodWorkspace(write_workspace(tmp_path))
    assert last_good.load() is last_good.load()


@pytest.mark.parametrize("file", ["agents/eve.md", "agents/playbooks/note.md"])
def test_a_new_file_is_noticed(tmp_path: Path, file: str) -> None:
    """Agents and playbooks that are added count from the next load."""
    last_good = LastGoodWorkspace(write_workspace(tmp_path))
    last_good.load()
    write(tmp_path, file, "no front matter")
    last_good.load()
    assert [fault.file for fault in last_good.faults] == [file]


def test_a_deleted_file_is_noticed(tmp_path: Path) -> None:
    """The last good workspace stays in use."""
    last_good = LastGoodWorkspace(write_workspace(tmp_path))
    before = last_good.load()
    (tmp_path / "kill_criteria.yaml").unlink()
    assert last_good.load() is before
    assert [fault.file for fault in last_good.faults] == ["kill_criteria.yaml"]


def test_an_edit_of_the_same_length_is_noticed(tmp_path: Path) -> None:
    """Size alone would not show it."""
    last_good = LastGoodWorkspace(write_workspace(tmp_path))
    last_good.load()
    edit(tmp_path, "backlog.yaml", "priority: 1", "priority: 5")
    assert last_good.load().item("size-market").priority == 5
