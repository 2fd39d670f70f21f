"""The gate before every reservation."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from daemon.governance import gate
from daemon.governance.states import enter_state
from daemon.store.database import Database, open_database

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    database = open_database(tmp_path / "sprintd.db")
    yield database
    database.close()


def test_an_open_gate_refuses_nothing(db: Database) -> None:
    """Neither in a new database nor in any state but halted."""
    assert gate.refusal_now(db, NOON) is None
    enter_state(db, "working", "a sprint runs", NOON)
    assert gate.refusal_now(db, NOON) is None


def test_a_halted_daemon_is_refused_with_reason_and_cure(db: Database) -> None:
    """The reason of the halt and the command that ends it."""
    enter_state(db, "halted", "the key is wrong", NOON)
    refusal = gate.refusal_now(db, NOON)
    assert refusal
    assert refusal.reason == "gate"
    assert "the key is wrong" in refusal.message
    assert "sprintd reset-failures" in refusal.message


def test_a_limit_refuses_until_its_moment_and_not_after(db: Database) -> None:
    """Refused up to the last microsecond; open at the moment itself."""
    gate.leave_alone(db, NOON + HOUR, "slow down", NOON)
    refusal = gate.refusal_now(db, NOON + HOUR - timedelta(microseconds=1))
    assert refusal
    assert "until 2026-11-30 13:00 UTC: slow down" in refusal.message
    assert gate.refusal_now(db, NOON + HOUR) is None


def test_the_later_of_two_limits_stays(db: Database) -> None:
    """A shorter one does not open the gate early; an old one that is over does not count."""
    gate.leave_alone(db, NOON + 2 * HOUR, "long", NOON)
    gate.leave_alone(db, NOON + HOUR, "short", NOON)
    limit = gate.rate_limit(db, NOON)
    assert limit
    assert limit.reason == "long"
    gate.leave_alone(db, NOON + 4 * HOUR, "new", NOON + 3 * HOUR)
    limit = gate.rate_limit(db, NOON + 3 * HOUR)
    assert limit
    assert (limit.reason, limit.since) == ("new", NOON + 3 * HOUR)


def test_a_clock_that_was_set_back_does_not_prolong_a_limit(db: Database) -> None:
    """A year ahead by mistake, then right again: the gate is open."""
    wrong = NOON + timedelta(days=365)
    gate.leave_alone(db, wrong + HOUR, "slow down", wrong)
    assert gate.refusal_now(db, NOON) is None


def test_a_limit_can_be_forgotten(db: Database) -> None:
    """As by a reset; once."""
    gate.leave_alone(db, NOON + HOUR, "slow down", NOON)
    assert gate.forget_rate_limit(db)
    assert not gate.forget_rate_limit(db)
    assert gate.refusal_now(db, NOON) is None
