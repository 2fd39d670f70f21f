"""What a run of the daemon needs to know, before anything is built."""

from __future__ import annotations

import logging
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass
from pathlib import Path

from daemon.bootstrap import Services, build_services, state_dir_of
from daemon.config.sections import Config
from daemon.llm.provider import Provider

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Plan:
    """What a run needs to know. `make_provider` None: the provider that config.toml names.

    `at` is told the name of every step that a sprint has done.
    """

    root: Path
    config: Config
    environ: MutableMapping[str, str]
    make_provider: Callable[[], Provider] | None
    timeout_seconds: int
    at: Callable[[str], None]

    @property
    def state_dir(self) -> Path:
        return state_dir_of(self.root)

    @property
    def address_file(self) -> Path:
        """Holds the page's address as long as the daemon runs."""
        return self.state_dir / "address"

    def build(self) -> Services:
        return build_services(
            self.root,
            environ=self.environ,
            say=_log.info,
            config=self.config,
            provider=self.make_provider() if self.make_provider else None,
            at=self.at,
        )
