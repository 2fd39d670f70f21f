"""The newest workspace without faults: a broken edit never stops the daemon."""

from __future__ import annotations

from pathlib import Path

from daemon.errors import Fault, WorkspaceInvalid
from daemon.workspace.agents import AGENTS_FOLDER, PLAYBOOKS_FOLDER, definition_files
from daemon.workspace.backlog import BACKLOG_FILE
from daemon.workspace.definitions import Workspace
from daemon.workspace.kill_criteria import CRITERIA_FILE
from daemon.workspace.loader import load_workspace
from daemon.workspace.teams import TEAMS_FILE

_Stamp = tuple[tuple[str, int, int, int, int], ...]


class LastGoodWorkspace:
    """Reads a workspace again whenever its files have changed, and only then."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._good: Workspace | None = None
        self._faults: tuple[Fault, ...] = ()
        self._stamp: _Stamp | None = None

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What is wrong with the files as they are now; empty where `load` gave them."""
        return self._faults

    @property
    def latest(self) -> Workspace | None:
        """What `load` gave last, or None before; reads nothing, so that a page never waits."""
        return self._good

    def load(self) -> Workspace:
        """The files as they are now, or the last good workspace where they have faults.

        Raises WorkspaceInvalid only where there never was a good one.
        """
        stamp = self._take_stamp()  # before reading: an edit meanwhile is seen the next time
        if stamp != self._stamp:
            self._read()
            self._stamp = stamp
        if self._good is None:
            raise WorkspaceInvalid(self._faults)
        return self._good

    def _read(self) -> None:
        try:
            self._good = load_workspace(self._root)
            self._faults = ()
        except WorkspaceInvalid as error:
            self._faults = error.faults

    def _take_stamp(self) -> _Stamp:
        paths = [self._root / file for file in (BACKLOG_FILE, CRITERIA_FILE, TEAMS_FILE)]
        for folder in (AGENTS_FOLDER, PLAYBOOKS_FOLDER):
            paths.extend(definition_files(self._root, folder))
        return tuple(_stamp_of(path) for path in paths)


def _stamp_of(path: Path) -> tuple[str, int, int, int, int]:
    """Name, times, size and inode: an edit of the same length in the same moment shows as well."""
    try:
        state = path.stat()
    except OSError:
        return str(path), 0, 0, -1, 0
    return str(path), state.st_mtime_ns, state.st_ctime_ns, state.st_size, state.st_ino
