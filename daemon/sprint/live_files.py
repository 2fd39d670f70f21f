"""The files that sprints follow while the daemon runs; of each the last good content goes on."""

from __future__ import annotations

from pathlib import Path

from daemon.config.last_good import LastGood
from daemon.config.sections import Config
from daemon.config.toml_file import CONFIG_FILE, load_config
from daemon.knowledge.unit import Manifest
from daemon.quality.rules import QualityRules
from daemon.sprint.reading import MAP_FILE, QUALITY_FILE, load_manifest, load_quality_rules


def live_settings(root: Path, config: Config) -> LastGood[Config]:
    """Money, sprints and digests follow the file; everything else needs a restart."""

    def read() -> Config:
        new = load_config(root)
        live = ("budget", "sprint", "digest")
        return config.model_copy(update={name: getattr(new, name) for name in live})

    return LastGood(read, lambda: [root / CONFIG_FILE], config)


def live_rules(root: Path) -> LastGood[QualityRules]:
    """The rules of verdicts, with the threshold of the score."""
    return LastGood(lambda: load_quality_rules(root), lambda: [root / QUALITY_FILE])


def live_map(root: Path) -> LastGood[Manifest]:
    """The map of what may be read."""
    return LastGood(lambda: load_manifest(root), lambda: [root / MAP_FILE])
