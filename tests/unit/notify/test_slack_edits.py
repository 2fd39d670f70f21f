"""Edits take a message's place, answers hang in its thread: by the real SDK against the stand-in."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from daemon.clock import ManualClock
from daemon.errors import SendRefused
from daemon.notify import message
from daemon.notify.outbox import Outbox
from daemon.notify.slack import SlackSender
from daemon.store import outbox as rows
from daemon.store import outbox_hold
from daemon.store.database import Database
from tests.standins.far_side import Fault, drops
from tests.standins.slack_api import Posted, SlackApi, fails, not_ok, rate_limited

START = datetime(2026, 11, 30, 9, tzinfo=UTC)
PARTS = [message.text("Halted."), message.buttons([message.button("Resume", "daemon.resume", "")])]


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(START)


class Post:
    """An outbox to the stand-in."""

    def __init__(self, db: Database, clock: ManualClock, slack: SlackApi) -> None:
        self.db, self.clock = db, clock
        self.sender = SlackSender(token=slack.token, channel=slack.channel,
                                  base_url=slack.base_url, read_seconds=5.0)  # fmt: skip
        self.outbox = Outbox(db, clock, {"slack": self.sender}, jitter=lambda: 1.0)

    def put(self, key: str, text: str = "", **payload: Any) -> None:
        rows.enqueue(self.db, key=key, channel="slack", payload={"text": text or key, **payload},
                     now=self.clock.now())  # fmt: skip

    def deliver(self, rounds: int = 1) -> None:
        for _ in range(rounds):
            self.outbox.deliver_due(self.clock.now())
            self.clock.advance(timedelta(minutes=20))


@pytest.fixture
def post(db: Database, clock: ManualClock, slack: SlackApi) -> Post:
    return Post(db, clock, slack)


def test_an_edit_takes_the_place_of_its_message(post: Post, slack: SlackApi) -> None:
    """No second message; the button is gone, and nothing in the new text is parsed or live."""
    post.put("halted", parts=PARTS)
    post.put("over", "Resumed by <@U1>.", edits="halted")
    post.deliver()
    (posted,) = slack.posted
    assert posted.text == "Resumed by &lt;@U1&gt;."
    assert posted.key.startswith("halted#")
    assert posted.body["parse"] == "none"
    assert [block["type"] for block in posted.body["blocks"]] == ["section"]
    assert len(slack.calls("chat.update")) == 1


@pytest.mark.parametrize(
    "fault",
    [drops(after_acting=True), drops(after_acting=False), fails(502, after_acting=True),
     rate_limited(30), not_ok("fatal_error")],
)  # fmt: skip
def test_an_edit_in_doubt_is_made_again_without_a_look(
    post: Post, slack: SlackApi, fault: Fault
) -> None:
    """Twice the same edit is one."""
    post.put("a")
    post.put("b", "new", edits="a")
    slack.script(None, fault)
    post.deliver(2)
    assert [one.text for one in slack.posted] == ["new"]
    assert slack.calls("conversations.history") == []


@pytest.mark.parametrize("word", ["message_not_found", "cant_update_message", "edit_window_closed"])
def test_what_cannot_be_edited_any_more_is_a_message_of_its_own(
    post: Post, slack: SlackApi, word: str
) -> None:
    """Once, also where nobody knows whether that one arrived."""
    post.put("a")
    post.deliver()
    post.put("b", "new", edits="a")
    slack.script(not_ok(word), None, drops(after_acting=True), not_ok(word))
    post.deliver(3)
    assert [one.text for one in slack.posted] == ["a", "new"]
    assert rows.count_messages(post.db).waiting == 0


def test_an_edit_of_what_never_arrived_is_a_message_of_its_own(post: Post, slack: SlackApi) -> None:
    """The message was set aside, or its key is unknown."""
    slack.script(not_ok("msg_too_long"))
    post.put("a")
    post.put("b", "new", edits="a")
    post.put("c", "newer", edits="nobody")
    post.put("d", "newest", edits="b")
    post.deliver()
    assert [one.text for one in slack.posted] == ["newest", "newer"]


def test_an_edit_that_is_refused_as_blocks_leaves_no_old_block(post: Post, slack: SlackApi) -> None:
    """Slack keeps the blocks of which an edit says nothing."""
    post.put("a", parts=PARTS)
    post.put("b", "new & plain", edits="a")
    slack.script(None, not_ok("invalid_blocks"))
    post.deliver()
    (posted,) = slack.posted
    assert posted.body["blocks"] == []
    assert posted.body["text"] == "new &amp; plain"


def test_an_answer_hangs_in_its_thread_and_is_found_there(post: Post, slack: SlackApi) -> None:
    """Once, after a failure in doubt; and an answer to an answer hangs on the same message."""
    post.put("a")
    post.put("b", thread="a")
    post.put("c", thread="b")
    slack.script(None, drops(after_acting=True))
    post.deliver(2)
    root = slack.posted[0].ts
    assert slack.keys == ["a", "b", "c"]
    assert [one.thread for one in slack.posted] == [None, root, root]
    assert len(slack.calls("conversations.replies")) == 1


def test_an_answer_whose_thread_is_gone_stands_in_the_channel(post: Post, slack: SlackApi) -> None:
    """Somebody deleted the message; the answer is neither lost nor doubled."""
    post.put("a")
    post.deliver()
    slack.posted.clear()
    post.put("b", thread="a")
    slack.script(None, drops(after_acting=True))
    post.deliver(2)
    assert slack.keys == ["b"]
    assert slack.posted[0].thread is None


def test_an_archived_channel_says_what_to_change(post: Post, slack: SlackApi) -> None:
    """A message and an edit alike wait until somebody did; then both leave, in order."""
    post.put("a")
    post.deliver()
    slack.archived = True
    post.put("b")
    post.put("c", edits="a")
    post.deliver()
    why = outbox_hold.find_holds(post.db)["slack"].why
    assert "is_archived" in why
    assert "name a channel that is not archived" in why
    slack.archived = False
    assert outbox_hold.hurry(post.db, ("slack",), post.clock.now()) == ["slack"]
    post.deliver()
    assert [one.text for one in slack.posted] == ["c", "b"]
    assert post.outbox.set_aside() == []


def test_another_place_needs_an_approval(post: Post, slack: SlackApi) -> None:
    """Whatever the outbox was told: without the permit's id nothing is asked of Slack."""
    with pytest.raises(SendRefused, match="needs an approval"):
        post.sender.send("k", {"text": "x", "to": "C0999999999"})
    assert slack.requests == []
    with pytest.raises(SendRefused, match="channel_not_found"):
        post.sender.send("k", {"text": "x", "to": "C0999999999", "approval": "A1"})


def test_people_may_write_between_our_messages(post: Post, slack: SlackApi) -> None:
    """A message of somebody else is never taken for ours, nor edited."""
    post.put("a")
    post.deliver()
    slack.posted.append(Posted(f"{START.timestamp() + 9:.3f}900", {"text": "thanks"}))
    post.put("b", "new", edits="a")
    post.deliver()
    assert [one.text for one in slack.posted] == ["new", "thanks"]


def test_an_answer_that_a_locked_thread_refused_stands_in_the_channel_once(
    post: Post, slack: SlackApi
) -> None:
    """The thread can be read, but the answer is not in it: it is looked for in the channel too."""
    post.put("alert/1")
    post.deliver()
    post.put("alert/1/more", thread="alert/1")
    locked = not_ok("restricted_action_thread_locked")
    slack.script(locked, drops(after_acting=True))
    post.deliver(2)
    assert slack.keys == ["alert/1", "alert/1/more"]
    assert post.outbox.pending() == []
    assert {request.path for request in slack.requests[-2:]} == {
        "/api/conversations.replies", "/api/conversations.history"}  # fmt: skip


def test_a_look_through_thread_and_channel_goes_on_where_it_waited(
    post: Post, slack: SlackApi, clock: ManualClock
) -> None:
    """A limit in the middle of the channel does not begin it anew, however often the thread is read."""
    post.put("alert/1")
    post.deliver()
    for number in range(450):
        slack.posted.append(Posted(f"{START.timestamp() + number:.6f}", {"text": "talk"}))
    post.put("alert/1/more", thread="alert/1")
    slack.script(
        drops(after_acting=False), None, None, rate_limited(5), None, None, rate_limited(5)
    )
    post.deliver(4)
    pages = [r.fields.get("cursor") for r in slack.calls("conversations.history")]
    assert pages == [None, "200", "200", "400", "400"]
    assert slack.keys == ["alert/1", "alert/1/more"]


def test_parts_that_cannot_be_drawn_leave_the_words(post: Post, slack: SlackApi) -> None:
    """A fault of ours in one message costs its form, not its text, and holds up nobody."""
    long_value = message.buttons([message.button("x", "a", "v" * 2_001)])
    post.put("one", "the words", parts=[long_value])
    post.put("two", "more words", parts=[{"nope": 1}])
    slack.script(drops(after_acting=True))
    post.deliver(2)
    assert [posted.text for posted in slack.posted] == ["the words", "more words"]


def test_a_message_that_was_overtaken_by_its_edit_is_not_posted_after_it(
    post: Post, slack: SlackApi
) -> None:
    """A question with its buttons, set aside and retried after the decision was told; what comes then
    edits what stands there."""
    post.put("ask", "May we?", parts=PARTS)
    slack.script(not_ok("no_text"))
    post.deliver()
    post.put("ask/decided", "Decided.", edits="ask")
    post.deliver()
    assert rows.retry(post.db, post.clock.now()) == ["ask"]
    post.put("ask/done", "Done.", edits="ask")
    post.deliver(2)
    assert [one.text for one in slack.posted] == ["Done."]
    assert post.outbox.pending() == post.outbox.set_aside() == []


def test_an_older_edit_that_is_retried_does_not_undo_a_newer_one(
    post: Post, slack: SlackApi
) -> None:
    """What stands is the newest."""
    post.put("ask")
    post.deliver()
    post.put("ask/decided", "Decided.", edits="ask")
    slack.script(not_ok("no_text"))
    post.deliver()
    post.put("ask/done", "Done.", edits="ask")
    post.deliver()
    rows.retry(post.db, post.clock.now())
    post.deliver(2)
    assert [one.text for one in slack.posted] == ["Done."]
    assert post.outbox.pending() == post.outbox.set_aside() == []
