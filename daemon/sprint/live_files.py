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
    """Money, sprints, quality and digests follow the file; everything else needs a restart."""

    def read() -> Config:
        new = load_config(root)
        live = ("budget", "sprint", "quality", "digest")
        return config.model_copy(update={name: getattr(new, name) for name in live})

    return LastGood(read, lambda: [root / CONFIG_FILE], config)


def live_rules(root: Path, settings: LastGood[Config]) -> LastGood[QualityRules]:
    """The rules of verdicts, which the settings take part in."""
    files = [root / QUALITY_FILE, root / CONFIG_FILE]
    return LastGood(lambda: load_quality_rules(root, settings.load()), lambda: files)


def live_map(root: Path) -> LastGood[Manifest]:
    """The map of what may be read."""
    return LastGood(lambda: load_manifest(root), lambda: [root / MAP_FILE])
