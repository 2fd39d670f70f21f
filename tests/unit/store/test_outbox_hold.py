"""A channel that is held: kept with its reason over restarts, and never lost by damage."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from daemon.store import control, outbox, outbox_hold
from daemon.store.database import Database

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def test_a_hold_has_its_first_moment_and_its_newest_reason(db: Database) -> None:
    """Only the first one is news; its end is told once."""
    assert outbox_hold.hold(db, "slack", "token_revoked", NOON)
    assert not outbox_hold.hold(db, "slack", "invalid_auth", NOON + HOUR)
    assert outbox_hold.find_holds(db) == {"slack": outbox_hold.Hold("invalid_auth", NOON)}
    assert [outbox_hold.release(db, "slack", NOON + HOUR) for _ in range(2)] == [True, False]
    assert outbox_hold.find_holds(db) == {}


def test_a_hold_that_was_damaged_counts_as_none(db: Database) -> None:
    """The next try finds out anew."""
    for spoilt in ([], {"slack": 3}, {"slack": {"why": "x"}}, {"slack": {"why": 1, "since": "x"}}):
        control.put(db, "outbox_held", spoilt, NOON)
        assert outbox_hold.find_holds(db) == {}
        assert outbox_hold.hold(db, "slack", "invalid_auth", NOON)


def test_only_what_is_held_is_hurried(db: Database) -> None:
    """What another channel was told to wait for it waits for."""
    outbox_hold.hold(db, "notion", "unauthorized", NOON)
    for channel in ("slack", "notion"):
        outbox.enqueue(db, key=channel, channel=channel, payload={}, now=NOON)
        outbox.put_back(db, channel, next_try_at=NOON + HOUR, error="later", uncertain=False)
    assert outbox_hold.hurry(db, ("slack", "notion"), NOON) == ["notion"]
    waits = {row.key: row.next_try_at - NOON for row in outbox.list_open(db)}
    assert waits == {"slack": HOUR, "notion": timedelta()}


def test_only_what_surely_did_not_arrive_is_dropped_with_a_hold(db: Database) -> None:
    """What is in doubt, under way, of another prefix or of another channel stays."""
    outbox_hold.hold(db, "slack", "invalid_auth", NOON)
    for key in ("t/a", "t/doubt", "t/under_way", "other"):
        outbox.enqueue(db, key=key, channel="slack", payload={}, now=NOON)
    outbox.enqueue(db, key="t/notion", channel="notion", payload={}, now=NOON)
    outbox.put_back(db, "t/doubt", next_try_at=NOON, error="?", uncertain=True)
    outbox.begin_sending(db, "t/under_way", look_up_at=NOON)
    assert outbox_hold.drop_held(db, "t/") == 1
    assert outbox.find_message(db, "t/a") is None
    assert len(outbox.list_open(db)) == 4
