"""What a sprint works with, handed in by bootstrap."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from daemon.clock import Clock
from daemon.config.sections import Config
from daemon.governance.metered import MeteredProvider
from daemon.quality.rules import QualityRules
from daemon.store.database import Database
from daemon.workspace.last_good import LastGoodWorkspace


@dataclass(frozen=True)
class SprintParts:
    """`say` gets one line of progress at a time."""

    root: Path
    config: Config
    clock: Clock
    db: Database
    metered: MeteredProvider
    source: LastGoodWorkspace
    load_rules: Callable[[], QualityRules]
    stop: threading.Event
    say: Callable[[str], None]
