"""What people pressed: kept once, in order, until it had its effect."""

from __future__ import annotations

from datetime import datetime, timedelta

from daemon.clock import to_text
from daemon.store import inbox
from daemon.store.database import Database

PRESS = {"kind": "press", "user": "U0FOUNDER", "value": "ñ"}


def test_what_arrives_again_is_known(db: Database, now: datetime) -> None:
    """Whatever its content then is: the first one stands."""
    assert inbox.receive(db, "a", "slack.socket", PRESS, now)
    assert not inbox.receive(db, "a", "slack.http", {"kind": "other"}, now + timedelta(seconds=1))
    (row,) = inbox.list_open(db)
    assert (row.source, row.payload, row.received_at) == ("slack.socket", PRESS, now)


def test_open_ones_come_in_the_order_of_their_arrival(db: Database, now: datetime) -> None:
    """Whatever the clock said then; and no more of them than are asked for."""
    for number, key in enumerate(("c", "a", "b")):
        inbox.receive(db, key, "slack.socket", PRESS, now - timedelta(seconds=number))
    assert [row.key for row in inbox.list_open(db)] == ["c", "a", "b"]
    assert [row.key for row in inbox.list_open(db, 2)] == ["c", "a"]


def test_what_was_handled_stays_so_and_is_known(db: Database, now: datetime) -> None:
    """Its outcome is not written twice, and it does not open again."""
    inbox.receive(db, "a", "slack.socket", PRESS, now)
    assert inbox.note_begun(db, "a", "begun")
    assert inbox.mark_handled(db, "a", "x" * 5_000, now)
    assert not inbox.mark_handled(db, "a", "again", now)
    assert not inbox.note_begun(db, "a", "begun")
    assert not inbox.receive(db, "a", "slack.socket", PRESS, now)
    assert inbox.list_open(db) == []
    row = inbox.find_received(db, "a")
    assert row is not None
    assert row.outcome == "x" * inbox.MAX_OUTCOME_CHARACTERS
    assert row.handled_at == now


def test_one_that_was_begun_is_still_open(db: Database, now: datetime) -> None:
    """A crash came between, and its mark says so."""
    inbox.receive(db, "a", "slack.socket", PRESS, now)
    inbox.note_begun(db, "a", "begun")
    assert [row.outcome for row in inbox.list_open(db)] == ["begun"]
    assert inbox.find_received(db, "b") is None


def test_a_damaged_row_says_nothing_and_holds_up_no_other(db: Database, now: datetime) -> None:
    """It is handed out with an empty payload, to be worked off as such."""
    for key in "abcde":
        inbox.receive(db, key, "slack.socket", PRESS, now)
    with db.immediate() as tx:
        tx.execute("UPDATE inbox SET payload = '{' WHERE key = 'a'")
        tx.execute("UPDATE inbox SET payload = '[1]' WHERE key = 'b'")
        tx.execute("UPDATE inbox SET received_at = 'soon' WHERE key = 'c'")
        tx.execute("UPDATE inbox SET payload = CAST(x'7bff' AS TEXT) WHERE key = 'd'")
    assert [row.payload for row in inbox.list_open(db)] == [{}, {}, {}, {}, PRESS]


def test_what_was_handled_long_ago_is_forgotten(db: Database, now: datetime) -> None:
    """Never what had no effect yet, however old."""
    for key in ("old", "young", "open"):
        inbox.receive(db, key, "slack.socket", PRESS, now)
    inbox.mark_handled(db, "old", "done", now)
    later = now + timedelta(days=inbox.KEPT_DAYS)
    inbox.mark_handled(db, "young", "done", later)
    assert inbox.prune_handled(db, later) == 0
    assert inbox.prune_handled(db, later + timedelta(seconds=1)) == 1
    assert inbox.find_received(db, "old") is None
    assert [row.key for row in inbox.list_open(db)] == ["open"]


def test_no_more_than_ten_thousand_are_kept_but_those_of_the_past_hour(
    db: Database, now: datetime
) -> None:
    """Somebody presses as fast as a machine: what Slack may send again is still known."""
    sql = """WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
             INSERT INTO inbox (key, source, payload, received_at, handled_at)
             SELECT 'k' || i, 's', '{}', ?, ? FROM n"""
    with db.immediate() as tx:
        tx.execute(sql, (inbox.MOST_KEPT + 500, to_text(now), to_text(now)))
    assert inbox.prune_handled(db, now + timedelta(minutes=59)) == 0
    assert inbox.prune_handled(db, now + timedelta(minutes=61)) == 500
    assert inbox.find_received(db, "k500") is None
    assert inbox.find_received(db, "k501") is not None
