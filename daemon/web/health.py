"""GET /health: whether the daemon works, from memory and constant-time reads; waits for nobody."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from daemon import __version__
from daemon.clock import Heartbeat, day_of, to_text
from daemon.config.phrases import Phrases
from daemon.errors import StoreError
from daemon.reports.job_states import JobWatch, job_states_as_json
from daemon.reports.mute import find_mute
from daemon.reports.serving import Serving, provider_line
from daemon.reports.status import Status, heartbeat_as_json, provider_as_json, take_status
from daemon.store.items import list_item_states
from daemon.web.watch import Watch
from daemon.web.wording import ago
from daemon.workspace.board import count_standings

_ENGLISH = Phrases("en")  # machines compare it with what `sprintd status --json` says


@dataclass(frozen=True)
class Health:
    """`problems` are sentences, none where all is well. `status` is None without the database, and
    `jobs` are empty then."""

    problems: tuple[str, ...]
    status: Status | None
    jobs: tuple[dict[str, Any], ...] = ()


def take_health(watch: Watch) -> Health:
    """Look at heartbeats, the last trial of writing, and the store. Raises nothing on purpose."""
    services, say = watch.services, watch.services.phrases.text
    watches = watch.jobs()
    problems = [
        *(
            problem
            for part, heartbeat in services.heartbeats.items()
            for problem in _problem_of(watch, part, heartbeat)
        ),
        *_hung(watch, watches),
    ]
    status, broken = None, services.probe.fault
    jobs: list[dict[str, Any]] = []
    try:
        services.db.check_place()
        status = _status(watch)
        jobs = job_states_as_json(services.db, watches, services.clock.now())
    except StoreError as error:
        broken = str(error)
    if broken:
        problems.append(say("health.store", error=broken))
    return Health(tuple(problems), status, tuple(jobs))


def health_as_json(watch: Watch, health: Health) -> dict[str, Any]:
    """For monitoring. Without the database only what is in memory is known."""
    services = watch.services
    known = health.status.as_json() if health.status else _without_store(watch)
    return {
        "ok": not health.problems,
        "problems": list(health.problems),
        "at": to_text(services.clock.now()),
        "worker": heartbeat_as_json(services.worker_heartbeat),
        "scheduler": heartbeat_as_json(services.scheduler_heartbeat),
        "delivery": heartbeat_as_json(services.delivery_heartbeat) | _channels(watch),
        "inbox": heartbeat_as_json(services.inbox_heartbeat) | _way_in(watch),
        "jobs": list(health.jobs),
        **known,
    }


def _channels(watch: Watch) -> dict[str, Any]:
    return {"channels": list(watch.services.outbox.channels)}


def _way_in(watch: Watch) -> dict[str, Any]:
    """How presses come in from Slack; its failures are told here, for Slack cannot tell them."""
    inbound, state = watch.services.inbound, watch.services.inbound.state
    return {
        "way": inbound.way or None,
        "connected": state.connected,
        "since": to_text(state.since) if state.since else None,
        "problem": state.problem or None,
        "refused": inbound.refused,
    }


def _problem_of(watch: Watch, part: str, heartbeat: Heartbeat) -> tuple[str, ...]:
    if heartbeat.is_fresh():
        return ()
    if heartbeat.has_ended():
        return (watch.services.phrases.text(f"health.{part}_dead"),)
    age = heartbeat.age_seconds()
    told = "?" if age is None else ago(age)
    return (watch.services.phrases.text(f"health.{part}_silent", age=told),)


def _hung(watch: Watch, jobs: Sequence[JobWatch]) -> list[str]:
    return [
        watch.services.phrases.text(
            "health.job_hung", job=job.job, at=f"{job.hung_slot:%Y-%m-%d %H:%M}"
        )
        for job in jobs
        if job.hung_slot
    ]


def _status(watch: Watch) -> Status:
    services = watch.services
    workspace = services.source.latest
    counts: Mapping[str, int] = {}
    if workspace is not None:
        states, today = list_item_states(services.db), day_of(services.clock.now())
        counts = dict(count_standings(workspace, states, today).items())
    return take_status(
        services.db,
        services.budget,
        provider=_serving(watch).provider,
        backlog=counts,
        faults=watch.faults(),
        serving=_serving(watch),
        mute=find_mute(services.db, services.config, services.outbox.channels),
    )


def _serving(watch: Watch) -> Serving:
    metered = watch.services.metered
    line = provider_line(metered.provider_name, metered.describe(), _ENGLISH)
    return Serving(os.getpid(), line, watch.page)


def _without_store(watch: Watch) -> dict[str, Any]:
    serving = _serving(watch)
    return {
        "version": __version__,
        **provider_as_json(serving.provider, serving),
        "workspace_faults": [str(fault) for fault in watch.faults()],
    }
