"""A public page leaves when a person approved exactly it, and not otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from daemon.governance.published import is_approved
from daemon.ledger.entry import digest_of
from daemon.store import approvals
from daemon.store.approvals import ApprovalRow
from daemon.store.database import Database, open_database
from tests.workspaces import NOON

PAGES = [
    {"place": "backlog", "external_id": "item/T01", "title": "T", "properties": {}, "body": ""}
]
PAYLOAD: dict[str, Any] = {"channel": "notion", "message": {"title": "Publish", "pages": PAGES}}
SENT = {"title": "Publish", "pages": PAGES, "approval": "A1"}


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with closing(open_database(tmp_path / "state" / "sprintd.db")) as opened:
        yield opened


def keep(db: Database, *, kind: Any = "publish", sha256: str = "") -> None:
    row = ApprovalRow(
        id="A1", kind=kind, title="T", why="W", if_unanswered="", asked_by="reports",
        payload=PAYLOAD, payload_sha256=sha256 or digest_of(PAYLOAD), dedupe=None, state="pending",
        asked_at=NOON, remind_at=None, expires_at=NOON + timedelta(hours=1),
    )  # fmt: skip
    approvals.save_question(db, row)


def say_yes(db: Database) -> None:
    with db.immediate() as tx:
        tx.execute("UPDATE approval SET state = 'done' WHERE id = 'A1'")


def test_what_was_approved_leaves(db: Database) -> None:
    """And nothing before the answer."""
    keep(db)
    assert is_approved(db, SENT) is False
    say_yes(db)
    assert is_approved(db, SENT) is True


def test_anything_else_does_not(db: Database) -> None:
    """Another id, none, more pages, other words, another kind of approval, a changed row."""
    keep(db)
    say_yes(db)
    changed = [{**PAGES[0], "title": "T!"}]
    for payload in (
        {**SENT, "approval": "A2"},
        {key: value for key, value in SENT.items() if key != "approval"},
        {**SENT, "pages": PAGES * 2},
        {**SENT, "pages": changed},
        {**SENT, "to": "elsewhere"},
    ):
        assert is_approved(db, payload) is False
    with db.immediate() as tx:
        tx.execute("UPDATE approval SET payload_sha256 = ?", ("0" * 64,))
    assert is_approved(db, SENT) is False


def test_an_approval_of_another_kind_publishes_nothing(db: Database) -> None:
    keep(db, kind="post")
    say_yes(db)
    assert is_approved(db, SENT) is False
