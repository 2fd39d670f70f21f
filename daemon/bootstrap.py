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

from daemon.clock import Clock, Heartbeat, SystemClock
from daemon.config.last_good import LastGood
from daemon.config.phrases import Phrases
from daemon.config.secrets import find_secret
from daemon.config.sections import Config
from daemon.config.toml_file import load_config
from daemon.errors import Fault, WorkspaceInvalid
from daemon.governance.acting import call_model, message_sender
from daemon.governance.action_gate import ActionGate
from daemon.governance.approvals import Approvals
from daemon.governance.budget import Budget
from daemon.governance.deliveries import build_outbox
from daemon.governance.metered import MeteredProvider
from daemon.governance.metering import meter
from daemon.governance.proven import proven_raises
from daemon.governance.published import is_approved
from daemon.governance.questions import build_approvals
from daemon.knowledge.unit import Manifest
from daemon.llm.choosing import API_KEY, STATE_FOLDER, build_provider
from daemon.llm.prices import load_prices
from daemon.llm.provider import Provider
from daemon.notify.inbound import Inbound, build_inbound
from daemon.notify.notifier import Sender
from daemon.notify.outbox import Outbox
from daemon.notify.senders import SECRETS, build_senders
from daemon.sprint.gatekeeping import build_gate
from daemon.sprint.live_files import live_definitions, live_rules, live_settings
from daemon.sprint.parts import SprintParts
from daemon.store.database import Database, open_database, open_read_only
from daemon.store.notion import NotionShelf
from daemon.store.probe import StoreProbe
from daemon.workspace.definitions import Workspace

_PROBE_SECONDS = 15.0
_jitter = random.SystemRandom().random


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
    inbound: Inbound
    worker_heartbeat: Heartbeat
    scheduler_heartbeat: Heartbeat
    delivery_heartbeat: Heartbeat
    inbox_heartbeat: Heartbeat
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
        if self.outbox.channels:
            found["delivery"] = self.delivery_heartbeat
        return found | ({"inbox": self.inbox_heartbeat} if self.inbound.way else {})

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
    built. A given `db` is used in place of the workspace's own; `at` is told a sprint's every step.
    """
    clock = clock or SystemClock()
    config = config or load_config(root)
    stop = threading.Event()
    db = db or open_database(database_of(root))
    heartbeat = partial(Heartbeat, clock, stale_after_seconds=config.web.stale_after_seconds)
    worker, delivery = heartbeat(), heartbeat()
    provider = provider or build_provider(root, config.provider, environ, clock)
    source, chart = live_definitions(root, config)
    actions = build_gate(root, state_dir_of(root), config, db, clock, source, chart)
    raised = proven_raises(db, actions.books)
    budget = Budget(db, load_prices(root), config.budget, clock, raised)
    metered = meter(
        provider, budget, db, clock, config.provider, jitter=_jitter, stop=stop,
        busy=worker.expect, act=partial(call_model, actions),
    )  # fmt: skip
    senders = _senders(root, config, environ, clock, db, delivery)
    parts = _sprint_parts(
        root, config, (source, chart), clock, db, metered, actions,
        stop=stop, say=say, channels=tuple(senders), at=at,
    )  # fmt: skip
    phrases, carry = Phrases(config.daemon.language), message_sender(actions, config)
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
        approvals=build_approvals(
            db, actions, clock, lambda: parts.config.approvals, lambda: parts.voice
        ),
        inbound=_inbound(root, config, environ, parts),
        outbox=build_outbox(db, clock, senders, phrases, _jitter, carry, actions.books),
        worker_heartbeat=worker,
        scheduler_heartbeat=heartbeat(),
        delivery_heartbeat=delivery,
        inbox_heartbeat=heartbeat(),
        stop=stop,
    )


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
    names = (API_KEY, *SECRETS)
    found = [find_secret(name, environ=environ, state_dir=state_dir_of(root)) for name in names]
    return tuple(filter(None, found))


def state_dir_of(root: Path) -> Path:
    """The daemon's own folder in a workspace."""
    return root / STATE_FOLDER


def database_of(root: Path) -> Path:
    """The file of a workspace's database."""
    return state_dir_of(root) / "sprintd.db"


def _senders(
    root: Path,
    config: Config,
    environ: Mapping[str, str],
    clock: Clock,
    db: Database,
    delivery: Heartbeat,
) -> dict[str, Sender]:
    return build_senders(
        config,
        environ,
        state_dir_of(root),
        delivery.expect,
        shelf=NotionShelf(db, clock, findings=config.notion.findings_data_source),
        approved=partial(is_approved, db),
    )


def _inbound(root: Path, config: Config, environ: Mapping[str, str], parts: SprintParts) -> Inbound:
    return build_inbound(
        config,
        environ,
        state_dir_of(root),
        parts.db,
        parts.clock,
        posts="slack" in parts.channels,
        deciders=lambda: parts.settings.load().slack.deciders,  # an edit is in force at once
    )


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
