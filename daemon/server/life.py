"""One life of the daemon: what works in the worker process, from the lock to the threads."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Self

from daemon.bootstrap import Services
from daemon.clock import SystemClock
from daemon.config.phrases import Phrases
from daemon.errors import StoreError
from daemon.governance.states import enter_state
from daemon.notify.console import Notifier, notifier_for
from daemon.notify.systemd import Systemd
from daemon.reports.serving import Serving, keep_serving, provider_line
from daemon.scheduling.delivery import Delivery
from daemon.scheduling.inbox import InboxWork, build_inbox
from daemon.scheduling.mute_channels import tell_mute_channels
from daemon.scheduling.work import Work
from daemon.server.plan import Plan
from daemon.server.supervisor import Supervisor
from daemon.store.owner_lock import OwnerLock
from daemon.web.app import create_app
from daemon.web.watch import Watch

# A request to Slack or Notion that is under way then is left; the next life looks it up.
_SENDING_SECONDS = 3.0
_SHOWING_SECONDS = 1.0
_LISTENING_SECONDS = 1.0


@dataclass(frozen=True)
class Life:
    """Everything that works in gunicorn's worker process, from the lock to the threads."""

    pid: int
    lock: OwnerLock
    services: Services
    work: Work
    delivery: Delivery
    inbox: InboxWork
    listening: Any
    supervisor: Supervisor
    console: Notifier
    app: Any

    @classmethod
    def prepare(cls, plan: Plan, token: str, systemd: Systemd) -> Self:
        """Own the workspace and build the parts; nothing runs yet. Raises SprintdError."""
        lock = OwnerLock(plan.state_dir)
        # The parent starts another worker where this one ends alone.
        lock.acquire(SystemClock().now(), stop_pid=os.getppid())
        services = plan.build()
        services.db.let_only(lock.check)
        form = plan.config.daemon.log_format
        console = notifier_for(form, sys.stdout, services.phrases)
        work = Work.build(services, plan.config, console.post)
        delivery = Delivery(
            services.outbox,
            services.clock,
            heartbeat=services.delivery_heartbeat,
            stop=services.stop,
        )
        supervisor = Supervisor(
            systemd,
            work.worker,
            services.heartbeats,
            stop=services.stop,
            grace_seconds=plan.config.daemon.stop_grace_seconds,
            abandon=services.metered.close,
        )
        page = _tell_others(plan, services)
        watch = Watch(services, token, lambda: work.jobs.faults, work.sprint_now, work.watch, page)
        app = create_app(watch)
        inbox = build_inbox(services, work.sprint_now)
        listening = _listening(services)
        return cls(
            os.getpid(), lock, services, work, delivery, inbox, listening, supervisor, console, app
        )

    def start(self) -> None:
        """Begin with what was missed, then a sprint; the timetable brings the rest. systemd hears of it last."""
        tell_mute_channels(self.services)
        self.work.start()
        self.delivery.start()
        self.inbox.start()
        if self.listening is not None:
            self.listening.start()
        self.supervisor.start()

    def stop(self) -> None:
        """End the threads within a bound and give everything up."""
        self.services.stop.set()
        self.work.scheduler.stop()
        ended = self.supervisor.join()
        if self.listening is not None:
            self.listening.join(_LISTENING_SECONDS)
        self.inbox.join(_LISTENING_SECONDS)
        self.delivery.join(_SENDING_SECONDS)
        self.console.close(_SHOWING_SECONDS)
        with suppress(StoreError):
            reason = self.services.phrases.text("tick.stopped")
            enter_state(self.services.db, "stopping", reason, self.services.clock.now())
        self.services.close()
        if ended:  # else the kernel gives the lock back with the process
            self.lock.release()


def _tell_others(plan: Plan, services: Services) -> str:
    """The page's address. `sprintd status` reads it and the provider, for its own may be another."""
    page = ""
    with suppress(OSError):
        page = plan.address_file.read_text("utf-8").strip()
    metered = services.metered
    line = provider_line(metered.provider_name, metered.describe(), Phrases("en"))
    with suppress(StoreError):  # a database that cannot be written is told of elsewhere
        keep_serving(
            services.db,
            Serving(os.getpid(), line, page, services.outbox.channels),
            services.clock.now(),
        )
    return page


def _listening(services: Services) -> Any:
    """The line on which presses come in, or None. Imported only then: it brings Slack's SDK."""
    if services.inbound.way != "socket":
        return None
    from daemon.scheduling.listening import build_listening

    return build_listening(services)
