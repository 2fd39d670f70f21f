"""Reading the map never waits for what is no file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from daemon.errors import WorkspaceInvalid
from daemon.sprint.reading import MAP_FILE, load_manifest


def test_a_pipe_in_place_of_the_map_is_a_fault(tmp_path: Path) -> None:
    """It would hold the daemon up for good."""
    os.mkfifo(tmp_path / MAP_FILE)
    with pytest.raises(WorkspaceInvalid, match="not an ordinary file"):
        load_manifest(tmp_path)
