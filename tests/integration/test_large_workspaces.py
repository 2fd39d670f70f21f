"""What must not grow with the backlog, the map or the ledger. No clock is read here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchmarks.filled_ledger import fill_ledger
from benchmarks.instant_provider import InstantProvider
from benchmarks.made_workspace import write_made
from daemon.bootstrap import Services, build_services
from daemon.clock import ManualClock
from daemon.sprint.runner import run_sprint
from daemon.store import attempts
from daemon.store.database import Database
from tests.unit.web.watched import watched_in
from tests.workspaces import NOON

# Tables that grow as long as the daemon lives; the others are bounded by what people wrote.
GROWING = (
    "api_calls", "reservation", "attempt", "sprint", "event", "effect", "finding", "source_text",
    "job_run", "report", "outbox", "incident", "step", "error_record", "budget_day",
)  # fmt: skip
SIZE = 10_000


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    """Ten thousand items and units; of the notes only those of the first hundred subjects exist."""
    root = write_made(tmp_path_factory.mktemp("large") / "made", SIZE, notes=2_000)
    with made(root) as services:
        yield services


@contextmanager
def statements_of(db: Database) -> Iterator[list[str]]:
    """The statements of this thread, as SQLite sees them."""
    heard: list[str] = []
    raw = db.connection()._raw
    raw.set_trace_callback(heard.append)
    try:
        yield heard
    finally:
        raw.set_trace_callback(None)


def walks(db: Database, sql: str) -> list[str]:
    """Which growing tables a statement walks through from end to end.

    An index that holds only some rows, such as those that are open, is short.
    """
    short = [row["name"] for row in db.rows("SELECT name FROM sqlite_schema WHERE sql LIKE ?",
                                            ("CREATE INDEX%WHERE%",))]  # fmt: skip
    steps = [str(row["detail"]).split() for row in db.rows(f"EXPLAIN QUERY PLAN {sql}")]
    bounded = " LIMIT " in sql.upper() and not any("TEMP" in step for step in steps)
    found = [step[1] for step in steps if step[0] == "SCAN" and step[-1] not in short]
    return [name for name in found if name in GROWING and not bounded]


def test_health_asks_the_same_few_questions_whatever_the_ledger_holds(tmp_path: Path) -> None:
    """As many statements for ten thousand calls as for none, and none that reads them all."""
    with watched_in(tmp_path) as watched:
        db = watched.services.db
        with statements_of(db) as before:
            assert watched.client.get("/health").status_code == 200
        fill_ledger(watched.services.root, SIZE, NOON)
        with statements_of(db) as after:
            assert watched.client.get("/health").status_code == 200
        assert db.rows("SELECT count(*) AS calls FROM api_calls") == [{"calls": SIZE}]
        assert before
        assert len(after) == len(before)
        assert [walks(db, sql) for sql in after if walks(db, sql)] == []


def test_a_walk_through_a_growing_table_would_be_noticed(tmp_path: Path) -> None:
    """The check above can fail."""
    with watched_in(tmp_path) as watched:
        db = watched.services.db
        assert walks(db, "SELECT sum(cost_micros) FROM api_calls") == ["api_calls"]
        assert walks(db, "SELECT * FROM api_calls WHERE model = 'x' LIMIT 1") == []
        assert walks(db, "SELECT * FROM event ORDER BY kind LIMIT 1") == ["event"]


def test_ten_thousand_units_are_planned_without_looking_at_their_files(large: Services) -> None:
    """Four in five notes do not exist; no unit is skipped for that unless the question touches it."""
    end = run_sprint(large.sprint_parts)
    assert (end.state, len(end.ends)) == ("completed", 2)
    for row in attempts.list_for_sprint(large.db, end.sprint_id):
        named = [*row.context["loaded"], *row.context["skipped"]]
        assert "the file does not exist" not in {unit["reason"] for unit in named}
        units = [unit for unit in named if not unit["id"].startswith("finding-")]
        counted = sum(more["units"] for more in row.context["skipped_more"])
        assert len(units) + counted == SIZE


def test_an_attempt_on_ten_thousand_units_keeps_a_small_row(large: Services) -> None:
    """What an attempt stores is bounded by what the agent reads, not by the map."""
    run_sprint(large.sprint_parts)
    row = large.db.row("SELECT max(length(context) + length(prompt)) AS bytes FROM attempt")
    assert row is not None
    assert 0 < row["bytes"] < 30_000


def test_a_sprint_over_ten_thousand_items_runs_as_many_statements_as_over_a_hundred(
    large: Services, tmp_path: Path
) -> None:
    """Nothing is asked of the store item by item or unit by unit."""
    with made(write_made(tmp_path / "made", 100)) as small:
        counts = [statements_of_a_sprint(services) for services in (small, large)]
    assert counts[0] == pytest.approx(counts[1], rel=0.1)


def statements_of_a_sprint(services: Services) -> int:
    """Those of a sprint that is not the first."""
    run_sprint(services.sprint_parts)
    with statements_of(services.db) as heard:
        assert run_sprint(services.sprint_parts).state == "completed"
    return len(heard)


@contextmanager
def made(root: Path) -> Iterator[Services]:
    services = build_services(
        root, environ={}, say=lambda _: None, clock=ManualClock(NOON), provider=InstantProvider()
    )
    try:
        yield services
    finally:
        services.close()
