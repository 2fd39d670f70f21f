"""Each message once and in order, by real senders against strict stand-ins, on a clock that is set."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from daemon.clock import ManualClock
from daemon.errors import StoreError
from daemon.notify.notifier import Sender
from daemon.notify.notion import NotionSender
from daemon.notify.notion_connection import NotionConnection
from daemon.notify.outbox import FAILURES_TOLD, Outbox
from daemon.notify.slack import SlackSender
from daemon.store import outbox as rows
from daemon.store import outbox_hold
from daemon.store.approvals import UnreadableRow
from daemon.store.database import Database, open_database
from tests.standins.far_side import drops, holds
from tests.standins.notion_api import NotionApi
from tests.standins.notion_api import error as notion_error
from tests.standins.shelf import MemoryShelf
from tests.standins.slack_api import Posted, SlackApi, fails, not_ok, rate_limited

START = datetime(2026, 11, 30, 9, tzinfo=UTC)
SETTLE = 10.0


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(START)


class Post:
    """An outbox to a stand-in, and what it told of troubles."""

    def __init__(self, db: Database, clock: ManualClock, **senders: Sender) -> None:
        self.db, self.clock = db, clock
        self.told: list[tuple[str, str, str]] = []
        self.outbox = Outbox(
            db,
            clock,
            senders,
            jitter=lambda: 1.0,
            trouble=lambda *words: self.told.append(words),
            settle_seconds=SETTLE,
        )

    def put(self, *keys: str, channel: str = "slack") -> None:
        for key in keys:
            payload = {"text": key, "title": key, "body": key}
            rows.enqueue(self.db, key=key, channel=channel, payload=payload, now=self.clock.now())

    def deliver(self, *, after_seconds: float = 0.0) -> int:
        self.clock.advance(timedelta(seconds=after_seconds))
        return self.outbox.deliver_due(self.clock.now())

    def row(self, key: str) -> rows.OutboxRow:
        found = rows.find_message(self.db, key)
        assert found is not None
        return found


def notion_sender(notion: NotionApi) -> NotionSender:
    connection = NotionConnection(token=notion.token, base_url=notion.base_url)
    return NotionSender(connection, MemoryShelf(), data_source=notion.data_source)


def slack_sender(slack: SlackApi, read_seconds: float = 5.0) -> SlackSender:
    return SlackSender(
        token=slack.token,
        channel=slack.channel,
        base_url=slack.base_url,
        read_seconds=read_seconds,
    )


@pytest.fixture
def post(db: Database, clock: ManualClock, slack: SlackApi) -> Post:
    return Post(db, clock, slack=slack_sender(slack))


def test_messages_leave_once_and_in_order(post: Post, slack: SlackApi) -> None:
    """A second delivery finds nothing to do."""
    post.put("a", "b", "c")
    assert post.deliver() == 3
    assert slack.keys == ["a", "b", "c"]
    assert post.deliver(after_seconds=3_600) == 0
    assert len(slack.requests) == 3
    assert post.row("a").remote_id == slack.posted[0].ts
    assert post.told == []


@pytest.mark.parametrize(
    "fault", [drops(after_acting=True), fails(504, after_acting=True), not_ok("internal_error")]
)
def test_after_a_failure_in_doubt_the_channel_is_asked_first(
    post: Post, slack: SlackApi, fault: Any
) -> None:
    """It waits until Slack must show it, looks, and sends only what is not there."""
    slack.script(fault)
    post.put("a", "b")
    assert post.deliver() == 0
    assert (post.row("a").state, post.row("a").uncertain) == ("waiting", True)
    assert post.deliver(after_seconds=SETTLE - 1) == 0
    assert len(slack.requests) == 1
    assert post.deliver(after_seconds=1) == 2
    assert slack.keys == ["a", "b"]
    assert len(slack.calls("conversations.history")) == 1


def test_a_time_out_after_delivery_posts_once(
    db: Database, clock: ManualClock, slack: SlackApi
) -> None:
    """The answer came too late; the message was there all the time."""
    post = Post(db, clock, slack=slack_sender(slack, read_seconds=0.2))
    slack.script(holds(threading.Event()))
    post.put("a")
    assert post.deliver() == 0
    assert post.deliver(after_seconds=SETTLE) == 1
    assert slack.keys == ["a"]
    assert post.row("a").remote_id == slack.posted[0].ts


@pytest.mark.parametrize("arrived", [True, False])
def test_what_a_killed_process_was_sending_is_looked_up(
    post: Post, slack: SlackApi, *, arrived: bool
) -> None:
    """A row found `sending` may have arrived or not: the channel knows."""
    post.put("a")
    look_up_at = post.clock.now() + timedelta(seconds=SETTLE)
    rows.begin_sending(post.db, "a", look_up_at=look_up_at)
    if arrived:
        mark = rows.find_scope(post.db, post.clock.now())
        slack_sender(slack).send(f"a#{mark}", {"text": "a"})
    assert post.deliver(after_seconds=SETTLE - 1) == 0
    assert post.deliver(after_seconds=1) == 1
    assert slack.keys == ["a"]


def test_another_workspaces_message_is_not_taken_for_ours(
    post: Post, slack: SlackApi, tmp_path: Path
) -> None:
    """Two workspaces post the same report into one channel: both arrive."""
    with closing(open_database(tmp_path / "other.db")) as db:
        other = Post(db, post.clock, slack=slack_sender(slack))
        other.put("report/digest/1")
        other.deliver()
        post.put("report/digest/1")
        slack.script(drops(after_acting=False))
        assert post.deliver() == 0
        assert post.deliver(after_seconds=SETTLE) == 1
    assert slack.keys == ["report/digest/1"] * 2


def test_429_is_waited_for_as_told(post: Post, slack: SlackApi) -> None:
    """Not a second less; the message stays; order is kept; no look-up is needed."""
    slack.script(rate_limited(30))
    post.put("a", "b")
    assert post.deliver() == 0
    assert post.deliver(after_seconds=29) == 0
    assert len(slack.requests) == 1
    assert post.deliver(after_seconds=2) == 2
    assert slack.keys == ["a", "b"]
    assert slack.calls("conversations.history") == []


def test_slack_that_limits_for_two_minutes_is_never_told_of_it(post: Post, slack: SlackApi) -> None:
    """Retry-After: 30 for two minutes: five requests, no new message, everything arrives."""
    slack.script(*[rate_limited(30)] * 4)
    post.put("a", "b")
    for _ in range(130):
        post.deliver(after_seconds=1)
    assert slack.keys == ["a", "b"]
    assert len(slack.requests) == 6
    assert [row["key"] for row in post.db.rows("SELECT key FROM outbox")] == ["a", "b"]
    assert post.db.rows("SELECT * FROM event") == []


def test_waits_grow_to_a_quarter_of_an_hour(post: Post, slack: SlackApi) -> None:
    """5, 10, 20 .. 900 s with jitter; a success sets them back."""
    slack.script(*[rate_limited(None)] * 11)
    post.put("a")
    waits = []
    while post.row("a").state == "waiting":
        before = post.clock.now()
        post.deliver()
        waits.append((post.row("a").next_try_at - before).total_seconds())
        post.clock.advance(timedelta(seconds=waits[-1]))
    assert waits[:11] == [5, 10, 20, 40, 80, 160, 320, 640, 900, 900, 900]


def test_a_permanent_refusal_is_tried_once_and_set_aside(post: Post, slack: SlackApi) -> None:
    """Kept for a person with its reason, also over restarts; the next message goes on."""
    slack.script(not_ok("msg_too_long"))
    post.put("a", "b")
    assert post.deliver() == 1
    assert slack.keys == ["b"]
    again = Post(post.db, post.clock, slack=slack_sender(slack))
    assert again.deliver(after_seconds=86_400) == 0
    assert len(slack.requests) == 2
    (aside,) = again.outbox.set_aside()
    assert aside.key == "a"
    assert "msg_too_long" in (aside.error or "")
    assert [words[:2] for words in post.told] == [("slack", "refused"), ("slack", "over")]


def test_what_a_person_retries_is_looked_up_and_sent(post: Post, slack: SlackApi) -> None:
    slack.script(not_ok("msg_too_long"))
    post.put("a")
    post.deliver()
    assert rows.retry(post.db, post.clock.now()) == ["a"]
    assert post.deliver() == 1
    assert slack.keys == ["a"]


def test_a_look_up_that_is_refused_is_for_a_person_too(post: Post, slack: SlackApi) -> None:
    """Without the right to read history nobody can tell, and nothing is posted twice."""
    slack.script(drops(after_acting=True), not_ok("missing_scope"))
    post.put("a")
    post.deliver()
    post.deliver(after_seconds=SETTLE)
    assert post.row("a").state == "set_aside"
    assert "channels:history" in (post.row("a").error or "")
    rows.retry(post.db, post.clock.now())
    assert post.deliver() == 1
    assert slack.keys == ["a"]


def test_a_channel_that_waits_holds_up_no_other(
    db: Database, clock: ManualClock, slack: SlackApi
) -> None:
    """Head of line is each channel's own; both keep their order."""
    with NotionApi() as notion:
        sender = notion_sender(notion)
        post = Post(db, clock, slack=slack_sender(slack), notion=sender)
        slack.script(rate_limited(600))
        for key in "abc":
            post.put(f"s{key}")
            post.put(f"n{key}", channel="notion")
        assert post.deliver() == 3
        assert (slack.keys, notion.keys) == ([], ["na", "nb", "nc"])
        assert post.deliver(after_seconds=601) == 3
        assert slack.keys == ["sa", "sb", "sc"]


def test_a_channel_without_a_sender_keeps_its_messages(post: Post) -> None:
    """Slack was switched off for a day: they are there when it is back."""
    post.put("n", channel="notion")
    assert post.deliver() == 0
    assert [row.key for row in post.outbox.pending()] == ["n"]


def test_many_failures_in_a_row_are_told_once_and_their_end_too(
    post: Post, slack: SlackApi, caplog: pytest.LogCaptureFixture
) -> None:
    """The fifth one is told; the log has each cause once."""
    slack.script(*[rate_limited(1)] * 12)
    post.put("a")
    for _ in range(40):
        post.deliver(after_seconds=1)
    assert [words[:2] for words in post.told] == [("slack", "failing"), ("slack", "over")]
    assert FAILURES_TOLD == 5
    assert len(caplog.records) == 2
    assert slack.keys == ["a"]


def test_one_refusal_after_another_is_logged_once(
    db: Database, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    """Each is set aside by itself; the cause is one."""
    with NotionApi() as notion:
        notion.script(*[notion_error(400, "validation_error", "no")] * 3)
        post = Post(db, clock, notion=notion_sender(notion))
        post.put("a", "b", "c", channel="notion")
        assert post.deliver() == 0
        assert len(notion.requests) == 3
    assert [row.key for row in post.outbox.set_aside()] == ["a", "b", "c"]
    assert len(caplog.records) == 1


def test_a_clock_set_back_does_not_prolong_a_wait(post: Post, slack: SlackApi) -> None:
    """By two hours while it runs, or by a year before it started."""
    slack.script(rate_limited(60), rate_limited(60))
    post.put("a")
    post.deliver()
    post.clock.advance(timedelta(hours=-2))
    post.deliver()
    assert len(slack.requests) == 2
    post.clock.advance(timedelta(days=-365))
    again = Post(post.db, post.clock, slack=slack_sender(slack))
    assert again.deliver() == 1
    assert slack.keys == ["a"]


@pytest.mark.parametrize("back_first", [True, False])
def test_a_post_of_a_clock_a_week_ahead_is_found_again(
    post: Post, slack: SlackApi, back_first: bool
) -> None:
    """It was taken and the answer lost; Slack's own clock was right. Set back before or after."""
    ahead = timedelta(days=7)
    ours = ManualClock(START + ahead)
    early = Post(post.db, ours, slack=slack_sender(slack))
    slack.script(drops(after_acting=True))
    early.put("a")
    assert early.deliver() == 0
    if back_first:
        ours.advance(-ahead)
    early.deliver(after_seconds=60)
    assert early.row("a").state == "sent"
    assert slack.keys == ["a"]


def test_a_retried_message_with_a_long_history_lets_the_others_go_on(
    post: Post, slack: SlackApi
) -> None:
    """One page a minute: its look-up is given up after ten waits, and it is set aside with why."""
    slack.script(not_ok("msg_too_long"))
    post.put("old")
    post.deliver()
    for number in range(4_000):
        slack.posted.append(Posted(f"{START.timestamp():.3f}{number:05d}", {"text": "other"}))
    rows.retry(post.db, post.clock.now())
    post.put("new")
    slack.script(*[None, rate_limited(60)] * 10)
    for _ in range(15):
        post.deliver(after_seconds=62)
    assert post.row("old").state == "set_aside"
    assert "too many messages" in (post.row("old").error or "")
    assert post.row("new").state == "sent"


def test_nothing_leaves_that_cannot_be_written(post: Post, slack: SlackApi) -> None:
    """Without the database no request is made, and nothing is lost."""
    post.put("a")
    with closing(open_database(post.db.path, busy_timeout_seconds=0.1)) as locked:
        blocked = Post(locked, post.clock, slack=slack_sender(slack))
        with post.db.immediate():
            with pytest.raises(StoreError):
                blocked.deliver()
            assert slack.requests == []
        assert blocked.deliver() == 1


class BreaksSender:
    """A sender with a fault of ours: it breaks at every message that says so; once it did, also when
    it is asked whether that message arrived."""

    def __init__(self, error: Exception | None = None) -> None:
        self.sent: list[str] = []
        self.error = error or KeyError("a fault")

    def send(self, key: str, payload: Mapping[str, Any]) -> str:
        if payload["text"] == "bad":
            raise self.error
        self.sent.append(payload["text"])
        return "1"

    def find(self, key: str, payload: Mapping[str, Any], *, since: datetime) -> str | None:
        if payload["text"] == "bad":
            raise self.error
        return None

    def close(self) -> None:
        """Nothing to give up."""


def test_a_message_that_breaks_its_sender_does_not_hold_up_the_others_for_ever(
    db: Database, clock: ManualClock
) -> None:
    """After six tries it is set aside; the next one leaves."""
    sender = BreaksSender()
    post = Post(db, clock, slack=sender)
    post.put("bad", "good")
    for _ in range(10):
        post.deliver(after_seconds=900)
    assert sender.sent == ["good"]
    assert post.row("bad").state == "set_aside"


def test_a_message_that_was_damaged_on_the_disk_is_set_aside_and_the_others_leave(
    post: Post, slack: SlackApi
) -> None:
    """With its reason, once, and told; the lists of what waits can still be read."""
    post.put("a", "b", "c", "d")
    with post.db.immediate() as tx:
        tx.execute("UPDATE outbox SET payload = '{\"text\": \"a' WHERE key = 'a'")
        tx.execute("UPDATE outbox SET payload = '[]', created_at = 'x' WHERE key = 'b'")
    assert len(post.outbox.pending()) == 4
    assert rows.count_messages(post.db).waiting == 4
    assert post.deliver() == 2
    assert slack.keys == ["c", "d"]
    damaged = {row.key: row.error or "" for row in post.outbox.set_aside()}
    assert set(damaged) == {"a", "b"}
    assert "damaged in the database: its payload cannot be read" in damaged["a"]
    assert "its created_at cannot be read" in damaged["b"]
    assert [kind for _, kind, _ in post.told] == ["refused", "refused", "over"]


def test_a_message_that_meets_a_broken_store_waits(db: Database, clock: ManualClock) -> None:
    """It is not to blame, however often it was tried before; nobody has to retry it by hand."""
    sender = BreaksSender(StoreError("the database is locked"))
    post = Post(db, clock, slack=sender)
    post.put("bad")
    for _ in range(3 * FAILURES_TOLD):
        post.deliver(after_seconds=900)
    assert post.row("bad").state == "waiting"


def test_notion_that_refuses_ids_is_one_alert_and_every_page_waits(
    db: Database, clock: ManualClock
) -> None:
    """A changed API version: the reason names version and kind of id, and no page is lost by it."""
    with NotionApi() as notion:
        words = "Databases with multiple data sources are not supported in this API version."
        notion.script(*[notion_error(400, "validation_error", words)] * 3)
        post = Post(db, clock, notion=notion_sender(notion))
        post.put("a", "b", channel="notion")
        arrived = sum(post.deliver(after_seconds=900) for _ in range(5))
        assert (arrived, notion.keys) == (2, ["a", "b"])
    ((channel, kind, sentence), end) = post.told
    assert (channel, kind, end[1]) == ("notion", "held", "over")
    assert "Notion-Version 2026-03-11" in sentence
    assert "id of a data source" in sentence


@pytest.mark.parametrize(
    "code", ["invalid_auth", "account_inactive", "token_revoked", "not_in_channel",
             "channel_not_found", "is_archived", "missing_scope"],
)  # fmt: skip
def test_slack_that_takes_nothing_at_all_is_held_with_one_alert_and_goes_on_by_itself(
    post: Post, slack: SlackApi, code: str
) -> None:
    """No message is set aside or lost; tries become rarer; the end is told once."""
    slack.script(*[not_ok(code)] * 12)
    post.put("a", "b", "c")
    assert post.deliver() == 0
    assert code in outbox_hold.find_holds(post.db)["slack"].why
    for _ in range(4 * 6):  # six hours
        post.deliver(after_seconds=900)
    assert slack.keys == ["a", "b", "c"]
    assert len(slack.requests) == 12 + 3
    assert post.outbox.set_aside() == []
    assert [words[1] for words in post.told] == ["held", "over"]
    assert outbox_hold.find_holds(post.db) == {}


def test_a_restart_tries_at_once_what_was_held(post: Post, slack: SlackApi) -> None:
    """With another token in the new life nobody waits for a quarter of an hour; and it is no new alert
    where it is not mended."""
    slack.script(*[not_ok("token_revoked")] * 8)
    post.put("a")
    for _ in range(7):
        post.deliver(after_seconds=900)
    again = Post(post.db, post.clock, slack=slack_sender(slack))
    assert again.deliver(after_seconds=1) == 0
    third = Post(post.db, post.clock, slack=slack_sender(slack))
    assert third.deliver(after_seconds=1) == 1
    assert (again.told, [words[1] for words in third.told]) == ([], ["over"])


def test_a_held_channel_stands_in_no_others_way(
    db: Database, clock: ManualClock, slack: SlackApi
) -> None:
    """And a person who mended it need not wait for the next try."""
    with NotionApi() as notion:
        post = Post(db, clock, slack=slack_sender(slack), notion=notion_sender(notion))
        slack.script(*[not_ok("invalid_auth")] * 9)
        post.put("s")
        for _ in range(9):
            post.deliver(after_seconds=900)
        post.put("n", channel="notion")
        assert post.deliver(after_seconds=1) == 1
        assert outbox_hold.hurry(db, ("slack", "notion"), clock.now()) == ["slack"]
        assert post.deliver() == 1


def test_a_place_that_one_message_names_holds_up_none_of_the_others(
    post: Post, slack: SlackApi
) -> None:
    """Somebody approved a post to a channel that the app is not in: that post alone is refused."""
    slack.script(not_ok("not_in_channel"))
    elsewhere = {"text": "a", "to": "C0OTHER", "approval": "A1"}
    rows.enqueue(post.db, key="a", channel="slack", payload=elsewhere, now=START)
    post.put("b")
    assert post.deliver() == 1
    assert post.row("a").state == "set_aside"


def test_a_message_in_doubt_stays_in_doubt_while_its_channel_is_held(
    post: Post, slack: SlackApi
) -> None:
    """The token was revoked before anybody could look whether it had arrived: it had, once."""
    slack.script(drops(after_acting=True), not_ok("token_revoked"))
    post.put("a")
    for _ in range(3):
        post.deliver(after_seconds=60)
    assert slack.keys == ["a"]
    assert post.row("a").state == "sent"


def test_an_approval_that_cannot_be_read_sets_its_message_aside(
    db: Database, clock: ManualClock
) -> None:
    """It is damaged for good, so the channel does not wait for it."""
    sender = BreaksSender(UnreadableRow("the approval 'A1' cannot be read: no moment"))
    post = Post(db, clock, slack=sender)
    post.put("bad", "good")
    assert post.deliver() == 1
    assert "A1" in (post.row("bad").error or "")


def test_no_damage_of_a_row_stops_its_channel(post: Post, slack: SlackApi) -> None:
    """Bytes that are no text, a payload too deep to be read, a channel that there is not: each is set
    aside with its reason, and can be listed."""
    post.put("a", "b", "c", "d")
    with post.db.immediate() as tx:
        tx.execute("UPDATE outbox SET payload = CAST(x'7bff' AS TEXT) WHERE key = 'a'")
        tx.execute("UPDATE outbox SET payload = ? WHERE key = 'b'", ("[" * 100_000,))
        tx.execute("UPDATE outbox SET channel = 'fax' WHERE key = 'c'")
    assert post.deliver() == 1
    assert slack.keys == ["d"]
    assert rows.count_messages(post.db).oldest_set_aside_at == START
    why = {row.key: row.error or "" for row in post.outbox.set_aside()}
    assert "its payload cannot be read: 'utf-8' codec" in why["a"]
    assert "its payload cannot be read: maximum recursion" in why["b"]
    assert why["c"] == "there is no channel 'fax'; there are notion, slack"
