"""The newest workspace without faults: a broken edit never stops the daemon."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from daemon.config.last_good import LastGood
from daemon.workspace.agents import AGENTS_FOLDER, PLAYBOOKS_FOLDER, definition_files
from daemon.workspace.backlog import BACKLOG_FILE
from daemon.workspace.definitions import Workspace
from daemon.workspace.kill_criteria import CRITERIA_FILE
from daemon.workspace.loader import load_workspace
from daemon.workspace.teams import TEAMS_FILE


class LastGoodWorkspace(LastGood[Workspace]):
    """Reads a workspace again whenever one of its files has changed."""

    def __init__(self, root: Path) -> None:
        super().__init__(lambda: load_workspace(root), lambda: definition_paths(root))


def definition_paths(root: Path) -> Iterator[Path]:
    """Every file that a workspace is read from."""
    yield from (root / file for file in (BACKLOG_FILE, CRITERIA_FILE, TEAMS_FILE))
    for folder in (AGENTS_FOLDER, PLAYBOOKS_FOLDER):
        yield from definition_files(root, folder)
