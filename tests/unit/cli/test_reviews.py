"""review and criteria, as a person types them."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from daemon.store.database import open_database, open_read_only
from daemon.store.owner_lock import OwnerLock
from daemon.store.reports import list_reports
from daemon.store.reviews import list_reviews
from tests.unit.cli.small import sprintd
from tests.workspaces import NOON

TESTS = """
    tests:
      - id: prepaid
        measure: Boat owners who would pay in advance
        words: [boat owners, pay for a berth in advance]
        unit: boat owners
        go: "<= 1"
        no_go: "> 199"
        needs: {confidence: 0}
"""


@pytest.fixture
def harbour(small: Path) -> Path:
    """The small workspace after one sprint."""
    assert sprintd(small, "sprint").returncode == 0
    return small


def as_json(root: Path, command: str) -> Any:
    return json.loads(sprintd(root, command, "--json").stdout)


def rows(root: Path) -> tuple[int, int]:
    db = open_read_only(root / "state" / "sprintd.db")
    try:
        return len(list_reviews(db, 9)), len(list_reports(db, 9, kind="review"))
    finally:
        db.close()


def test_a_dry_run_shows_and_keeps_nothing(harbour: Path) -> None:
    """Beside a running daemon too."""
    lock = OwnerLock(harbour / "state")
    lock.acquire(NOON)
    try:
        done = sprintd(harbour, "review", "--dry-run")
        refused = sprintd(harbour, "review")
    finally:
        lock.release()
    assert done.stdout.startswith("Nothing was kept or sent.\nsprintd, review of the kill criteria")
    assert "NOT YET KNOWN" in done.stdout
    assert refused.returncode == 4
    assert "see it with --dry-run, or stop it first" in refused.stderr
    assert rows(harbour) == (0, 0)


def test_a_review_is_kept_and_is_the_next_ones_before(harbour: Path) -> None:
    """In the history and among the reports."""
    facts = as_json(harbour, "review")
    assert facts["verdict"] == "not_yet_known"
    assert facts["criteria"][0]["verdict_before"] is None
    assert rows(harbour) == (1, 1)
    again = as_json(harbour, "review")
    assert again["criteria"][0]["verdict_before"] == "not_yet_known"
    assert rows(harbour) == (2, 2)
    assert len(list((harbour / "state" / "reports").glob("review-*.md"))) == 2


def test_a_report_that_cannot_be_a_file_is_kept_all_the_same(harbour: Path) -> None:
    """The review is done and told; what is wrong with the folder goes to standard error."""
    (harbour / "state" / "reports").write_text("in the way")
    done = sprintd(harbour, "review")
    assert done.returncode == 0
    assert "NOT YET KNOWN" in done.stdout
    assert "state/reports" in done.stderr
    assert rows(harbour) == (1, 1)


def test_criteria_lists_all_and_shows_one(harbour: Path) -> None:
    """Of one also every sentence and the reviews so far."""
    sprintd(harbour, "review")
    listed = sprintd(harbour, "criteria")
    criterion, _ = as_json(harbour, "criteria")["criteria"]
    name = criterion["criterion"]
    assert name in listed.stdout
    assert "none written" in listed.stdout
    shown = sprintd(harbour, "criteria", name)
    assert "no test is written for it" in shown.stdout
    assert "Reviews, the newest first:" in shown.stdout
    assert len(criterion["reviews"]) == 1


def test_a_criterion_shows_what_was_seen_and_not_counted(harbour: Path) -> None:
    """With the sentence, so that a person can see whether the rule was right."""
    file = harbour / "kill_criteria.yaml"
    before, mark, after = file.read_text().partition("  - id: KC2")
    file.write_text(before.rstrip() + TESTS + mark + after)
    name = "KC1"
    shown = sprintd(harbour, "criteria", name)
    assert shown.returncode == 0, shown.stderr
    measure = "prepaid: Boat owners who would pay in advance (GO <= 1 boat owners, NO-GO > 199 boat owners)"
    assert measure in shown.stdout
    assert "not counted" in shown.stdout
    points = shown.stdout.split("Threshold:")[1].splitlines()[2:]
    assert all(line[:2] in ("- ", "  ") for line in points if not line.startswith("prepaid:"))


def test_an_unknown_criterion_is_named_with_the_nearest(harbour: Path) -> None:
    """And nothing is shown."""
    name = as_json(harbour, "criteria")["criteria"][0]["criterion"]
    done = sprintd(harbour, "criteria", name.upper() + "x")
    assert done.returncode == 1
    assert f"did you mean {name}?" in done.stderr


def test_a_broken_file_is_told_of(harbour: Path) -> None:
    """File, line and key, by both commands."""
    file = harbour / "kill_criteria.yaml"
    file.write_text(file.read_text().rstrip() + TESTS.replace('"<= 1"', "many"))
    for words in (["criteria"], ["review", "--dry-run"], ["check"]):
        done = sprintd(harbour, *words)
        assert done.returncode != 0
        assert "tests[0].go: expects a comparison" in done.stdout + done.stderr


def test_a_workspace_where_nothing_ran_yet_has_its_criteria(small: Path) -> None:
    """Looking leaves no trace."""
    assert sprintd(small, "criteria").returncode == 0
    assert not (small / "state").exists()
    open_database(small / "state" / "sprintd.db").close()
    assert sprintd(small, "review", "--dry-run").returncode == 0


@pytest.mark.parametrize(
    "facts", ["[broken", "3", '{"tests": 3}', '{"tests": {"paying": 1}}', "{}"]
)
def test_a_history_that_somebody_changed_stops_no_review(harbour: Path, facts: str) -> None:
    """It counts as no review before; the next one is whole again."""
    assert sprintd(harbour, "review").returncode == 0
    with sqlite3.connect(harbour / "state" / "sprintd.db") as db:
        db.execute("UPDATE criterion_review SET facts = ?", (facts,))
    db.close()
    assert sprintd(harbour, "review", "--dry-run").returncode == 0
    assert sprintd(harbour, "criteria").returncode == 0
