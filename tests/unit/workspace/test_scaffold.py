"""`sprintd init` writes a complete workspace and never overwrites anything."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from daemon.config.sections import Config
from daemon.config.toml_file import load_config
from daemon.errors import SprintdError
from daemon.workspace.loader import load_workspace
from daemon.workspace.scaffold import sample_folder, write_sample
from tests.unit.workspace.small_workspace import write, write_workspace

ROOT = Path(__file__).parents[3]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A sample of our own: a sound workspace with all the files that a sample has."""
    folder = write_workspace(tmp_path / "sample")
    for name in ("knowledge.yaml", "quality.toml", "memory/market/size.md"):
        write(folder, name, f"# {name}\n")
    write(folder, "memory/.hidden", "left out")
    shutil.copy(ROOT / "config.example.toml", folder)
    return folder


def test_the_sample_is_written_and_loads(tmp_path: Path, source: Path) -> None:
    """All files byte for byte, and a config.toml that equals the example; no state folder."""
    target = tmp_path / "new" / "place"
    written = {path.relative_to(target).as_posix() for path in write_sample(target, source)}
    assert written == {
        "agents/ada.md",
        "agents/ben.md",
        "agents/playbooks/memo.md",
        "agents/teams.yaml",
        "backlog.yaml",
        "config.example.toml",
        "config.toml",
        "kill_criteria.yaml",
        "knowledge.yaml",
        "memory/market/size.md",
        "quality.toml",
    }
    assert (target / "config.toml").read_bytes() == (target / "config.example.toml").read_bytes()
    assert load_config(target) == Config()
    assert load_workspace(target).items == load_workspace(source).items
    assert not (target / "state").exists()


def test_the_sample_that_ships_with_sprintd_is_complete(tmp_path: Path) -> None:
    """Without a source the package's own sample, or the checkout's, is taken."""
    try:
        sample_folder()
    except SprintdError as error:
        pytest.skip(f"the sample is not complete yet: {error}")
    assert write_sample(tmp_path / "new")
    assert load_workspace(tmp_path / "new").items


def test_what_a_daemon_wrote_in_the_sample_is_left_out(tmp_path: Path, source: Path) -> None:
    """A checkout that ran has findings and diagnoses; a new workspace starts without a past."""
    write(source, "memory/findings/KC1/T01-1.md", "# A finding\n")
    write(source, "memory/diagnoses/2026-11-30.md", "# A diagnosis\n")
    written = {path.name for path in write_sample(tmp_path / "new", source)}
    assert "size.md" in written
    assert sorted(path.name for path in (tmp_path / "new" / "memory").iterdir()) == ["market"]


def test_files_that_are_there_are_named_and_kept(tmp_path: Path, source: Path) -> None:
    """Nothing at all is written where one file is in the way."""
    write(tmp_path, "new/backlog.yaml", "mine")
    with pytest.raises(SprintdError, match=r"already has backlog\.yaml"):
        write_sample(tmp_path / "new", source)
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["backlog.yaml"]
    assert (tmp_path / "new" / "backlog.yaml").read_text("utf-8") == "mine"


def test_a_second_time_names_a_few_of_many_files(tmp_path: Path, source: Path) -> None:
    """The message stays short."""
    written = write_sample(tmp_path / "new", source)
    with pytest.raises(SprintdError, match=rf"and {len(written) - 10} more; name an empty folder"):
        write_sample(tmp_path / "new", source)


def test_other_files_in_the_folder_do_not_matter(tmp_path: Path, source: Path) -> None:
    """A folder under version control is a fine place."""
    write(tmp_path, "new/.git/config", "mine")
    write(tmp_path, "new/notes.txt", "mine")
    assert write_sample(tmp_path / "new", source)


def test_a_file_in_place_of_the_folder_is_a_clear_error(tmp_path: Path, source: Path) -> None:
    """With the path, and without a traceback."""
    (tmp_path / "file").write_text("x", "utf-8")
    with pytest.raises(SprintdError, match="cannot be written"):
        write_sample(tmp_path / "file", source)
