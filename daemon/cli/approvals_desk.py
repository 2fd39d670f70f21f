"""The approvals of a workspace as a command uses them, beside a daemon that may run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from daemon.bootstrap import state_dir_of
from daemon.cli.opening import open_existing
from daemon.clock import Clock, SystemClock
from daemon.config.phrases import Phrases
from daemon.config.secrets import find_secret
from daemon.config.sections import Config
from daemon.config.toml_file import load_config
from daemon.governance.action_gate import ActionGate
from daemon.governance.approvals import Approvals
from daemon.governance.incidents import Voice
from daemon.governance.questions import build_approvals
from daemon.notify.senders import SLACK_TOKEN
from daemon.sprint.gatekeeping import build_gate
from daemon.sprint.live_files import live_definitions
from daemon.store.database import Database


@dataclass(frozen=True)
class Desk:
    """What a command needs to ask, to answer and to carry out."""

    root: Path
    config: Config
    clock: Clock
    db: Database
    gate: ActionGate
    approvals: Approvals
    voice: Voice

    @property
    def phrases(self) -> Phrases:
        return self.voice.phrases


@contextmanager
def open_desk(workspace: Path) -> Iterator[Desk]:
    """Raises StoreError where nothing ran in this workspace yet."""
    with open_existing(workspace) as (root, db):
        config, clock = load_config(root), SystemClock()
        source, chart = live_definitions(root, config)
        gate = build_gate(root, state_dir_of(root), config, db, clock, source, chart)
        voice = Voice(Phrases(config.daemon.language), _channels(root, config))
        found = build_approvals(db, gate, clock, lambda: config.approvals, lambda: voice)
        try:
            yield Desk(root, config, clock, db, gate, found, voice)
        finally:
            gate.close()


def _channels(root: Path, config: Config) -> tuple[str, ...]:
    """Where the daemon will ask; questions do not go to Notion, which nobody reads at night."""
    if not config.slack.channel:
        return ()
    secret = find_secret(SLACK_TOKEN, environ=os.environ, state_dir=state_dir_of(root))
    return ("slack",) if secret else ()
