"""One life of the daemon: what works in the worker process, from the lock to the threads."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from daemon.bootstrap import Services, build_services, state_dir_of
from daemon.clock import SystemClock
from daemon.config.sections import Config
from daemon.errors import StoreError
from daemon.governance.states import enter_state
from daemon.llm.provider import Provider
from daemon.notify.console import ConsoleNotifier
from daemon.scheduling.jobs import Jobs
from daemon.scheduling.scheduler import Scheduler
from daemon.scheduling.worker import Worker
from daemon.store.owner_lock import OwnerLock
from daemon.web.app import create_app
from daemon.web.watch import Watch

# How long a stop waits for a model call to end by itself before it is abandoned (and stays paid
# at its worst case), and then for the worker's thread. The sum stays below gunicorn's patience.
_CALL_GRACE_SECONDS = 3.0
_JOIN_SECONDS = 10.0
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Plan:
    """What a run needs to know. `make_provider` None: the provider that config.toml names."""

    root: Path
    config: Config
    environ: MutableMapping[str, str]
    make_provider: Callable[[], Provider] | None
    timeout_seconds: int

    @property
    def state_dir(self) -> Path:
        return state_dir_of(self.root)

    def build(self) -> Services:
        return build_services(
            self.root,
            environ=self.environ,
            say=_log.info,
            config=self.config,
            provider=self.make_provider() if self.make_provider else None,
        )


@dataclass(frozen=True)
class Life:
    """Everything that works in gunicorn's worker process, from the lock to the threads."""

    pid: int
    lock: OwnerLock
    services: Services
    worker: Worker
    scheduler: Scheduler
    app: Any

    @classmethod
    def prepare(cls, plan: Plan, token: str) -> Self:
        """Own the workspace and build the parts; nothing runs yet. Raises SprintdError."""
        lock = OwnerLock(plan.state_dir)
        lock.acquire(SystemClock().now())
        services = plan.build()
        post = ConsoleNotifier(sys.stdout).post
        jobs = Jobs(services, post=post, next_sprint_at=lambda: scheduler.next_time("sprint"))
        worker = Worker(
            jobs.by_name(),
            heartbeat=services.worker_heartbeat,
            stop=services.stop,
            idle=jobs.idle,
            report=jobs.report,
        )
        scheduler = Scheduler(
            plan.config, enqueue=worker.enqueue, heartbeat=services.scheduler_heartbeat
        )
        after_reset = lambda: worker.enqueue("sprint")  # noqa: E731
        app = create_app(Watch(services, token, lambda: jobs.faults, after_reset))
        return cls(os.getpid(), lock, services, worker, scheduler, app)

    def start(self) -> None:
        """Begin with a sprint at once; the timetable brings the next ones."""
        self.worker.enqueue("sprint")
        self.worker.start()
        self.scheduler.start()

    def stop(self) -> None:
        """End the threads within a bound and give everything up."""
        self.services.stop.set()
        self.scheduler.stop()
        ended = self.worker.join(_CALL_GRACE_SECONDS)
        if not ended:
            self.services.metered.close()
            ended = self.worker.join(_JOIN_SECONDS)
        with suppress(StoreError):
            reason = self.services.phrases.text("tick.stopped")
            enter_state(self.services.db, "stopping", reason, self.services.clock.now())
        self.services.close()
        if ended:  # else the kernel gives the lock back with the process
            self.lock.release()
