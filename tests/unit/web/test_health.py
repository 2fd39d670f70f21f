"""GET /health tells the truth, also where the worker or the database is gone."""

from __future__ import annotations

import resource
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path

from daemon.bootstrap import build_services
from daemon.clock import ManualClock
from daemon.errors import Fault, StoreError
from daemon.reports.job_states import JobWatch
from daemon.scheduling.work import Work
from daemon.sprint.runner import run_sprint
from daemon.store import job_runs, outbox
from tests.standins.workshop import Workshop
from tests.unit.web.watched import BEARER, Watched, watched_in
from tests.workspaces import NOON, copy_sample


def test_a_working_daemon_is_200_with_everything_known(watched: Watched) -> None:
    """Version, provider, state, money, backlog, sprint, heartbeats, failures, faults, size."""
    run_sprint(watched.services.sprint_parts)
    answer = watched.client.get("/health")
    found = answer.get_json()
    assert answer.status_code == 200
    assert found["ok"] is True
    assert found["problems"] == []
    assert found["version"]
    assert found["provider"] == "extractive (quotes notes, does not reason)"
    assert (found["provider_is"], found["page"]) == ("running", "http://127.0.0.1:8642/")
    assert found["budget"]["cap_usd"] == "20.00"
    assert found["budget"]["cap_micros"] == 20_000_000
    assert found["budget"]["ends_at"] == "2026-12-01T00:00:00.000000Z"
    assert {"spent_micros", "reserved_micros", "remaining_micros"} <= found["budget"].keys()
    assert sum(found["backlog"].values()) == 37
    assert found["backlog"]["done"] == 2
    assert found["last_sprint"]["state"] == "completed"
    assert found["worker"] == {"age_seconds": 0.0, "fresh": True}
    assert found["scheduler"] == {"age_seconds": 0.0, "fresh": True}
    assert found["consecutive_failures"] == 0
    assert found["workspace_faults"] == []
    assert found["database_bytes"] > 0


def test_a_dead_worker_thread_is_503_with_its_age(watched: Watched, tmp_path: Path) -> None:
    """A thread that ended is told at once, not only when its silence grows long."""
    stop = threading.Event()
    shop = Workshop(tmp_path, {}, heartbeat=watched.services.worker_heartbeat, stop=stop)
    shop.worker.start()
    assert watched.client.get("/health").status_code == 200
    stop.set()
    assert shop.worker.join(30)
    shop.close()
    watched.clock.advance(timedelta(seconds=7))
    answer = watched.client.get("/health")
    assert answer.status_code == 503
    assert answer.get_json()["worker"] == {"age_seconds": 7.0, "fresh": False}
    assert "worker" in answer.get_json()["problems"][0]
    assert answer.get_json()["budget"]["cap_usd"] == "20.00"


def test_a_silent_worker_or_scheduler_is_503(watched: Watched) -> None:
    """Each one by itself, with the age of its last beat."""
    watched.clock.advance(timedelta(seconds=121))
    watched.services.scheduler_heartbeat.beat()
    found = watched.client.get("/health")
    assert found.status_code == 503
    assert [p for p in found.get_json()["problems"] if "121 s" in p]
    assert found.get_json()["scheduler"]["fresh"] is True
    watched.services.worker_heartbeat.beat()
    assert watched.client.get("/health").status_code == 200
    watched.clock.advance(timedelta(seconds=121))
    watched.services.worker_heartbeat.beat()
    found = watched.client.get("/health")
    assert found.status_code == 503
    assert "scheduler" in found.get_json()["problems"][0]


def test_a_long_model_call_is_no_silence(watched: Watched) -> None:
    """A wait that was announced counts as life for as long as it may last."""
    watched.services.worker_heartbeat.expect(300)
    watched.clock.advance(timedelta(seconds=350))
    watched.services.scheduler_heartbeat.beat()
    assert watched.client.get("/health").status_code == 200


def test_a_damaged_database_is_503_with_one_clear_line(watched: Watched) -> None:
    """What is in memory is still told."""
    log = watched.services.db.path.with_name("sprintd.db-wal")
    watched.services.db.connection().close()
    for file in (watched.services.db.path, log):
        if file.exists():
            file.write_bytes(b"this is no database any more" * 200)
    found = watched.client.get("/health")
    assert found.status_code == 503
    problem = found.get_json()["problems"][0]
    assert "sprintd.db" in problem
    assert "\n" not in problem
    assert "extractive" in found.get_json()["provider"]
    assert found.get_json()["worker"]["fresh"] is True
    page = watched.client.get("/")
    assert page.status_code == 200
    assert b"sprintd.db" in page.data
    assert watched.client.get("/items/T01").status_code == 503


@contextmanager
def full_disk(file: Path) -> Iterator[None]:
    """No file of this process can grow beyond the size that this one has now."""
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (file.stat().st_size, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


def test_a_full_disk_is_503_although_reading_works(watched: Watched) -> None:
    """The worker's trial of writing finds it; it turns green again by itself."""
    log = watched.services.db.path.with_name("sprintd.db-wal")
    with full_disk(log):
        watched.clock.advance(timedelta(seconds=31))
        watched.services.worker_heartbeat.beat()
        watched.services.probe.check()
        found = watched.client.get("/health")
    assert found.status_code == 503
    assert "sprintd.db" in found.get_json()["problems"][0]
    assert found.get_json()["budget"]["cap_usd"] == "20.00"
    watched.clock.advance(timedelta(seconds=31))
    watched.services.probe.check()
    assert watched.client.get("/health").status_code == 200


def test_an_error_of_the_store_in_a_job_is_503(watched: Watched) -> None:
    """What the worker met is told before the next trial."""
    watched.services.probe.note(StoreError("sprintd.db: the disk failed"))
    assert watched.client.get("/health").status_code == 503


def test_faults_of_the_workspace_are_told_but_not_red(watched: Watched) -> None:
    """The daemon goes on with the last good files, so nobody is woken."""
    watched.faults = (Fault("backlog.yaml", 7, "items.0", "has no question"),)
    found = watched.client.get("/health")
    assert found.status_code == 200
    assert found.get_json()["workspace_faults"] == ["backlog.yaml:7: items.0: has no question"]


def test_health_speaks_the_workspace_language(tmp_path: Path) -> None:
    """Its sentences are for people; its keys stay."""
    with watched_in(tmp_path, '[daemon]\nlanguage = "es"\n') as watched:
        watched.clock.advance(timedelta(seconds=121))
        assert "hilo de trabajo" in watched.client.get("/health").get_json()["problems"][0]


def test_every_job_is_told_with_its_last_run_and_its_next_time(watched: Watched) -> None:
    """Slot, state, note and lateness of the last run; when it is due again; skips in a row."""
    slot = NOON - timedelta(hours=1)
    job_runs.queue_run(watched.services.db, "daily", slot, NOON, late=True)
    job_runs.end_run(watched.services.db, "daily", slot, "done", "posted", NOON)
    watched.jobs = (
        JobWatch("daily", NOON + timedelta(hours=1), 0, None),
        JobWatch("review", None, 2, None),
    )
    answer = watched.client.get("/health")
    assert answer.status_code == 200
    assert answer.get_json()["jobs"] == [
        {
            "name": "daily",
            "last_slot": "2026-11-30T11:00:00.000000Z",
            "state": "done",
            "late": True,
            "note": "posted",
            "next_at": "2026-11-30T13:00:00.000000Z",
            "skips_in_a_row": 0,
            "hung_slot": None,
        },
        {
            "name": "review",
            "last_slot": None,
            "state": None,
            "late": None,
            "note": None,
            "next_at": None,
            "skips_in_a_row": 2,
            "hung_slot": None,
        },
    ]


def test_a_job_that_hangs_is_503(watched: Watched) -> None:
    """Which one, since which slot, and what to do; the other jobs go on meanwhile."""
    watched.jobs = (JobWatch("digest", None, 0, NOON),)
    answer = watched.client.get("/health")
    assert answer.status_code == 503
    (problem,) = answer.get_json()["problems"]
    assert problem.startswith("The job digest (due 2026-11-30 12:00 UTC) is past its deadline")
    assert problem.endswith("restart the daemon.")


def test_a_slot_of_a_clock_that_was_far_ahead_hides_nothing(watched: Watched) -> None:
    """The last run is the last one until now, whatever a wrong clock once wrote."""
    db = watched.services.db
    job_runs.queue_run(db, "daily", NOON, NOON)
    job_runs.queue_run(db, "daily", NOON.replace(year=2031), NOON)
    watched.jobs = (JobWatch("daily", None, 0, None),)
    (told,) = watched.client.get("/health").get_json()["jobs"]
    assert told["last_slot"] == "2026-11-30T12:00:00.000000Z"


def test_messages_that_wait_or_were_set_aside_are_told_but_not_red(watched: Watched) -> None:
    """How many, since when and why; they need a person or patience, not a restart."""
    db = watched.services.db
    for key in ("a", "b", "c"):
        outbox.enqueue(db, key=key, channel="slack", payload={"text": key}, now=NOON)
    outbox.set_aside(db, "a", error="invalid_auth", now=NOON)
    outbox.put_back(db, "b", next_try_at=NOON, error="asks to post less often", uncertain=False)
    answer = watched.client.get("/health")
    assert answer.status_code == 200
    assert answer.get_json()["outbox"] == {
        "waiting": 2,
        "oldest_waiting_at": "2026-11-30T12:00:00.000000Z",
        "waiting_error": "asks to post less often",
        "set_aside": 1,
        "oldest_set_aside_at": "2026-11-30T12:00:00.000000Z",
    }
    assert answer.get_json()["delivery"]["channels"] == []


def test_a_silent_delivery_is_503_where_there_is_a_channel(tmp_path: Path) -> None:
    """Without a channel there is no thread that could be missed."""
    root, clock = copy_sample(tmp_path, '[slack]\nchannel = "C0123456789"\n'), ManualClock(NOON)
    for environ, status in (({"SLACK_BOT_TOKEN": "xoxb-1"}, 503), ({}, 200)):
        services = build_services(root, environ=environ, say=lambda line: None, clock=clock)
        with closing(services):
            for heartbeat in services.heartbeats.values():
                heartbeat.beat()
            clock.advance(timedelta(seconds=300))
            services.worker_heartbeat.beat()
            services.scheduler_heartbeat.beat()
            answer = Watched(services, clock).client.get("/health")
            assert answer.status_code == status
            said = "lets messages leave was last heard of 300 s ago" in " ".join(
                answer.get_json()["problems"]
            )
            assert said is (status == 503)


def test_a_deleted_database_is_503_at_once(watched: Watched) -> None:
    """The open file still reads well; nobody will ever see what is written there."""
    watched.services.db.path.unlink()
    answer = watched.client.get("/health")
    assert answer.status_code == 503
    assert "was deleted or replaced" in answer.get_json()["problems"][0]


def test_what_a_reset_met_is_503_until_a_trial_goes_well(tmp_path: Path) -> None:
    """Also while the worker is in a long call: the scheduler's look tries as well."""
    with watched_in(tmp_path) as watched:
        services = watched.services
        work = Work.build(services, services.config, lambda text: None)
        with full_disk(services.db.path.with_name("sprintd.db-wal")):
            answer = watched.client.post(
                "/reset-failures", data=b"{}", headers=BEARER | {"Content-Type": "application/json"}
            )
            assert answer.status_code == 503
            assert "sprintd.db" in watched.client.get("/health").get_json()["problems"][0]
            watched.clock.advance(timedelta(seconds=15))
            work.scheduler.beat()
            assert watched.client.get("/health").status_code == 503
        watched.clock.advance(timedelta(seconds=15))
        work.scheduler.beat()
        assert watched.client.get("/health").status_code == 200


def test_a_full_disk_shows_while_the_worker_is_busy(watched: Watched) -> None:
    """Nobody met it yet; the scheduler's look finds it within the interval, and its end too."""
    services = watched.services
    work = Work.build(services, services.config, lambda text: None)
    watched.clock.advance(timedelta(seconds=15))
    with full_disk(services.db.path.with_name("sprintd.db-wal")):
        work.scheduler.beat()
        assert "sprintd.db" in watched.client.get("/health").get_json()["problems"][0]
    watched.clock.advance(timedelta(seconds=15))
    work.scheduler.beat()
    assert watched.client.get("/health").status_code == 200
