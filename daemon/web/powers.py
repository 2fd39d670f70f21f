"""Which of the three dangerous powers each agent holds, worked out beside the pages.

That reads every finding's file, so a page waits a moment for it and shows it the next time if it takes
longer. It is worked out anew when the definitions or the map changed, and every few minutes.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from daemon.clock import Clock
from daemon.config.sections import Config
from daemon.governance.trifecta import POWERS, AgentPowers, derive_powers, render_stop
from daemon.knowledge.unit import Manifest
from daemon.sprint.flow_files import Lines, read_flow
from daemon.web.beside import Beside
from daemon.workspace.definitions import Workspace

OLD_AFTER_SECONDS = 300.0


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
        self._root = root
        self._beside: Beside[tuple[AgentRow, ...]] = Beside(
            "the powers of the agents", clock, old_after_seconds=OLD_AFTER_SECONDS
        )

    def rows(
        self, config: Config, workspace: Workspace, manifest: Manifest
    ) -> tuple[AgentRow, ...] | None:
        """None where it is being worked out for the first time, or cannot be (the log says why)."""
        kept = self._beside.answer(
            (workspace, manifest), lambda: _rows(self._root, config, workspace, manifest)
        )
        return kept.value if kept else None


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
