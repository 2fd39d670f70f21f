"""The action gate of a workspace: its ledger, and its policy and powers from the files in force."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

from daemon.clock import Clock, day_of
from daemon.config.last_good import LastGood
from daemon.config.sections import Config
from daemon.errors import WorkspaceInvalid
from daemon.governance.action_gate import ActionGate
from daemon.governance.ledger_in_use import LedgerInUse
from daemon.governance.policy_in_force import PolicyInForce
from daemon.knowledge.unit import Manifest
from daemon.sprint.flow_files import powers_in
from daemon.store.database import Database
from daemon.workspace.definitions import Workspace

T = TypeVar("T")


def build_gate(
    root: Path,
    state_dir: Path,
    config: Config,
    db: Database,
    clock: Clock,
    source: LastGood[Workspace],
    chart: LastGood[Manifest],
) -> ActionGate:
    """Judges by the last good files; they are read by whoever begins a sprint, or here at first."""

    def latest(files: LastGood[T]) -> T | None:
        with suppress(WorkspaceInvalid):
            return files.latest or files.load()
        return None

    rules = PolicyInForce(
        lambda: latest(source),
        lambda: latest(chart),
        partial(powers_in, root, config),
        lambda: day_of(clock.now()),
    )
    books = LedgerInUse(state_dir, db, clock)
    return ActionGate(books, rules.policy, db, clock, powers=rules.powers)
