"""GET /metrics: the truth in Prometheus' words, read quickly, without a secret."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from flask.testing import FlaskClient
from prometheus_client.parser import text_string_to_metric_families

from daemon.errors import Fault
from daemon.governance.budget import Caller
from daemon.governance.states import STATE_NAMES, enter_state
from daemon.reports.job_states import JobWatch
from daemon.sprint.runner import run_sprint
from daemon.store import day_counts, job_runs, outbox
from daemon.web.app import create_app
from daemon.web.watch import Watch
from tests.unit.web.watched import TOKEN, Watched
from tests.workspaces import NOON, ROOT

DOC = (ROOT / "docs" / "http.md").read_text("utf-8")
Figures = dict[tuple[str, ...], float]


def scrape(watched: Watched, client: FlaskClient | None = None) -> Figures:
    """Each sample under its name and its labels' values."""
    answer = (client or watched.client).get("/metrics")
    assert answer.status_code == 200
    assert answer.content_type == "text/plain; version=0.0.4; charset=utf-8"
    families = text_string_to_metric_families(answer.get_data(as_text=True))
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in families
        for sample in family.samples
    }


def test_a_days_work_is_counted(watched: Watched) -> None:
    """Calls, sprints, attempts, items and money are those of the store."""
    run_sprint(watched.services.sprint_parts)
    enter_state(watched.services.db, "working", "a sprint runs", NOON)
    found = scrape(watched)
    assert found["sprintd_calls_today", "extractive-1", "replied"] == 2
    assert found["sprintd_sprints_today", "completed"] == 1
    assert found["sprintd_attempts_today", "accepted"] == 2
    assert found["sprintd_items", "done"] == 2
    assert found["sprintd_budget_cap_usd",] == 20
    assert found["sprintd_budget_spent_usd",] == 0
    assert found["sprintd_healthy",] == 1
    assert found["sprintd_heartbeat_age_seconds", "worker"] == 0
    assert found["sprintd_heartbeat_fresh", "scheduler"] == 1
    assert found["sprintd_database_bytes",] > 0
    assert found["sprintd_failed_sprints_in_a_row",] == 0


def test_exactly_one_state_is_1(watched: Watched) -> None:
    """Every state has a line, so that an alert can name it before it ever was."""
    enter_state(watched.services.db, "working", "a sprint runs", NOON)
    enter_state(watched.services.db, "halted", "the key was refused", NOON)
    found = scrape(watched)
    states = {key[1]: value for key, value in found.items() if key[0] == "sprintd_state"}
    assert states == {name: float(name == "halted") for name in STATE_NAMES}
    assert found["sprintd_state_since_timestamp_seconds",] == NOON.timestamp()


def test_yesterdays_figures_are_not_todays(watched: Watched) -> None:
    """At UTC midnight the day's counts begin anew."""
    run_sprint(watched.services.sprint_parts)
    watched.clock.advance(timedelta(hours=12))
    found = scrape(watched)
    assert not [key for key in found if key[0].endswith("_today")]
    assert found["sprintd_items", "done"] == 2


def test_money_set_aside_is_told_apart_from_money_spent(watched: Watched) -> None:
    """In USD, as it stands in the store's micro-dollars."""
    watched.services.budget.reserve(
        "k", provider="claude", model="claude-sonnet-5-5", input_tokens=100_000,
        output_tokens=1_000, caller=Caller("attempt"),
    )  # fmt: skip
    found = scrape(watched)
    day = watched.services.budget.today()
    assert day.reserved_micros > 0
    assert found["sprintd_budget_reserved_usd",] == day.reserved_micros / 1_000_000
    assert found["sprintd_budget_spent_usd",] == 0
    assert found["sprintd_calls_today", "claude-sonnet-5-5", "started"] == 1


def test_messages_incidents_faults_and_jobs_are_counted(watched: Watched) -> None:
    """What waits, what was set aside, what goes on, and when each job last ran."""
    db = watched.services.db
    for key in ("a", "b"):
        outbox.enqueue(db, key=key, channel="slack", payload={"text": "x"}, now=NOON)
    outbox.set_aside(db, "a", error="channel_not_found", now=NOON)
    watched.faults = (Fault("backlog.yaml", 3, "", "is odd"),)
    found = scrape(watched)
    assert found["sprintd_outbox_messages", "waiting"] == 1
    assert found["sprintd_outbox_messages", "set_aside"] == 1
    assert found["sprintd_incidents_open",] == 0
    assert found["sprintd_workspace_faults",] == 1
    assert not [key for key in found if key[0].startswith("sprintd_job")]


def test_a_silent_worker_is_seen(watched: Watched) -> None:
    """The age, that it is not fresh, and that the whole is not healthy."""
    watched.clock.advance(timedelta(seconds=300))
    watched.services.scheduler_heartbeat.beat()
    found = scrape(watched)
    assert found["sprintd_heartbeat_age_seconds", "worker"] == 300
    assert found["sprintd_heartbeat_fresh", "worker"] == 0
    assert found["sprintd_healthy",] == 0


def test_without_the_database_what_memory_knows_is_left(watched: Watched) -> None:
    """A scrape is no error then: an alert on sprintd_store_readable tells of it."""
    watched.services.db.close()
    found = scrape(watched)
    assert found["sprintd_store_readable",] == 0
    assert found["sprintd_healthy",] == 0
    assert found["sprintd_heartbeat_fresh", "worker"] == 1
    assert not [key for key in found if key[0].startswith("sprintd_budget")]


def test_it_holds_no_secret_and_no_words_of_a_model(watched: Watched) -> None:
    """It may be read without a token, like /health."""
    run_sprint(watched.services.sprint_parts)
    text = watched.client.get("/metrics").get_data(as_text=True)
    assert TOKEN not in text
    assert "memory/" not in text
    assert watched.services.source.load().items[0].title not in text


def test_another_host_is_refused(watched: Watched) -> None:
    """As everywhere, and with JSON."""
    answer = watched.client.get("/metrics", headers={"Host": "evil.example"})
    assert answer.status_code == 403
    assert answer.get_json()["error"]


def test_every_metric_is_documented(watched: Watched) -> None:
    """docs/http.md has each name, and no other."""
    run_sprint(watched.services.sprint_parts)
    enter_state(watched.services.db, "working", "a sprint runs", NOON)
    job_runs.queue_run(watched.services.db, "digest", NOON, NOON)
    text = watched.client.get("/metrics").get_data(as_text=True)
    told = set(re.findall(r"^# HELP (\w+)", text, re.M))
    assert told == set(re.findall(r"^\| `(sprintd_\w+)", DOC, re.M))


@pytest.mark.parametrize("table", ["api_calls", "sprint", "attempt"])
def test_no_count_reads_a_whole_table(watched: Watched, table: str) -> None:
    """After a million calls a scrape is as quick as on the first day: each one searches an index."""
    db, seen = watched.services.db, []

    class Watching:
        def rows(self, sql: str, params: tuple[str, ...] = ()) -> list[dict[str, str]]:
            seen.extend(db.rows(f"EXPLAIN QUERY PLAN {sql}", params))
            return []

    looking: object = Watching()
    day_counts.count_calls(looking, NOON.date())  # type: ignore[arg-type]
    day_counts.count_sprints(looking, NOON)  # type: ignore[arg-type]
    day_counts.count_attempts(looking, NOON)  # type: ignore[arg-type]
    plans = [str(row["detail"]) for row in seen if f" {table} " in f" {row['detail']} "]
    assert plans
    assert all(plan.startswith("SEARCH") for plan in plans), plans


def test_the_jobs_of_the_timetable_have_their_newest_run(watched: Watched) -> None:
    """When it was due, whether it went well, and how often it was skipped in a row."""
    db = watched.services.db
    job_runs.queue_run(db, "digest", NOON, NOON)
    job_runs.skip_run(db, "digest", NOON, "the one before still runs", NOON)
    jobs = (JobWatch("digest", None, 2, None), JobWatch("daily", None, 0, None))
    app = create_app(Watch(watched.services, TOKEN, lambda: (), lambda: None, lambda: jobs))
    found = scrape(watched, app.test_client())
    assert found["sprintd_job_last_slot_timestamp_seconds", "digest"] == NOON.timestamp()
    assert found["sprintd_job_last_ok", "digest"] == 0
    assert found["sprintd_job_skips_in_a_row", "digest"] == 2
    assert found["sprintd_job_skips_in_a_row", "daily"] == 0
    assert ("sprintd_job_last_ok", "daily") not in found
