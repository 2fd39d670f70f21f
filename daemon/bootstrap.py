"""Builds every part once. The one file that knows all concrete classes."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, TypeVar

from daemon.clock import Clock, Heartbeat, SystemClock
from daemon.config.last_good import LastGood
from daemon.config.phrases import Phrases
from daemon.config.secrets import find_secret
from daemon.config.sections import Config, ProviderSection
from daemon.config.toml_file import load_config
from daemon.errors import Fault, SprintdError, WorkspaceInvalid
from daemon.governance.acting import call_model, message_sender
from daemon.governance.action_gate import ActionGate
from daemon.governance.approvals import Approvals
from daemon.governance.budget import Budget
from daemon.governance.deliveries import build_outbox
from daemon.governance.metered import MeteredProvider
from daemon.governance.metering import meter
from daemon.governance.published import is_approved
from daemon.knowledge.unit import Manifest
from daemon.llm.extractive import ExtractiveProvider
from daemon.llm.prices import load_prices
from daemon.llm.provider import Provider
from daemon.notify.outbox import Outbox
from daemon.notify.senders import NOTION_TOKEN, SLACK_TOKEN, build_senders
from daemon.sprint.gatekeeping import build_gate
from daemon.sprint.live_files import live_definitions, live_rules, live_settings
from daemon.sprint.parts import SprintParts
from daemon.store.database import Database, open_database, open_read_only
from daemon.store.notion import NotionShelf
from daemon.store.probe import StoreProbe
from daemon.workspace.definitions import Workspace

API_KEY = "anthropic_api_key"
_PROBE_SECONDS = 15.0
T = TypeVar("T")
_jitter = random.SystemRandom().random
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
    source: LastGood[Workspace]
    phrases: Phrases
    sprint_parts: SprintParts
    probe: StoreProbe
    outbox: Outbox
    approvals: Approvals
    worker_heartbeat: Heartbeat
    scheduler_heartbeat: Heartbeat
    delivery_heartbeat: Heartbeat
    stop: threading.Event

    @property
    def state_dir(self) -> Path:
        return state_dir_of(self.root)

    @property
    def channels(self) -> tuple[str, ...]:
        """The channels that reports and alerts go to; findings find their way to Notion alone."""
        return tuple(name for name in self.outbox.channels if name != "notion")

    @property
    def heartbeats(self) -> dict[str, Heartbeat]:
        """Of every thread that must live, by what it is for."""
        found = {"worker": self.worker_heartbeat, "scheduler": self.scheduler_heartbeat}
        return {**found, "delivery": self.delivery_heartbeat} if self.outbox.channels else found

    def look_again(self) -> tuple[Fault, ...]:
        """Take up what people edited; what is wrong with it now. The last good files go on."""
        parts = self.sprint_parts
        found: tuple[Fault, ...] = ()
        for files in (parts.settings, self.source, parts.map, parts.rules):
            with suppress(WorkspaceInvalid):  # `faults` says it as well
                files.load()
            found += files.faults
        self.budget.adopt(parts.config.budget)
        return found

    def close(self) -> None:
        """Give up connections; a model call under way is abandoned and stays paid for."""
        self.metered.close()
        self.outbox.close()
        self.sprint_parts.actions.close()
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
    at: Callable[[str], None] = lambda _step: None,
) -> Services:
    """Everything a workspace needs, with its database opened and migrated.

    `say` gets a line of progress at a time. Raises WorkspaceInvalid for a faulty config.toml,
    StoreError where the database cannot be opened, SprintdError for a provider that cannot be
    built. `db` is used in place of the workspace's own database where it is given; `at` is told
    every step that a sprint has done.
    """
    clock = clock or SystemClock()
    config = config or load_config(root)
    stop = threading.Event()
    db = db or open_database(database_of(root))
    budget = Budget(db, load_prices(root), config.budget, clock)
    heartbeat = partial(Heartbeat, clock, stale_after_seconds=config.web.stale_after_seconds)
    worker, delivery = heartbeat(), heartbeat()
    provider = provider or build_provider(root, config.provider, environ, clock)
    source, chart = live_definitions(root, config)
    actions = build_gate(root, state_dir_of(root), config, db, clock, source, chart)
    metered = meter(
        provider, budget, db, clock, config.provider, jitter=_jitter, stop=stop,
        busy=worker.expect, act=partial(call_model, actions),
    )  # fmt: skip
    shelf = NotionShelf(db, clock, findings=config.notion.findings_data_source)
    senders = build_senders(
        config, environ, state_dir_of(root), delivery.expect,
        shelf=shelf, approved=partial(is_approved, db),
    )  # fmt: skip
    parts = _sprint_parts(
        root, config, (source, chart), clock, db, metered, actions,
        stop=stop, say=say, channels=tuple(senders), at=at,
    )  # fmt: skip
    phrases = Phrases(config.daemon.language)
    return Services(
        root=root,
        config=config,
        clock=clock,
        db=db,
        budget=budget,
        metered=metered,
        source=parts.source,
        phrases=phrases,
        sprint_parts=parts,
        probe=StoreProbe(db, clock, every_seconds=_PROBE_SECONDS),
        approvals=Approvals(
            db, actions, clock, lambda: parts.config.approvals, lambda: parts.voice
        ),
        outbox=build_outbox(db, clock, senders, phrases, _jitter, message_sender(actions, config)),
        worker_heartbeat=worker,
        scheduler_heartbeat=heartbeat(),
        delivery_heartbeat=delivery,
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


def find_secrets(root: Path, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Every secret that is known, so that it can be kept out of logs."""
    names = (API_KEY, SLACK_TOKEN, NOTION_TOKEN)
    found = [find_secret(name, environ=environ, state_dir=state_dir_of(root)) for name in names]
    return tuple(filter(None, found))


def state_dir_of(root: Path) -> Path:
    """The daemon's own folder in a workspace."""
    return root / "state"


def database_of(root: Path) -> Path:
    """The file of a workspace's database."""
    return state_dir_of(root) / "sprintd.db"


def _sprint_parts(
    root: Path,
    config: Config,
    files: tuple[LastGood[Workspace], LastGood[Manifest]],
    clock: Clock,
    db: Database,
    metered: MeteredProvider,
    actions: ActionGate,
    *,
    stop: threading.Event,
    say: Callable[[str], None],
    channels: tuple[str, ...],
    at: Callable[[str], None],
) -> SprintParts:
    source, chart = files
    return SprintParts(
        root=root,
        settings=live_settings(root, config),
        clock=clock,
        db=db,
        metered=metered,
        actions=actions,
        source=source,
        map=chart,
        rules=live_rules(root),
        stop=stop,
        say=say,
        channels=channels,
        at=at,
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
