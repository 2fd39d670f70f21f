"""Finding rows: one per attempt, newest first."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from daemon.errors import StoreError
from daemon.store.attempts import save_answer, save_asked
from daemon.store.database import Database
from daemon.store.findings import (
    FindingRow,
    attempts_by,
    count_by_criterion,
    count_of_criterion,
    find_by_attempt,
    find_by_item,
    list_agents,
    list_findings,
    list_page,
    models_by_item,
    save_finding,
)
from daemon.store.sprints import open_sprint


@pytest.fixture
def rows(db: Database, now: datetime) -> list[FindingRow]:
    """Four findings an hour apart, saved: prices, rivals, prices again, law."""
    sprint_id = open_sprint(db, "REGULAR", None, now)
    facts = [("prices", "market"), ("rivals", "market"), ("prices", "market"), ("law", "legal")]
    made = []
    for number, (item, criterion) in enumerate(facts):
        attempt = save_asked(
            db,
            sprint_id=sprint_id,
            track=1,
            item=item,
            agent="analyst",
            effect_key=f"k{number}",
            prompt={},
            context={},
            now=now,
        )
        row = FindingRow(
            path=f"memory/findings/{criterion}/{item}-{number}.md",
            attempt_id=attempt.id,
            item=item,
            criterion=criterion,
            agent="analyst",
            title=f"Title {number}",
            summary="What was learned.",
            score_hundredths=70 + number,
            sources=("market-notes", "law-notes"),
            created_at=now + timedelta(hours=number),
        )
        save_finding(db, row)
        made.append(row)
    return made


def test_findings_come_back_as_they_were_newest_first(db: Database, rows: list[FindingRow]) -> None:
    """Every field, sources as a tuple, moments aware."""
    assert list_findings(db) == rows[::-1]


def test_findings_are_narrowed_by_moment_and_number(
    db: Database, rows: list[FindingRow], now: datetime
) -> None:
    """Each alone and together; `since` includes its own moment; limit 0 is none, not all."""
    assert list_findings(db, since=now + timedelta(hours=2)) == [rows[3], rows[2]]
    assert list_findings(db, limit=1) == [rows[3]]
    assert list_findings(db, limit=0) == []
    since = now + timedelta(hours=1)
    assert list_findings(db, since=since, limit=1) == [rows[3]]


def test_an_item_gives_its_newest_finding(db: Database, rows: list[FindingRow]) -> None:
    """None where there is none yet."""
    assert find_by_item(db, "prices") == rows[2]
    assert find_by_item(db, "unknown") is None


def test_findings_are_counted_by_criterion(db: Database, rows: list[FindingRow]) -> None:
    """A criterion without any is left out."""
    assert count_by_criterion(db) == {"market": 3, "legal": 1}


def test_saving_a_finding_twice_is_one_finding(db: Database, rows: list[FindingRow]) -> None:
    """A repeated commit after a crash keeps the first."""
    save_finding(db, replace(rows[0], title="changed"))
    assert find_by_item(db, "rivals") == rows[1]
    assert list_findings(db) == rows[::-1]


def test_one_attempt_has_one_finding(db: Database, rows: list[FindingRow]) -> None:
    """Another path for the same attempt, or another attempt for the same path, is refused."""
    for changed in (
        replace(rows[0], path="memory/findings/market/other.md"),
        replace(rows[0], attempt_id=rows[1].attempt_id),
    ):
        with pytest.raises(StoreError, match="already has another finding"):
            save_finding(db, changed)
    assert list_findings(db) == rows[::-1]


def test_a_finding_needs_its_attempt(db: Database, rows: list[FindingRow]) -> None:
    """No finding without the call that it came from."""
    with pytest.raises(StoreError, match="FOREIGN KEY constraint failed"):
        save_finding(db, replace(rows[0], path="p", attempt_id=99))


def test_the_model_of_a_finding_is_that_of_its_attempt(
    db: Database, rows: list[FindingRow]
) -> None:
    """By item that of the newest finding; empty where none is known."""
    for row, model in zip(rows, ("old-1", "new-2", "new-3"), strict=False):
        save_answer(db, row.attempt_id, "text", "end_turn", model)
    assert models_by_item(db) == {"prices": "new-3", "rivals": "new-2", "law": ""}
    assert attempts_by(db, rows, "new-2") == {rows[1].attempt_id}
    assert attempts_by(db, rows[:1], "new-2") == attempts_by(db, [], "new-2") == frozenset()


def test_pages_of_findings_follow_each_other(db: Database, rows: list[FindingRow]) -> None:
    """Each begins behind the last row of the one before, narrowed or not; agents are listed once."""
    newest = list_findings(db)
    last = newest[1]
    assert list_page(db, 2) == newest[:2]
    assert list_page(db, 9, before=(last.created_at, last.attempt_id)) == newest[2:]
    market = [row for row in newest if row.criterion == "market"]
    assert list_page(db, 9, criterion="market", agent="analyst") == market
    assert list_page(db, 9, agent="nobody") == []
    assert list_agents(db) == ["analyst"]
    assert count_of_criterion(db, "market") == len(market)


def test_a_finding_is_found_by_its_attempt(db: Database, rows: list[FindingRow]) -> None:
    """None for an attempt that led to nothing."""
    assert find_by_attempt(db, rows[0].attempt_id) == rows[0]
    assert find_by_attempt(db, 999) is None
