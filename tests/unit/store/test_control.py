"""Small facts by name."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from daemon.clock import to_text
from daemon.store.control import delete, get, put
from daemon.store.database import Database, open_database


@pytest.mark.parametrize(
    "value", ["running", 0, False, "", 3, [1, 2], {"failures": 2, "reasons": ["x"]}, "ñ"]
)
def test_a_value_comes_back_as_it_was(db: Database, now: datetime, value: Any) -> None:
    """Type and all: 0 and False are values, not absence."""
    put(db, "breaker", value, now)
    found = get(db, "breaker")
    assert found == value
    assert type(found) is type(value)


def test_a_name_without_a_value_is_none(db: Database, now: datetime) -> None:
    """Never put, or deleted."""
    assert get(db, "breaker") is None
    put(db, "breaker", 1, now)
    assert delete(db, "breaker")
    assert not delete(db, "breaker")
    assert get(db, "breaker") is None


def test_the_newest_value_and_its_moment_stay(db: Database, now: datetime) -> None:
    """Putting again replaces; another name is untouched."""
    later = now + timedelta(minutes=1)
    put(db, "state", "running", now)
    put(db, "other", 1, now)
    put(db, "state", "halted", later)
    assert (get(db, "state"), get(db, "other")) == ("halted", 1)
    found = db.row("SELECT changed_at FROM control WHERE name = 'state'")
    assert found == {"changed_at": to_text(later)}


def test_values_survive_a_restart(db: Database, now: datetime) -> None:
    """Another opening of the same file reads them."""
    put(db, "state", "halted", now)
    db.close()
    again = open_database(db.path)
    assert get(again, "state") == "halted"
    again.close()
