"""Rows of messages on their way out: by key, in order, in one state at a time."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from daemon.store import outbox
from daemon.store.database import Database


def put(db: Database, key: str, now: datetime, channel: str = "slack") -> bool:
    return outbox.enqueue(db, key=key, channel=channel, payload={"text": key}, now=now)


def keys(rows: list[outbox.OutboxRow]) -> list[str]:
    return [row.key for row in rows]


def test_a_key_is_taken_once(db: Database, now: datetime) -> None:
    """Handing over again, also after it was sent, changes nothing and says so."""
    assert put(db, "report/1", now)
    assert not put(db, "report/1", now)
    outbox.mark_sent(db, "report/1", "17.5", now)
    assert not put(db, "report/1", now)
    row = outbox.find_message(db, "report/1")
    assert row is not None
    assert (row.state, row.remote_id, row.ended_at) == ("sent", "17.5", now)


def test_a_message_stands_or_falls_with_what_it_reports(db: Database, now: datetime) -> None:
    """It is written in the caller's transaction, so undoing that one undoes it."""

    def job() -> None:
        with db.immediate():
            put(db, "report/1", now)
            raise RuntimeError("the job failed after all")

    with pytest.raises(RuntimeError):
        job()
    assert outbox.list_open(db) == []


def test_each_channel_has_its_own_order(db: Database, now: datetime) -> None:
    """Sequences count from 1 in each channel, without gaps for keys that were there."""
    for key, channel in (("a", "slack"), ("b", "notion"), ("a", "slack"), ("c", "slack")):
        put(db, key, now, channel)
    found = {row.key: (row.channel, row.sequence) for row in outbox.list_open(db)}
    assert found == {"a": ("slack", 1), "b": ("notion", 1), "c": ("slack", 2)}
    head = outbox.find_head(db, "slack")
    assert head is not None
    assert head.key == "a"
    assert outbox.find_head(db, "pigeon") is None


def test_what_is_under_way_or_put_back_stays_at_the_head(db: Database, now: datetime) -> None:
    """The next message of a channel waits for the one before it, whatever becomes of that."""
    put(db, "a", now)
    put(db, "b", now)
    later = now + timedelta(seconds=9)
    assert outbox.begin_sending(db, "a", look_up_at=later)
    head = outbox.find_head(db, "slack")
    assert head is not None
    assert (head.key, head.state, head.attempts, head.next_try_at) == ("a", "sending", 1, later)
    outbox.put_back(db, "a", next_try_at=later, error="x" * 5_000, uncertain=True)
    head = outbox.find_head(db, "slack")
    assert head is not None
    assert (head.key, head.state, head.uncertain) == ("a", "waiting", True)
    assert len(head.error or "") == outbox.MAX_ERROR_CHARACTERS


def test_what_has_ended_cannot_be_sent_or_put_back(db: Database, now: datetime) -> None:
    """A late writer cannot bring a message back that was sent or set aside."""
    for key in ("sent", "aside"):
        put(db, key, now)
    outbox.mark_sent(db, "sent", "1", now)
    outbox.set_aside(db, "aside", error="refused", now=now)
    for key in ("sent", "aside"):
        assert not outbox.begin_sending(db, key, look_up_at=now)
        assert not outbox.put_back(db, key, next_try_at=now, error="", uncertain=False)
        assert not outbox.mark_sent(db, key, "2", now)
    assert outbox.find_head(db, "slack") is None


def test_retrying_keeps_the_place_and_asks_first(db: Database, now: datetime) -> None:
    """One or all; each before what waits, and looked up on the far side before it is sent."""
    for key in ("a", "b", "c"):
        put(db, key, now)
    for key in ("a", "b"):
        outbox.set_aside(db, key, error="refused", now=now)
    assert keys(outbox.list_set_aside(db)) == ["a", "b"]
    assert outbox.retry(db, now, key="c") == []
    assert outbox.retry(db, now, key="b") == ["b"]
    head = outbox.find_head(db, "slack")
    assert head is not None
    assert (head.key, head.uncertain, head.ended_at) == ("b", True, None)
    assert outbox.retry(db, now) == ["a"]
    assert outbox.retry(db, now) == []
    assert keys(outbox.list_open(db)) == ["a", "b", "c"]


def test_counts_tell_the_oldest_and_why_it_waits(db: Database, now: datetime) -> None:
    """None of it where nothing waits; messages under way are waiting too."""
    assert outbox.count_messages(db) == outbox.OutboxCounts(0, None, None, 0, None)
    for number, key in enumerate(("a", "b", "c", "d")):
        put(db, key, now + timedelta(minutes=number))
    outbox.put_back(db, "a", next_try_at=now, error="asks to post less often", uncertain=False)
    outbox.begin_sending(db, "b", look_up_at=now)
    outbox.set_aside(db, "c", error="refused", now=now)
    outbox.mark_sent(db, "d", "1", now)
    found = outbox.count_messages(db)
    assert (found.waiting, found.set_aside) == (2, 1)
    assert found.oldest_waiting_at == now
    assert found.oldest_set_aside_at == now + timedelta(minutes=2)
    assert found.waiting_error == "asks to post less often"


def test_waits_are_shortened_and_never_lengthened(db: Database, now: datetime) -> None:
    """For a clock that was set back: what waits for a far moment may be tried now."""
    for key, seconds in (("far", 9_000), ("past", -60)):
        put(db, key, now + timedelta(seconds=seconds))
    assert outbox.shorten_waits(db, now) == 1
    assert {row.key: row.next_try_at for row in outbox.list_open(db)} == {
        "far": now,
        "past": now - timedelta(seconds=60),
    }


def test_a_database_has_one_mark_of_its_own(db: Database, now: datetime) -> None:
    """Two workspaces in one channel never take each other's messages for their own."""
    mark = outbox.find_scope(db, now)
    assert len(mark) == 8
    assert outbox.find_scope(db, now + timedelta(days=1)) == mark


def test_a_row_that_cannot_be_read_says_why_and_stops_no_other(db: Database, now: datetime) -> None:
    """Somebody changed the database by hand, or the disk did."""
    put(db, "a", now)
    with db.immediate() as tx:
        tx.execute("UPDATE outbox SET payload = '{' WHERE key = 'a'")
    row = outbox.find_head(db, "slack")
    assert row is not None
    assert (row.key, row.payload) == ("a", {})
    assert row.damage.startswith("its payload cannot be read")
