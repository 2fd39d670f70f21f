"""The real SDK over a real socket against a strict stand-in for Slack."""

from __future__ import annotations

import logging
import socket
import threading
from datetime import UTC, datetime, timedelta

import pytest

from daemon.clock import ManualClock
from daemon.errors import SendError, SendLater, SendRefused, SendUncertain
from daemon.notify.slack import SlackSender
from daemon.notify.slack_lookup import MOST_PAUSES
from tests.standins.far_side import Answer, Fault, drops, holds
from tests.standins.slack_api import Posted, SlackApi, fails, not_ok, rate_limited

SINCE = datetime(2026, 11, 30, 9, tzinfo=UTC)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(SINCE)


def sender_for(slack: SlackApi, **changes: object) -> SlackSender:
    facts = {
        "token": slack.token,
        "channel": slack.channel,
        "base_url": slack.base_url,
        "read_seconds": 5.0,
        **changes,
    }
    return SlackSender(**facts)  # type: ignore[arg-type]


def failure(slack: SlackApi, **changes: object) -> SendError:
    with pytest.raises(SendError) as caught:
        sender_for(slack, **changes).send("k", {"text": "hello"})
    return caught.value


def test_a_message_bears_its_key_and_unfurls_nothing(slack: SlackApi) -> None:
    """JSON with a bearer token, in one request; the answer is Slack's name for it."""
    ts = sender_for(slack).send("report/1#ab", {"title": "Digest", "text": "# Learned\n<@U1>"})
    (posted,) = slack.posted
    assert posted.ts == ts
    assert posted.key == "report/1#ab"
    assert posted.text == "Digest*Learned*\n&lt;@U1&gt;"
    flags = ("unfurl_links", "unfurl_media", "link_names", "mrkdwn")
    assert [posted.body[flag] for flag in flags] == [False] * 4
    assert posted.body["parse"] == "none"
    assert len(slack.requests) == 1


def test_a_message_is_found_by_its_key_whatever_page_it_stands_on(slack: SlackApi) -> None:
    """In a history of several pages, and not by a key that only begins alike."""
    sender = sender_for(slack)
    wanted = sender.send("k#1", {"text": "wanted"})
    stranger = {"event_type": "other", "event_payload": {"key": "k#2"}}
    for number in range(1, 450):
        ts = f"{SINCE.timestamp():.3f}{number:03d}"
        slack.posted.append(Posted(ts, {"text": "other", "metadata": stranger}))
    assert sender.find("k#1", {}, since=SINCE) == wanted
    assert len(slack.calls("conversations.history")) == 3
    assert sender.find("k#2", {}, since=SINCE) is None
    assert sender.find("k", {}, since=SINCE) is None


def test_the_search_begins_a_day_early_for_clocks_that_differ(
    slack: SlackApi, clock: ManualClock
) -> None:
    """Ours may have been ahead when the message was written."""
    wanted = sender_for(slack).send("k", {"text": "x"})
    clock.advance(timedelta(days=2))
    sender = sender_for(slack)
    assert sender.find("k", {}, since=SINCE + timedelta(hours=23)) == wanted
    assert sender.find("k", {}, since=SINCE + timedelta(hours=25)) is None


def test_a_search_that_begins_in_slacks_future_goes_through_all_of_the_history(
    slack: SlackApi,
) -> None:
    """Our clock is a week ahead; theirs says so in the answer."""
    wanted = sender_for(slack).send("k", {"text": "x"})
    sender = sender_for(slack)
    assert sender.find("k", {}, since=SINCE + timedelta(days=7)) == wanted
    assert sender.find("other", {}, since=SINCE + timedelta(days=7)) is None


def crowd(slack: SlackApi, count: int) -> None:
    """So many messages of others, newer than all that is there."""
    first = len(slack.posted)
    for number in range(first, first + count):
        slack.posted.append(Posted(f"{SINCE.timestamp():.3f}{number:05d}", {"text": "other"}))


def test_a_search_that_has_to_wait_goes_on_at_its_page(slack: SlackApi) -> None:
    """Each page is asked for once, and once more where the limit of calls came in between."""
    sender = sender_for(slack)
    wanted = sender.send("k", {"text": "x"})
    crowd(slack, 1_000)
    slack.script(None, rate_limited(60), None, rate_limited(60), None)
    for _ in range(2):
        with pytest.raises(SendLater):
            sender.find("k", {}, since=SINCE)
    assert sender.find("k", {}, since=SINCE) == wanted
    cursors = [call.fields.get("cursor") for call in slack.calls("conversations.history")]
    assert cursors == [None, "200", "200", "400", "400", "600", "800", "1000"]


def test_a_place_that_slack_forgot_begins_the_search_anew(slack: SlackApi) -> None:
    """In doubt, not refused: the next try begins at the first page."""
    sender = sender_for(slack)
    wanted = sender.send("k", {"text": "x"})
    crowd(slack, 300)
    slack.script(None, not_ok("invalid_cursor"))
    with pytest.raises(SendUncertain):
        sender.find("k", {}, since=SINCE)
    assert sender.find("k", {}, since=SINCE) == wanted


def test_a_search_under_a_limit_ends_after_ten_waits(slack: SlackApi) -> None:
    """Refused with what to do; the other messages of the channel are not held up for hours."""
    sender = sender_for(slack)
    sender.send("k", {"text": "x"})
    crowd(slack, 200 * (MOST_PAUSES + 5))
    slack.script(*[None, rate_limited(60)] * MOST_PAUSES)
    for _ in range(MOST_PAUSES - 1):
        with pytest.raises(SendLater):
            sender.find("k", {}, since=SINCE)
    with pytest.raises(SendRefused, match="10 pages were looked through"):
        sender.find("k", {}, since=SINCE)


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (rate_limited(30), SendLater),
        (not_ok("ratelimited"), SendLater),
        (not_ok("service_unavailable"), SendLater),
        (not_ok("invalid_auth"), SendRefused),
        (not_ok("channel_not_found"), SendRefused),
        (not_ok("some_new_error"), SendRefused),
        (Fault(answer=Answer(403, {"ok": False, "error": "missing_scope"})), SendRefused),
        (Fault(answer=Answer(302, {}, {"Location": "http://127.0.0.1:1/"})), SendRefused),
        (not_ok("internal_error"), SendUncertain),
        (not_ok("fatal_error"), SendUncertain),
        (fails(500), SendUncertain),
        (fails(502, after_acting=True), SendUncertain),
        (fails(503), SendUncertain),
        (Fault(raw=b"<html>a proxy says hello</html>"), SendUncertain),
        (Fault(raw=b"[1, 2]"), SendUncertain),
        (Fault(raw=b'{"ok": false}'), SendUncertain),
        (Fault(raw=b"\xff\xfe"), SendUncertain),
        (drops(after_acting=True), SendUncertain),
        (drops(after_acting=False), SendUncertain),
    ],
)
def test_each_answer_means_one_of_three_things(
    slack: SlackApi, fault: Fault, kind: type[SendError]
) -> None:
    """Refused, later or in doubt; and always after a single request."""
    slack.script(fault)
    assert isinstance(failure(slack), kind)
    assert len(slack.requests) == 1


def test_a_limit_of_rate_tells_how_long(slack: SlackApi) -> None:
    """None where Slack says nothing that is a number."""
    for seconds, told in ((30, 30.0), (None, None)):
        slack.script(rate_limited(seconds))
        error = failure(slack)
        assert isinstance(error, SendLater)
        assert error.retry_after_seconds == told


def test_a_refusal_says_what_to_change(slack: SlackApi) -> None:
    """The wrong token and the wrong channel are told apart, and nothing secret is in it."""
    words = str(failure(slack, token="xoxb-wrong"))
    assert "invalid_auth" in words
    assert "slack_bot_token" in words
    assert "xoxb" not in words
    assert "slack.channel" in str(failure(slack, channel="C000"))
    elsewhere = slack.base_url.replace("/api/", "/nowhere/")
    assert "unknown_path" in str(failure(slack, base_url=elsewhere))
    slack.script(Fault(answer=Answer(404, {})))
    assert "correct slack.base_url" in str(failure(slack))


def test_a_time_out_after_delivery_is_in_doubt(slack: SlackApi) -> None:
    """The message stands in the channel; nobody here knows."""
    slack.script(holds(threading.Event()))
    assert type(failure(slack, read_seconds=0.2)) is SendUncertain
    assert len(slack.posted) == 1


def test_a_host_that_cannot_be_reached_leaves_no_doubt() -> None:
    """A closed port and an unknown name: nothing was sent, so it may simply be sent later."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        for url in (f"http://127.0.0.1:{port}/api/", "https://slack.invalid/api/"):
            sender = SlackSender(token="xoxb-0", channel="C01", base_url=url)
            with pytest.raises(SendLater, match="cannot be reached"):
                sender.send("k", {"text": "hello"})


def test_a_redirect_does_not_carry_the_token_elsewhere(slack: SlackApi) -> None:
    """The place that it points to is never asked."""
    with SlackApi() as other:
        there = f"{other.base_url}chat.postMessage"
        slack.script(Fault(answer=Answer(307, {}, {"Location": there})))
        assert isinstance(failure(slack), SendRefused)
        assert other.requests == []


def test_loopback_is_never_asked_through_a_proxy(
    slack: SlackApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the environment says; the SDK alone would obey it."""
    monkeypatch.delenv("NO_PROXY", raising=False)
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    sender_for(slack).send("k", {"text": "hello"})
    assert slack.keys == ["k"]


def test_blocks_that_slack_refuses_go_once_as_plain_text(slack: SlackApi) -> None:
    """Something always arrives, once; and where that is refused too, a person is asked."""
    text = "# Learned\n" + "word " * 1_000
    slack.script(not_ok("invalid_blocks"))
    sender_for(slack).send("k", {"title": "Digest", "text": text})
    (posted,) = slack.posted
    assert "blocks" not in posted.body
    assert posted.body["text"].startswith("Digest\n# Learned\nword")
    slack.script(not_ok("msg_blocks_too_long"), not_ok("msg_too_long"))
    assert isinstance(failure(slack), SendRefused)
    assert len(slack.requests) == 4


def test_the_log_has_neither_token_nor_message(
    slack: SlackApi, caplog: pytest.LogCaptureFixture
) -> None:
    """The SDK prints bodies at DEBUG and repeats failures at ERROR; here it says nothing."""
    caplog.set_level(logging.DEBUG)
    slack.script(None, drops(after_acting=False))
    sender_for(slack).send("k", {"text": "a private matter"})
    failure(slack)
    assert slack.token not in caplog.text
    assert "private" not in caplog.text
    assert caplog.text == ""
