"""GET /metrics: the figures of /health and of the UTC day, in Prometheus' text format.

The only user of prometheus_client. No secret and no text of a model is in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from daemon import __version__
from daemon.clock import Heartbeat, end_of_day
from daemon.errors import StoreError
from daemon.governance.states import STATE_NAMES
from daemon.reports.status import Status
from daemon.store import day_counts, job_runs, outbox
from daemon.store.day_counts import CallCount
from daemon.web.health import Health, take_health
from daemon.web.watch import Watch

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_MICROS = 1_000_000
Samples = Mapping[str, float]


def render_metrics(watch: Watch) -> bytes:
    """Everything as text; without the database only what is in memory. Raises nothing on purpose."""
    registry = CollectorRegistry()
    registry.register(_Figures(watch))
    return generate_latest(registry)


class _Figures(Collector):
    """Reads as it is asked, so nothing is kept between two scrapes."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch

    def describe(self) -> Iterable[Metric]:
        """Nothing: asking for the names must not read the database."""
        return ()

    def collect(self) -> Iterator[Metric]:
        health = take_health(self._watch)
        yield from _of_process(self._watch, health)
        if health.status is None:
            return
        yield from _of_status(health.status)
        try:
            families = [*_of_day(self._watch), *_of_jobs(self._watch)]
        except StoreError:
            return  # sprintd_healthy tells of it at the next scrape
        yield from families


def _of_process(watch: Watch, health: Health) -> Iterator[Metric]:
    services = watch.services
    beats = services.heartbeats
    yield _build(__version__, services.metered.provider_name)
    yield _one("sprintd_healthy", "1 where /health answers 200.", float(not health.problems))
    yield _one(
        "sprintd_store_readable", "1 where the database can be read.", float(bool(health.status))
    )
    ages = {name: age for name, beat in beats.items() if (age := beat.age_seconds()) is not None}
    yield _family(
        "sprintd_heartbeat_age_seconds", "Seconds since the last sign of life.", ages, "part"
    )
    yield _family(
        "sprintd_heartbeat_fresh",
        "1 where the part lives; a long model call that was announced is life.",
        {name: _fresh(beat) for name, beat in beats.items()},
        "part",
    )
    yield _one("sprintd_workspace_faults", "Faults in the files people edit.", len(watch.faults()))


def _of_status(status: Status) -> Iterator[Metric]:
    name = status.state.name if status.state else None
    states: dict[str, float] = {state: float(state == name) for state in STATE_NAMES}
    yield _family("sprintd_state", "1 for the state that the daemon is in.", states, "state")
    if status.state:
        since = status.state.since.timestamp()
        yield _one("sprintd_state_since_timestamp_seconds", "Since when it is in it.", since)
    day = status.day
    for part, help_, micros in (
        ("cap", "What may be spent on the UTC day.", day.cap_micros),
        ("spent", "What was spent on the UTC day.", day.spent_micros),
        ("reserved", "What is set aside for calls under way.", day.reserved_micros),
    ):
        yield _one(f"sprintd_budget_{part}_usd", help_, micros / _MICROS)
    backlog = {standing: float(number) for standing, number in status.backlog.items()}
    yield _family("sprintd_items", "Backlog items by where they stand.", backlog, "standing")
    failures = status.consecutive_failures
    yield _one("sprintd_failed_sprints_in_a_row", "What the breaker counts.", failures)
    yield _one("sprintd_approvals_waiting", "Questions that wait for a person.", status.approvals)
    yield _one("sprintd_database_bytes", "Size on the disk.", status.database_bytes)


def _of_day(watch: Watch) -> Iterator[Metric]:
    db, now = watch.services.db, watch.services.clock.now()
    start = _start_of_day(now)
    yield _calls(day_counts.count_calls(db, start.date()))
    yield _family(
        "sprintd_sprints_today",
        "Sprints that began on the UTC day.",
        day_counts.count_sprints(db, start),
        "state",
    )
    yield _family(
        "sprintd_attempts_today",
        "Attempts that ended on the UTC day, by how.",
        day_counts.count_attempts(db, start),
        "state",
    )
    incidents = day_counts.count_open_incidents(db)
    yield _one("sprintd_incidents_open", "Errors that go on.", incidents)
    counts = outbox.count_messages(db)
    messages = {"waiting": counts.waiting, "set_aside": counts.set_aside}
    yield _family(
        "sprintd_outbox_messages", "Messages that did not leave yet.", messages, "standing"
    )


def _of_jobs(watch: Watch) -> Iterator[Metric]:
    """The newest run of each job of the timetable: one look-up a job."""
    db, now = watch.services.db, watch.services.clock.now()
    slots: dict[str, float] = {}
    good: dict[str, float] = {}
    for job in watch.jobs():
        last = job_runs.last_run(db, job.job, now)
        if last is not None:
            slots[job.job] = last.slot.timestamp()
            good[job.job] = float(last.state not in ("failed", "skipped"))
    skips = {job.job: job.skips_in_a_row for job in watch.jobs()}
    yield _family(
        "sprintd_job_last_slot_timestamp_seconds", "When its newest run was due.", slots, "job"
    )
    yield _family(
        "sprintd_job_last_ok", "0 where its newest run failed or was skipped.", good, "job"
    )
    yield _family("sprintd_job_skips_in_a_row", "2 or more is an alert.", skips, "job")


def _build(version: str, provider: str) -> Metric:
    family = GaugeMetricFamily(
        "sprintd_build_info", "What runs here.", labels=["version", "provider"]
    )
    family.add_metric([version, provider], 1)
    return family


def _calls(counts: Iterable[CallCount]) -> Metric:
    help_ = "Model calls of the UTC day, by what came of them."
    family = GaugeMetricFamily("sprintd_calls_today", help_, labels=["model", "outcome"])
    for one in counts:
        family.add_metric([one.model, one.outcome], one.calls)
    return family


def _family(name: str, help_: str, samples: Samples, label: str) -> Metric:
    family = GaugeMetricFamily(name, help_, labels=[label])
    for value, number in samples.items():
        family.add_metric([value], number)
    return family


def _one(name: str, help_: str, number: float) -> Metric:
    return GaugeMetricFamily(name, help_, value=number)


def _fresh(heartbeat: Heartbeat) -> float:
    return float(heartbeat.is_fresh())


def _start_of_day(now: datetime) -> datetime:
    return end_of_day(now) - timedelta(days=1)
