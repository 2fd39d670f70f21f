"""Builds every part once. The one file that knows all concrete classes."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from daemon.clock import Clock, Heartbeat, SystemClock
from daemon.config.last_good import LastGood
from daemon.config.phrases import Phrases
from daemon.config.secrets import find_secret
from daemon.config.sections import Config, ProviderSection
from daemon.config.toml_file import CONFIG_FILE, load_config
from daemon.errors import Fault, SprintdError, WorkspaceInvalid
from daemon.governance.budget import Budget
from daemon.governance.metered import MeteredProvider
from daemon.governance.recovery import refusal_while_halted
from daemon.llm.extractive import ExtractiveProvider
from daemon.llm.prices import load_prices
from daemon.llm.provider import Provider
from daemon.quality.rules import QualityRules
from daemon.sprint.parts import SprintParts
from daemon.sprint.reading import MAP_FILE, QUALITY_FILE, load_manifest, load_quality_rules
from daemon.store.database import Database, open_database, open_read_only
from daemon.store.owner_lock import owner_name
from daemon.store.probe import StoreProbe
from daemon.workspace.last_good import LastGoodWorkspace

API_KEY = "anthropic_api_key"
_PROBE_SECONDS = 30.0
_LOCAL_KEY = "local"  # servers on this machine ask for a key and ignore it


@dataclass(frozen=True)
class Services:
    """Every part of the daemon, built once and handed to whoever needs it."""

    root: Path
    config: Config
    clock: Clock
    db: Database
    budget: Budget
    metered: MeteredProvider
    source: LastGoodWorkspace
    phrases: Phrases
    sprint_parts: SprintParts
    probe: StoreProbe
    worker_heartbeat: Heartbeat
    scheduler_heartbeat: Heartbeat
    stop: threading.Event

    @property
    def state_dir(self) -> Path:
        return state_dir_of(self.root)

    def look_again(self) -> tuple[Fault, ...]:
        """Take up what people edited; what is wrong with it now. The last good files go on."""
        parts = self.sprint_parts
        found: tuple[Fault, ...] = ()
        for files in (parts.settings, parts.map, parts.rules, self.source):
            with suppress(WorkspaceInvalid):  # `faults` says it as well
                files.load()
            found += files.faults
        self.budget.adopt(parts.config.budget)
        return found

    def close(self) -> None:
        """Give up connections; a model call under way is abandoned and stays paid for."""
        self.metered.close()
        self.db.close()


def build_services(
    root: Path,
    *,
    environ: Mapping[str, str],
    say: Callable[[str], None],
    clock: Clock | None = None,
    config: Config | None = None,
    provider: Provider | None = None,
    db: Database | None = None,
) -> Services:
    """Everything a workspace needs, with its database opened and migrated.

    `say` gets a line of progress at a time. Raises WorkspaceInvalid for a faulty config.toml,
    StoreError where the database cannot be opened, SprintdError for a provider that cannot be
    built. `db` is used in place of the workspace's own database where it is given.
    """
    clock = clock or SystemClock()
    config = config or load_config(root)
    stop = threading.Event()
    db = db or open_database(database_of(root))
    budget = Budget(db, load_prices(root), config.budget, clock)
    worker = Heartbeat(clock, stale_after_seconds=config.web.stale_after_seconds)
    metered = _meter(
        provider or build_provider(root, config.provider, environ, clock),
        budget,
        db,
        clock,
        config.provider,
        stop=stop,
        busy=worker.expect,
    )
    settings = _live_settings(root, config)
    source = LastGoodWorkspace(root)
    parts = SprintParts(
        root=root,
        settings=settings,
        clock=clock,
        db=db,
        metered=metered,
        source=source,
        map=LastGood(lambda: load_manifest(root), lambda: [root / MAP_FILE]),
        rules=_live_rules(root, settings),
        stop=stop,
        say=say,
    )
    return Services(
        root=root,
        config=config,
        clock=clock,
        db=db,
        budget=budget,
        metered=metered,
        source=source,
        phrases=Phrases(config.daemon.language),
        sprint_parts=parts,
        probe=StoreProbe(db, clock, every_seconds=_PROBE_SECONDS),
        worker_heartbeat=worker,
        scheduler_heartbeat=Heartbeat(clock, stale_after_seconds=config.web.stale_after_seconds),
        stop=stop,
    )


def build_provider(
    root: Path, section: ProviderSection, environ: Mapping[str, str], clock: Clock
) -> Provider:
    """The provider that the configuration names.

    `auto` is Claude where there is a key or a base_url, and the offline writer otherwise. Raises
    SprintdError where Claude is asked for by name and there is no key.
    """
    if section.kind == "replay":
        return _replay(root, section)
    provider = _direct_provider(root, section, environ, clock)
    if not section.record:
        return provider
    from daemon.llm.replay import RecordingProvider

    return RecordingProvider(provider, _replay_dir(root, section))


def provider_in_use(
    root: Path, section: ProviderSection, environ: Mapping[str, str]
) -> Literal["claude", "extractive", "replay"]:
    """What `build_provider` would build, without loading an SDK; raises what it would raise."""
    if section.kind == "replay":
        return "replay"
    return "extractive" if _key_for_claude(root, section, environ) is None else "claude"


@contextmanager
def open_for_looking(root: Path) -> Iterator[Database]:
    """The workspace's database, which is never changed; an empty one where nothing ran here yet.

    The empty one stands in a temporary folder, so looking leaves no trace. Raises StoreError.
    """
    with ExitStack() as stack:
        path = database_of(root)
        if path.exists():
            db = open_read_only(path)
        else:
            folder = stack.enter_context(TemporaryDirectory(prefix="sprintd-"))
            db = open_database(Path(folder) / path.name)
        stack.callback(db.close)
        yield db


def _live_settings(root: Path, config: Config) -> LastGood[Config]:
    """Money, sprints, quality and digests follow the file; everything else needs a restart."""

    def read() -> Config:
        new = load_config(root)
        live = ("budget", "sprint", "quality", "digest")
        return config.model_copy(update={name: getattr(new, name) for name in live})

    return LastGood(read, lambda: [root / CONFIG_FILE], config)


def _live_rules(root: Path, settings: LastGood[Config]) -> LastGood[QualityRules]:
    files = [root / QUALITY_FILE, root / CONFIG_FILE]
    return LastGood(lambda: load_quality_rules(root, settings.load()), lambda: files)


def find_secrets(root: Path, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Every secret that is known, so that it can be kept out of logs."""
    key = find_secret(API_KEY, environ=environ, state_dir=state_dir_of(root))
    return (key,) if key else ()


def state_dir_of(root: Path) -> Path:
    """The daemon's own folder in a workspace."""
    return root / "state"


def database_of(root: Path) -> Path:
    """The file of a workspace's database."""
    return state_dir_of(root) / "sprintd.db"


def _meter(
    provider: Provider,
    budget: Budget,
    db: Database,
    clock: Clock,
    section: ProviderSection,
    *,
    stop: threading.Event,
    busy: Callable[[float], None],
) -> MeteredProvider:
    return MeteredProvider(
        provider,
        budget,
        db,
        clock,
        max_tries=section.max_tries,
        deadline_seconds=section.call_deadline_seconds,
        owner=owner_name(),
        stop=stop,
        jitter=random.SystemRandom().random,
        gate=lambda: refusal_while_halted(db),
        busy=busy,
    )


def _direct_provider(
    root: Path, section: ProviderSection, environ: Mapping[str, str], clock: Clock
) -> Provider:
    key = _key_for_claude(root, section, environ)
    if key is None:
        return ExtractiveProvider()
    # Imported here because the SDK takes one to two seconds, which an offline start need not pay.
    from daemon.llm.claude import ClaudeProvider

    return ClaudeProvider(
        api_key=key,
        base_url=section.base_url,
        reasoning_model=section.reasoning_model,
        routine_model=section.routine_model,
        deadline_seconds=section.call_deadline_seconds,
        clock=clock,
    )


def _key_for_claude(root: Path, section: ProviderSection, environ: Mapping[str, str]) -> str | None:
    """The key for the service; None where the offline writer serves. Raises SprintdError."""
    if section.kind == "extractive":
        return None
    key = find_secret(API_KEY, environ=environ, state_dir=state_dir_of(root))
    if key is None and section.base_url:
        return _LOCAL_KEY
    if key is None and section.kind == "claude":
        raise SprintdError(
            'provider.kind is "claude" but there is no key: set ANTHROPIC_API_KEY, or put the key '
            "into state/secrets/anthropic_api_key with mode 0600"
        )
    return key


def _replay(root: Path, section: ProviderSection) -> Provider:
    from daemon.llm.replay import ReplayProvider

    return ReplayProvider(
        _replay_dir(root, section),
        reasoning_model=section.reasoning_model,
        routine_model=section.routine_model,
    )


def _replay_dir(root: Path, section: ProviderSection) -> Path:
    return root / (section.replay_dir or "state/replay")
