"""A person who approved a message learns where it did not arrive, and when it did after all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from daemon.errors import SendRefused
from daemon.governance.approval_standing import standing_of
from daemon.governance.approval_words import end_line
from daemon.governance.deliveries import build_outbox
from daemon.store import outbox
from tests.unit.governance.approval_desk import POST, UNBLOCK, Desk

KEY = "approval/A1/message"


class Place:
    """Refuses what goes to another place than the channel's own, while `refuses`."""

    def __init__(self) -> None:
        self.refuses = True

    def send(self, key: str, payload: Mapping[str, Any]) -> str:
        if self.refuses and payload.get("to"):
            raise SendRefused("channel_not_found; correct the id")
        return key

    def find(self, key: str, payload: Mapping[str, Any], *, since: datetime) -> None:
        """Nothing of it is there."""

    def close(self) -> None:
        """Holds nothing."""


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    built = Desk(tmp_path, ("slack",))
    yield built
    built.close()


def deliver(desk: Desk, place: Place) -> None:
    """In a life of its own, and past every wait."""
    desk.clock.advance(timedelta(hours=1))
    voice = desk.voice.phrases
    post = build_outbox(
        desk.db, desk.clock, {"slack": place}, voice, lambda: 0.0, lambda _row, _key, send: send(),
        desk.gate.books,
    )  # fmt: skip
    post.deliver_due(desk.clock.now())


def edits(desk: Desk) -> list[str]:
    """What was put in the question's place, in order."""
    sql = "SELECT key FROM outbox WHERE json_extract(payload, '$.edits') IS NOT NULL ORDER BY sequence"
    return [row["key"] for row in desk.db.rows(sql)]


def test_a_refused_message_says_so_at_its_approval_and_again_when_it_arrives(desk: Desk) -> None:
    """Once each, in the outcome and in the place of the question, however often it is tried."""
    row, place = desk.approvals.ask(POST), Place()
    desk.say(row)
    deliver(desk, place)
    refused = desk.row()
    assert (refused.state, standing_of(desk.db, refused)) == ("done", "not_arrived")
    assert "did NOT arrive in slack: channel_not_found; correct the id." in refused.outcome
    assert f"sprintd outbox retry {KEY}" in end_line(refused, desk.voice.phrases)
    told = desk.message("approval/A1/slack/refused/1").payload["text"]
    assert "A1 is approved, but its message did NOT arrive (" in told
    outbox.retry(desk.db, desk.clock.now(), key=KEY)
    deliver(desk, place)
    assert edits(desk) == ["approval/A1/slack/decided", "approval/A1/slack/refused/1"]
    place.refuses = False
    outbox.retry(desk.db, desk.clock.now(), key=KEY)
    deliver(desk, place)
    assert desk.row().outcome == "The message has arrived in slack."
    assert edits(desk)[2:] == ["approval/A1/slack/arrived/3"]
    assert desk.waiting() == []
    assert standing_of(desk.db, desk.row()) == "done"
    last = [effect for effect, who in desk.effects() if who == "daemon"]
    assert last == ["NOT ARRIVED", "NOT ARRIVED", "ARRIVED"]
    assert desk.entries()[-1]["action"]["targets"] == ["approval:A1"]


def test_what_was_handed_over_and_not_sent_yet_is_not_told_as_done(desk: Desk) -> None:
    """Nor is anything else of another kind changed by it."""
    desk.say(desk.approvals.ask(POST))
    assert standing_of(desk.db, desk.row()) == "on_its_way"
    told = desk.message("approval/A1/slack/decided").payload["text"]
    assert "A1 is approved, its message is on its way (" in told
    desk.say(desk.approvals.ask(UNBLOCK))
    assert standing_of(desk.db, desk.row("A2")) == "done"


def test_an_arrival_that_the_ledger_cannot_keep_yet_is_kept_before_its_next_entry(
    desk: Desk,
) -> None:
    """The message is not held up, and what became of it is not lost."""
    desk.say(desk.approvals.ask(POST))
    with desk.without_ledger():
        deliver(desk, Place())
        assert desk.message(KEY).state == "set_aside"
        books = desk.gate.books
    books.append("approval", actor="test", tool="", args_sha256="", targets=["approval:A9"],
                 verdict={"effect": "ASKED", "gate": "approval", "reason": "", "final": 0})  # fmt: skip
    assert [one["verdict"]["effect"] for one in desk.entries()][-2:] == ["NOT ARRIVED", "ASKED"]


def test_a_message_that_arrives_at_once_is_told_once(desk: Desk) -> None:
    """No second edit, and no other word."""
    place = Place()
    place.refuses = False
    desk.say(desk.approvals.ask(POST))
    deliver(desk, place)
    assert desk.row().outcome == "The message is on its way to slack."
    assert edits(desk) == ["approval/A1/slack/decided"]


def test_a_message_with_anothers_permit_changes_nothing_there(desk: Desk) -> None:
    """Only the key that was handed over is the approval's own."""
    desk.say(desk.approvals.ask(POST))
    before = desk.row()
    forged = {"text": "x", "to": "C0EVIL", "approval": "A1"}
    outbox.enqueue(desk.db, key="forged", channel="slack", payload=forged, now=desk.clock.now())
    outbox.set_aside(desk.db, KEY, error="held", now=desk.clock.now())
    deliver(desk, Place())
    assert desk.message("forged").state == "set_aside"
    assert desk.row() == before
