"""What a sprint works with, handed in by bootstrap."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from daemon.clock import Clock
from daemon.config.last_good import LastGood
from daemon.config.phrases import Phrases
from daemon.config.sections import Config
from daemon.governance.action_gate import ActionGate
from daemon.governance.incidents import Voice
from daemon.governance.metered import MeteredProvider
from daemon.knowledge.unit import Manifest
from daemon.quality.rules import QualityRules
from daemon.store.database import Database
from daemon.workspace.definitions import Workspace


def _go_on(_step: str) -> None:
    return None


@dataclass(frozen=True)
class SprintParts:
    """`say` gets one line of progress at a time; `channels` are the ways out that are configured.

    `at` is told the name of every step that a sprint has done: a place to end the process in tests.
    """

    root: Path
    settings: LastGood[Config]
    clock: Clock
    db: Database
    metered: MeteredProvider
    actions: ActionGate
    source: LastGood[Workspace]
    map: LastGood[Manifest]
    rules: LastGood[QualityRules]
    stop: threading.Event
    say: Callable[[str], None]
    channels: tuple[str, ...] = ()
    at: Callable[[str], None] = _go_on

    @property
    def config(self) -> Config:
        """The settings in force. Raises WorkspaceInvalid only where there never were good ones."""
        return self.settings.latest or self.settings.load()

    @property
    def phrases(self) -> Phrases:
        """The sentences that people read, in the workspace's language."""
        return Phrases(self.config.daemon.language)

    @property
    def voice(self) -> Voice:
        """How people are told of incidents and halts: not in Notion, which nobody reads at night."""
        return Voice(self.phrases, tuple(name for name in self.channels if name != "notion"))
