from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from daemon.errors import StoreError
from daemon.store import effects
from daemon.store.database import Database, open_database

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
LATER = NOW + timedelta(minutes=5)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    database = open_database(tmp_path / "state" / "sprintd.db")
    yield database
    database.close()


def start(db: Database, key: str = "attempt/1", owner: str = "first life") -> bool:
    return effects.start_effect(db, key, owner=owner, deadline_at=LATER, now=NOW)


def test_a_key_is_started_once(db: Database) -> None:
    """Whoever comes second is told so, and the first one's row stays as it was."""
    assert start(db)
    assert not start(db, owner="second life")
    row = effects.find_effect(db, "attempt/1")
    assert row
    assert (row.state, row.owner, row.deadline_at) == ("started", "first life", LATER)


def test_a_result_is_kept_once_and_read_back(db: Database) -> None:
    """The second result of the same key is refused; the first is what is read."""
    start(db)
    assert effects.finish_effect(db, "attempt/1", {"text": "one", "n": 1}, LATER)
    assert not effects.finish_effect(db, "attempt/1", {"text": "two"}, LATER)
    row = effects.find_effect(db, "attempt/1")
    assert row
    assert (row.state, row.result, row.ended_at) == ("done", {"text": "one", "n": 1}, LATER)


def test_a_lost_key_stays_lost(db: Database) -> None:
    """It cannot be finished, forgotten, extended or started again."""
    start(db)
    assert effects.lose_effect(db, "attempt/1", LATER)
    assert not effects.lose_effect(db, "attempt/1", LATER)
    assert not effects.finish_effect(db, "attempt/1", {}, LATER)
    assert not effects.forget_effect(db, "attempt/1")
    assert not effects.extend_effect(db, "attempt/1", deadline_at=LATER)
    assert not start(db)


def test_a_forgotten_key_is_free_again(db: Database) -> None:
    """What surely did not happen leaves no trace."""
    start(db)
    assert effects.forget_effect(db, "attempt/1")
    assert effects.find_effect(db, "attempt/1") is None
    assert start(db)


def test_a_done_key_is_never_forgotten(db: Database) -> None:
    """A paid result outlives every clean-up."""
    start(db)
    effects.finish_effect(db, "attempt/1", {"text": "paid"}, LATER)
    assert not effects.forget_effect(db, "attempt/1")
    assert not effects.lose_effect(db, "attempt/1", LATER)


def test_only_started_effects_are_listed(db: Database) -> None:
    """In the order of their keys, with the deadline as it was last moved."""
    for key in ("c", "a", "b"):
        start(db, key)
    effects.finish_effect(db, "b", {}, NOW)
    effects.extend_effect(db, "c", deadline_at=LATER + timedelta(hours=1))
    listed = effects.list_started(db)
    assert [row.key for row in listed] == ["a", "c"]
    assert listed[1].deadline_at == LATER + timedelta(hours=1)


def test_a_damaged_result_is_one_clear_error(db: Database) -> None:
    """It names the key, and is not taken for a missing one."""
    start(db)
    with db.immediate() as tx:
        tx.execute("UPDATE effect SET state = 'done', result = '{\"text\": '")
    with pytest.raises(StoreError, match="the stored effect 'attempt/1' cannot be read"):
        effects.find_effect(db, "attempt/1")
