"""The files that sprints follow while the daemon runs; of each the last good content goes on."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, TypeVar

from daemon.config.last_good import LastGood
from daemon.config.sections import Config
from daemon.config.toml_file import CONFIG_FILE, load_config
from daemon.errors import Fault, WorkspaceInvalid
from daemon.knowledge.unit import Manifest
from daemon.quality.rules import QualityRules
from daemon.sprint.flow_files import check_flow
from daemon.sprint.reading import MAP_FILE, QUALITY_FILE, load_manifest, load_quality_rules
from daemon.workspace.definitions import Workspace
from daemon.workspace.last_good import LastGoodWorkspace, definition_paths

T = TypeVar("T")
_LIVE = ("budget", "approvals", "sprint", "digest", "memory")


def live_settings(root: Path, config: Config) -> LastGood[Config]:
    """Money, approvals, sprints, digests, memory and who may decide follow the file, the rest a restart."""

    def read() -> Config:
        new = load_config(root)
        live = {name: getattr(new, name) for name in _LIVE}
        slack = config.slack.model_copy(update={"deciders": new.slack.deciders})
        return config.model_copy(update={**live, "slack": slack})

    return LastGood(read, lambda: [root / CONFIG_FILE], config)


def live_rules(root: Path) -> LastGood[QualityRules]:
    """The rules of verdicts, with the threshold of the score."""
    return LastGood(lambda: load_quality_rules(root), lambda: [root / QUALITY_FILE])


def live_map(root: Path) -> LastGood[Manifest]:
    """The map of what may be read."""
    return LastGood(lambda: load_manifest(root), lambda: [root / MAP_FILE])


def live_definitions(root: Path, config: Config) -> tuple[LastGood[Workspace], LastGood[Manifest]]:
    """What people defined and the map, each with its last good content, and never a pair of the two
    in which an agent holds all three powers: then the last good pair goes on.

    `config` is the one that the daemon started with, because its channels are.
    """
    source, chart = LastGoodWorkspace(root), live_map(root)

    def read() -> _Pair:
        pair = _Pair(_latest(source), _latest(chart))
        if pair.workspace and pair.manifest:
            check_flow(root, config, pair.workspace, pair.manifest)
        return pair

    pairs = LastGood(read, lambda: [*definition_paths(root), root / MAP_FILE])
    return _Leading(pairs, source), _Following(pairs, chart)


class _Pair(NamedTuple):
    """None for what was never good."""

    workspace: Workspace | None
    manifest: Manifest | None


class _Leading(LastGood[Workspace]):
    """The definitions of the pair; whoever asks for them takes up edits of both."""

    def __init__(self, pairs: LastGood[_Pair], own: LastGood[Workspace]) -> None:
        super().__init__(self.load, list)
        self._pairs, self._own = pairs, own

    @property
    def faults(self) -> tuple[Fault, ...]:
        return (*self._own.faults, *self._pairs.faults)

    @property
    def latest(self) -> Workspace | None:
        return self._pairs.latest.workspace if self._pairs.latest else None

    def load(self) -> Workspace:
        found = self._pairs.load().workspace
        if found is None:
            raise WorkspaceInvalid(self.faults)
        return found


class _Following(LastGood[Manifest]):
    """The map that goes with the definitions as they were last asked for, so that an edit between
    the two questions of a sprint cannot join halves that were never checked together."""

    def __init__(self, pairs: LastGood[_Pair], own: LastGood[Manifest]) -> None:
        super().__init__(self.load, list)
        self._pairs, self._own = pairs, own

    @property
    def faults(self) -> tuple[Fault, ...]:
        return self._own.faults

    @property
    def latest(self) -> Manifest | None:
        return self._pairs.latest.manifest if self._pairs.latest else None

    def load(self) -> Manifest:
        found = self.latest or self._pairs.load().manifest
        if found is None:
            raise WorkspaceInvalid(self._own.faults or self._pairs.faults)
        return found


def _latest(files: LastGood[T]) -> T | None:
    with suppress(WorkspaceInvalid):
        return files.load()
    return None
