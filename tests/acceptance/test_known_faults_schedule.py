"""Faults of schedulers, as they were reported in public, tried on the daemon's own parts."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from daemon.bootstrap import Services, build_services
from daemon.clock import ManualClock, to_text
from daemon.config.sections import Config
from daemon.config.toml_file import parse_config
from daemon.errors import WorkspaceInvalid
from daemon.scheduling.scheduler import Schedule
from daemon.scheduling.work import Work
from daemon.store import control, events, job_runs, reports
from daemon.store.database import open_database
from daemon.web.app import create_app
from daemon.web.watch import Watch
from tests.standins.daemon_process import DaemonProcess
from tests.standins.priced_writer import PricedWriter, price_the_writer
from tests.workspaces import NOON, copy_sample

PATIENCE = 30.0
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def test_each_due_time_is_run_once_although_two_daemons_are_started(tmp_path: Path) -> None:
    """The second one refuses to start and names the first; a missed time runs in the first alone.

    Reported as agronholm/apscheduler#160, ascoderu/lokole#1 and viniciuschiele/flask-apscheduler#139.
    """
    root = copy_sample(tmp_path / "venture")
    pretend_a_first_start(root, days_ago=2)
    with DaemonProcess(root) as first:
        first.wait_for_line("late: was due")
        second = DaemonProcess(root)
        with second:
            assert second.wait() == 4
            assert str(first.worker_pid()) in second.said()
            assert "late: was due" not in second.said()
        assert first.stop() == 0
    assert len(kept_reports(root, "daily")) == 1


def test_what_was_missed_while_no_process_ran_runs_late_once(tmp_path: Path) -> None:
    """A daemon that was off for two days, on the real clock: each job once, late, and it says so.

    Also of the times in between it is known what became of them. Reported as rfsbraz/deleterr#292
    and agronholm/apscheduler#146.
    """
    root = copy_sample(tmp_path / "venture")
    pretend_a_first_start(root, days_ago=2)
    with DaemonProcess(root) as daemon:
        told = daemon.wait_for_line("late: was due")
        assert told.strip().endswith("UTC, the daemon was not running)")
        daemon.wait_until(lambda: jobs_of(daemon)["digest"]["state"] == "done", "the digest")
        found = jobs_of(daemon)
        assert found["daily"]["late"] is True
        assert found["daily"]["state"] == "done"
        assert all(job["next_at"] for job in found.values())
        assert daemon.stop() == 0
    with DaemonProcess(root) as daemon:
        daemon.wait_for_line("sprintd")
        daemon.wait_until(lambda: jobs_of(daemon)["sprint"]["state"] == "done", "a sprint")
        assert daemon.stop() == 0
        assert "late: was due" not in daemon.said()
    assert len(kept_reports(root, "daily")) == 1


def pretend_a_first_start(root: Path, *, days_ago: int) -> None:
    """As if the daemon had been started then for a moment, and not since."""
    db = open_database(root / "state" / "sprintd.db")
    try:
        since = datetime.now(UTC) - days_ago * DAY
        jobs = Schedule(Config(), since).triggers
        control.put(db, "jobs.since", {job: to_text(since) for job in jobs}, since)
    finally:
        db.close()


def jobs_of(daemon: DaemonProcess) -> dict[str, dict[str, object]]:
    return {job["name"]: job for job in daemon.health()["jobs"]}


def kept_reports(root: Path, kind: str) -> list[str]:
    db = open_database(root / "state" / "sprintd.db")
    try:
        return [row.body for row in reports.list_reports(db, 100) if row.kind == kind]
    finally:
        db.close()


@pytest.mark.parametrize(
    ("job", "expected"),
    [
        ("consolidation", datetime(2026, 9, 20, 6, 0, tzinfo=UTC)),
        ("review", datetime(2026, 9, 21, 14, 0, tzinfo=UTC)),
    ],
)
def test_sunday_is_a_sunday_and_monday_a_monday(job: str, expected: datetime) -> None:
    """From Thursday 2026-09-17; a weekday that is written as a number is refused with its line.

    Reported as agronholm/apscheduler#286, agronholm/apscheduler#455 and ClickHouse/nerve#138.
    """
    thursday = datetime(2026, 9, 17, tzinfo=UTC)
    assert next(Schedule(Config(), thursday).slots(job, thursday, thursday + 8 * DAY)) == expected
    with pytest.raises(
        WorkspaceInvalid, match=r"config.toml:2: jobs\.\w+: expects a weekday as mon"
    ):
        parse_config(f'[jobs]\n{job} = "0 06:00"\n', "config.toml")


class Hung:
    """The daemon's parts in this process, with a console that takes no digest."""

    def __init__(self, services: Services, clock: ManualClock) -> None:
        self.services, self.clock, self.db = services, clock, services.db
        self.entered, self.leave = threading.Event(), threading.Event()
        self.posted: list[str] = []
        self.work = Work.build(services, services.config, self._post)
        watch = Watch(services, "token", tuple, self.work.sprint_now, self.work.watch)
        self.client: FlaskClient = create_app(watch).test_client()

    def _post(self, text: str) -> None:
        if "digests hang" in text:
            self.entered.set()
            assert self.leave.wait(PATIENCE)
        self.posted.append(text)

    def at(self, moment: datetime, job: str) -> bool:
        """The scheduler's tick: a look, then the ask."""
        self.clock.advance(moment - self.clock.now())
        self.services.scheduler_heartbeat.beat()
        self.work.worker.look_after()
        return self.work.slots.ask(job, moment)

    def wait_for(self, job: str, slot: datetime) -> None:
        for _ in range(int(PATIENCE * 50)):
            run = job_runs.find_run(self.db, job, slot)
            if run is not None and run.ended_at is not None:
                return
            threading.Event().wait(0.02)
        raise AssertionError(f"{job} of {slot} did not end")

    def wait_for_return(self) -> None:
        for _ in range(int(PATIENCE * 50)):
            if not self.work.worker.hung_runs():
                return
            threading.Event().wait(0.02)
        raise AssertionError("the hung run did not come back")

    def alerts(self) -> list[str]:
        return [e.facts["reason"] for e in events.list_after(self.db, 0) if e.kind == "alert"]


@contextmanager
def hung_digest(root: Path) -> Iterator[Hung]:
    clock = ManualClock(NOON)
    services = build_services(
        price_the_writer(root),
        environ={},
        say=lambda line: None,
        clock=clock,
        provider=PricedWriter(),
    )
    built = Hung(services, clock)
    try:
        built.work.slots.begin()
        events.record(services.db, "alert", NOON, facts={"reason": "digests hang"})
        built.work.worker.start()
        services.scheduler_heartbeat.beat()
        yield built
    finally:
        services.stop.set()
        built.leave.set()
        built.work.worker.join(PATIENCE)
        services.close()


def test_a_job_that_hangs_is_seen_and_stops_no_other(tmp_path: Path) -> None:
    """A digest hangs from 13:00 on. After its ten minutes /health is red, the daily report and the
    sprints go on, the second digest in a row that is skipped is an alert, and it heals by itself.

    Reported as agronholm/apscheduler#474, agronholm/apscheduler#342 and Flexget/Flexget#846.
    """
    with hung_digest(copy_sample(tmp_path / "venture")) as hung:
        one, two, three = (NOON + hours * HOUR for hours in (1, 2, 3))
        assert hung.at(one, "digest")
        assert hung.entered.wait(PATIENCE)
        assert hung.client.get("/health").status_code == 200
        assert hung.at(one + timedelta(minutes=11), "daily")
        hung.wait_for("daily", one + timedelta(minutes=11))
        health = hung.client.get("/health")
        assert health.status_code == 503
        assert [
            p for p in health.get_json()["problems"] if "The job digest (due 2026-11-30 13:00" in p
        ]
        assert len(health.get_json()["problems"]) == 1
        assert hung.at(one + timedelta(minutes=15), "sprint")
        hung.wait_for("sprint", one + timedelta(minutes=15))
        before = len(hung.alerts())
        assert not hung.at(two, "digest")
        assert len(hung.alerts()) == before
        assert not hung.at(three, "digest")
        assert "The job digest was skipped" in hung.alerts()[-1]
        jobs = {job["name"]: job for job in hung.client.get("/health").get_json()["jobs"]}
        assert jobs["digest"]["skips_in_a_row"] == 2
        assert jobs["digest"]["hung_slot"] == to_text(one)
        assert jobs["daily"]["skips_in_a_row"] == 0
        hung.leave.set()
        hung.wait_for_return()
        assert hung.at(three + HOUR, "digest")
        hung.wait_for("digest", three + HOUR)
        hung.services.worker_heartbeat.beat()
        assert hung.client.get("/health").status_code == 200


@pytest.mark.parametrize("text", ["02:30 America/New_York", "02:30-05:00", "02:30 local"])
def test_no_time_can_be_set_that_a_day_may_lack_or_have_twice(text: str) -> None:
    """A zone is refused with the line; 02:30 UTC comes once on each day on which clocks change.

    Reported as agronholm/apscheduler#606, agronholm/apscheduler#1059 and agronholm/apscheduler#120.
    """
    with pytest.raises(WorkspaceInvalid, match=r"config.toml:2: jobs.daily_report: expects a "):
        parse_config(f"[jobs]\ndaily_report = {json.dumps(text)}\n", "config.toml")
    config = parse_config('[jobs]\ndaily_report = "02:30"\n', "config.toml")
    for month, day in ((3, 8), (11, 1), (3, 29), (10, 25)):
        midnight = datetime(2026, month, day, tzinfo=UTC)
        slots = list(Schedule(config, midnight).slots("daily", midnight, midnight + DAY))
        assert slots == [midnight + timedelta(hours=2, minutes=30)]
