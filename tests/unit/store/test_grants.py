"""Approvals: each for one action, and used once."""

from __future__ import annotations

from pathlib import Path

from daemon.store import grants
from daemon.store.database import open_database
from tests.workspaces import NOON

THIS, OTHER = "a" * 64, "b" * 64


def test_a_grant_holds_for_its_action_until_it_is_spent(tmp_path: Path) -> None:
    """Another action has none, and spending it again spends nothing."""
    db = open_database(tmp_path / "x.db")
    one = grants.give(db, THIS, "approval", "commit", by="ana", now=NOON)
    (row,) = grants.list_unspent(db, THIS)
    assert (row.id, row.source, row.level) == (one, "approval", "commit")
    assert grants.list_unspent(db, OTHER) == []
    assert grants.spend(db, [one], NOON) == 1
    assert grants.spend(db, [one], NOON) == 0
    assert grants.list_unspent(db, THIS) == []
    db.close()
