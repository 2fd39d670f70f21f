"""An approval is told as done only once its message arrived."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.governance.approval_standing import standing_of
from daemon.store import outbox
from tests.unit.governance.approval_desk import POST, Desk

KEY = "approval/A1/message"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    built = Desk(tmp_path, ())
    yield built
    built.close()


def test_it_follows_its_message_from_the_question_to_the_end(desk: Desk) -> None:
    """Waiting for an answer, on its way, refused by the channel, tried again, arrived."""
    row = desk.approvals.ask(POST)
    found = [standing_of(desk.db, desk.row())]
    desk.say(row)
    now = desk.clock.now()
    for step in (
        lambda: None,
        lambda: outbox.set_aside(desk.db, KEY, error="channel_not_found", now=now),
        lambda: outbox.retry(desk.db, now, key=KEY),
        lambda: outbox.begin_sending(desk.db, KEY, look_up_at=now),
        lambda: outbox.mark_sent(desk.db, KEY, "1", now),
    ):
        step()
        found.append(standing_of(desk.db, desk.row()))
    assert found == [
        "pending", "on_its_way", "not_arrived", "on_its_way", "on_its_way", "done",
    ]  # fmt: skip


def test_without_its_message_its_state_is_all_that_is_known(desk: Desk) -> None:
    """Somebody took it out of the database, or put one of another approval under its key."""
    desk.say(desk.approvals.ask(POST))
    with desk.db.immediate() as tx:
        tx.execute('UPDATE outbox SET payload = \'{"approval": "A9"}\' WHERE key = ?', (KEY,))
    assert standing_of(desk.db, desk.row()) == "done"
    with desk.db.immediate() as tx:
        tx.execute("DELETE FROM outbox WHERE key = ?", (KEY,))
    assert standing_of(desk.db, desk.row()) == "done"
