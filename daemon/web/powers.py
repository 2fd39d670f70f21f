"""Which of the three dangerous powers each agent holds, worked out beside the pages.

That reads every finding's file, so a page waits a moment for it and shows it the next time if it takes
longer. It is worked out anew when the definitions or the map changed, and every few minutes.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from pathlib import Path

from daemon.clock import Clock
from daemon.config.sections import Config
from daemon.errors import SprintdError
from daemon.governance.trifecta import POWERS, AgentPowers, derive_powers, render_stop
from daemon.knowledge.unit import Manifest
from daemon.sprint.flow_files import Lines, read_flow
from daemon.workspace.definitions import Workspace

OLD_AFTER_SECONDS = 300.0
WAIT_SECONDS = 0.04
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class AgentRow:
    """`ways` has for each of the three powers the stops by which the agent holds it; none: it does not."""

    agent: str
    ways: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def holds_all(self) -> bool:
        return all(stops for _, stops in self.ways)


class PowersDesk:
    """Keeps the newest answer. Safe to use from many threads."""

    def __init__(self, root: Path, clock: Clock) -> None:
        self._root, self._clock = root, clock
        self._lock = threading.Lock()
        self._key: tuple[Workspace, Manifest] | None = None
        self._at = 0.0
        self._rows: tuple[AgentRow, ...] | None = None
        self._done: threading.Event | None = None

    def rows(
        self, config: Config, workspace: Workspace, manifest: Manifest
    ) -> tuple[AgentRow, ...] | None:
        """None where it is being worked out for the first time, or cannot be (the log says why)."""
        with self._lock:
            same = self._key and self._key[0] is workspace and self._key[1] is manifest
            if same and self._clock.monotonic() - self._at < OLD_AFTER_SECONDS:
                return self._rows
            done = self._done
            if done is None:
                done = self._done = threading.Event()
                work = (config, workspace, manifest, done)
                threading.Thread(target=self._run, args=work, name="powers", daemon=True).start()
        done.wait(WAIT_SECONDS)
        with self._lock:
            return self._rows

    def _run(
        self, config: Config, workspace: Workspace, manifest: Manifest, done: threading.Event
    ) -> None:
        rows = None
        try:
            rows = _rows(self._root, config, workspace, manifest)
        except SprintdError as error:
            _log.warning("the powers of the agents cannot be worked out: %s", error)
        finally:
            with self._lock:
                self._rows, self._key = rows, (workspace, manifest)
                self._at, self._done = self._clock.monotonic(), None
            done.set()


def _rows(
    root: Path, config: Config, workspace: Workspace, manifest: Manifest
) -> tuple[AgentRow, ...]:
    lines = Lines(root)
    return tuple(
        _row(one, lines) for one in derive_powers(read_flow(root, config, workspace, manifest))
    )


def _row(one: AgentPowers, lines: Lines) -> AgentRow:
    return AgentRow(
        one.agent,
        tuple(
            (power, tuple(render_stop(stop, lines.of) for stop in one.ways.get(power, ())))
            for power in POWERS
        ),
    )
