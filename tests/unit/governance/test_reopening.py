"""Putting done items back: one event, the findings kept, nothing else touched."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from daemon.governance.reopening import reopen
from daemon.store import events, items
from daemon.store.database import open_database

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def test_only_what_is_done_is_put_back_and_told(tmp_path: Path) -> None:
    """Blocked and unknown ones stay as they are; where nothing was done there is no event."""
    db = open_database(tmp_path / "sprintd.db")
    items.mark_done(db, "T01", NOON)
    items.count_rejection(db, "T02", "bad", 1, NOON)
    assert reopen(db, ("T02", "T01", "T03"), NOON) == ("T01",)
    assert reopen(db, ("T02", "T01"), NOON) == ()
    assert [(e.kind, e.facts) for e in events.list_after(db, 0)] == [
        ("reopened", {"items": ["T01"]})
    ]
    assert items.find_item_state(db, "T02").state == "blocked"
    db.close()
