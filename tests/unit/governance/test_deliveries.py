"""A channel in trouble is told of once, and never through itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from daemon.clock import ManualClock
from daemon.config.phrases import Phrases
from daemon.governance.deliveries import DeliveryTroubles
from daemon.governance.incidents import Voice
from daemon.store import events, incidents, outbox
from daemon.store.database import Database, open_database

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with closing(open_database(tmp_path / "sprintd.db")) as database:
        yield database


@pytest.fixture
def troubles(db: Database) -> DeliveryTroubles:
    return DeliveryTroubles(db, ManualClock(NOON), Voice(Phrases("en"), ("slack", "notion")))


def test_trouble_with_notion_is_one_alert_until_it_is_over(
    db: Database, troubles: DeliveryTroubles
) -> None:
    """Through Slack, with the command that helps; repeats are silent; the end is told."""
    for number in range(3):
        troubles("notion", "refused", f"finding/{number} was set aside: wrong id")
    (alert,) = events.list_after(db, 0)
    assert alert.kind == "alert"
    assert "finding/0 was set aside: wrong id" in alert.facts["reason"]
    assert "sprintd outbox retry --all" in alert.facts["reason"]
    assert [row.channel for row in outbox.list_open(db)] == ["slack"]
    troubles("notion", "over", "takes messages again")
    assert [event.kind for event in events.list_after(db, 0)] == ["alert", "recovered"]
    troubles("notion", "refused", "finding/9 was set aside: wrong id")
    assert [event.kind for event in events.list_after(db, 0)] == ["alert", "recovered", "alert"]


def test_a_refused_message_stays_an_incident_until_nothing_is_set_aside(
    db: Database, troubles: DeliveryTroubles
) -> None:
    """That others arrive ends only what failed; one that is tried again is not there yet."""
    outbox.enqueue(db, key="a", channel="notion", payload={}, now=NOON)
    outbox.set_aside(db, "a", error="wrong id", now=NOON)
    troubles("notion", "refused", "a was set aside: wrong id")
    troubles("notion", "failing", "times out")
    ends = []
    for step in (
        lambda: None,
        lambda: outbox.retry(db, NOON),
        lambda: outbox.mark_sent(db, "a", "1", NOON),
    ):
        step()
        troubles("notion", "over", "takes messages again")
        ends.append([row.cause for row in incidents.list_open(db)])
    assert ends == [["outbox/notion/refused"], ["outbox/notion/refused"], []]


def test_trouble_with_slack_is_never_sent_to_slack(
    db: Database, troubles: DeliveryTroubles
) -> None:
    """No event for a digest, no message, no incident: health, page, status and log have it."""
    for kind in ("failing", "refused", "over"):
        troubles("slack", kind, "asks to post less often")  # type: ignore[arg-type]
    assert events.list_after(db, 0) == []
    assert outbox.list_open(db) == []
    assert db.rows("SELECT * FROM incident") == []


def test_a_channel_that_takes_nothing_is_one_incident_until_it_does_again(
    db: Database, troubles: DeliveryTroubles
) -> None:
    """Of Slack too, on the page and in the next digest, but with no message of its own."""
    for channel in ("slack", "notion"):
        troubles(channel, "held", "the token was revoked")
    assert [row.cause for row in incidents.list_open(db)] == [
        "outbox/slack/held", "outbox/notion/held",
    ]  # fmt: skip
    assert "goes on by itself" in incidents.list_open(db)[0].cure
    assert [row.channel for row in outbox.list_open(db)] == ["slack"]  # of Notion
    for channel in ("slack", "notion"):
        troubles(channel, "over", "takes messages again")
    assert incidents.list_open(db) == []
    assert "Slack" not in "".join(str(row.payload["text"]) for row in outbox.list_open(db))
