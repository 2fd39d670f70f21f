"""Sessions that were ended stay ended."""

from __future__ import annotations

from datetime import timedelta

import pytest

from daemon.clock import to_text
from daemon.errors import StoreError
from daemon.store import control
from daemon.web.ended import EndedSessions
from tests.unit.web.watched import Watched
from tests.workspaces import NOON

KEPT = "web.ended_sessions"
LATER = NOON + timedelta(days=14)


def test_an_ended_session_is_known_after_a_restart_until_its_time(watched: Watched) -> None:
    """Then it is forgotten, for it would be over in any case."""
    db = watched.services.db
    EndedSessions(db).add("one", NOON + timedelta(hours=1), NOON)
    EndedSessions(db).add("two", LATER, NOON)
    assert [EndedSessions(db).has(name) for name in ("one", "two", "three")] == [True, True, False]
    EndedSessions(db).add("three", LATER, NOON + timedelta(hours=2))
    assert control.get(db, KEPT) == {"two": to_text(LATER), "three": to_text(LATER)}


def test_a_database_that_fails_revives_no_session(watched: Watched) -> None:
    """Neither the one that is ended just then, nor those of before."""
    db = watched.services.db
    EndedSessions(db).add("before", LATER, NOON)
    ended = EndedSessions(db)
    with db.immediate() as transaction:
        transaction.execute("ALTER TABLE control RENAME TO away")
    ended.add("amid", LATER, NOON)
    assert ended.has("amid")
    with pytest.raises(StoreError):
        ended.has("before")
    with db.immediate() as transaction:
        transaction.execute("ALTER TABLE away RENAME TO control")
    ended.add("after", LATER, NOON)
    assert all(ended.has(name) for name in ("before", "amid", "after"))
    assert set(control.get(db, KEPT) or {}) == {"before", "amid", "after"}
