"""A provider with everything around it that keeps its calls within their rules."""

from __future__ import annotations

import threading
from collections.abc import Callable

from daemon.clock import Clock
from daemon.config.sections import ProviderSection
from daemon.governance import gate
from daemon.governance.budget import Budget
from daemon.governance.calls import Act
from daemon.governance.metered import MeteredProvider
from daemon.llm.provider import Provider
from daemon.store.database import Database
from daemon.store.owner_lock import owner_name


def meter(
    provider: Provider,
    budget: Budget,
    db: Database,
    clock: Clock,
    section: ProviderSection,
    *,
    jitter: Callable[[], float],
    stop: threading.Event,
    busy: Callable[[float], None],
    act: Act,
) -> MeteredProvider:
    """The only way to the provider: budget, gate and retries as the configuration wants them.

    `busy` is told how many seconds a wait or a call may take. `act` does a try, or refuses to.
    """
    return MeteredProvider(
        provider,
        budget,
        db,
        clock,
        max_tries=section.max_tries,
        deadline_seconds=section.call_deadline_seconds,
        owner=owner_name(),
        stop=stop,
        jitter=jitter,
        gate=lambda: gate.refusal_now(db, clock.now()),
        busy=busy,
        leave_alone=lambda until, said: gate.leave_alone(db, until, said, clock.now()),
        act=act,
    )
