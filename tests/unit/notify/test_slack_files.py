"""What is too long for a message goes along as a file in its thread, whole and once."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from daemon.clock import ManualClock
from daemon.errors import SendLater, SendRefused, SendUncertain
from daemon.notify import message
from daemon.notify.slack import SlackSender
from daemon.notify.slack_calls import SlackCalls
from daemon.notify.slack_files import file_name
from tests.standins.far_side import Answer, Fault, drops
from tests.standins.slack_api import SlackApi, fails, not_ok, rate_limited

START = datetime(2026, 11, 30, 9, tzinfo=UTC)
LONG = {"title": "Report", "text": "A line of the report, ñ.\n" * 2_000}
KEY = "report/daily/2026-11-30T09:00Z/slack#1a2b3c4d"


@pytest.fixture
def slack() -> Iterator[SlackApi]:
    with SlackApi(clock=ManualClock(START)) as api:
        yield api


def sender_for(slack: SlackApi) -> SlackSender:
    return SlackSender(
        token=slack.token, channel=slack.channel, base_url=slack.base_url, read_seconds=5.0
    )


def assert_stands_once(slack: SlackApi) -> None:
    post, file = slack.posted
    assert post.text.endswith("This is shortened; the file in its thread has all of it.")
    assert file.thread == post.ts
    assert [one["name"] for one in file.files] == [file_name(KEY)]
    assert slack.file_text(file_name(KEY)) == f"Report\n\n{LONG['text']}"


def test_a_long_report_goes_along_as_a_file(slack: SlackApi) -> None:
    """The message says so; the bytes go without the token, and their length is right."""
    sender_for(slack).send(KEY, LONG)
    assert_stands_once(slack)
    (upload,) = [one for one in slack.requests if one.path.startswith("/upload/")]
    assert "authorization" not in upload.headers


def test_a_short_message_has_no_file_and_asks_for_none(slack: SlackApi) -> None:
    """One request."""
    sender_for(slack).send(KEY, {"text": "short"})
    assert len(slack.requests) == 1


def test_a_file_that_is_asked_for_goes_along_with_a_short_message(slack: SlackApi) -> None:
    """Its own text, under its own title, with nothing unseen; the message is not called shortened."""
    sender_for(slack).send(
        KEY, {"text": "short", "file": {"name": "All", "text": "all\u202e of it"}}
    )
    post, file = slack.posted
    assert post.text == "short"
    assert file.files[0]["title"] == "All"
    assert slack.file_text(file_name(KEY)) == "all[U+202E] of it"


def test_the_file_has_all_that_the_parts_say(slack: SlackApi) -> None:
    """Not the text, which may be shorter: every line, with its page."""
    lines = [message.line(f"Title {n} " + "word " * 20, mark=f"B{n}", detail="why " * 30,
                          link=f"https://a.example/{n}") for n in range(200)]  # fmt: skip
    parts = [message.heading("The day"), message.lines(lines, title="Learned"),
             message.bar("Money", 1, 2), message.small("The end.")]  # fmt: skip
    sender_for(slack).send(KEY, {"text": "Learned (200)\n… +180", "parts": parts})
    text = slack.file_text(file_name(KEY))
    assert text.startswith("# The day\n\n## Learned\n\n- **B0** Title 0 word")
    assert text.endswith("Money\n\nThe end.\n")
    assert all(f"**B{n}** Title {n} " in text for n in range(200))
    assert text.count("https://a.example/") == 200


def test_before_the_message_nothing_is_in_doubt(slack: SlackApi) -> None:
    """Bytes that nobody sees may be put up again, whichever of the two requests failed."""
    sender = sender_for(slack)
    for fault in (drops(after_acting=False), drops(after_acting=True), fails(500), rate_limited(7)):
        for done in (0, 1):
            slack.script(*[None] * done, fault)
            with pytest.raises(SendLater):
                sender.send(KEY, LONG)
            assert slack.posted == []
    sender.send(KEY, LONG)
    assert_stands_once(slack)


@pytest.mark.parametrize(
    "fault",
    [drops(after_acting=True), drops(after_acting=False), fails(503), rate_limited(30),
     not_ok("file_not_found")],
)  # fmt: skip
def test_a_file_in_doubt_is_looked_for_and_shared_once(slack: SlackApi, fault: Fault) -> None:
    """The message stands already, so it is never sent again; a limit's wait is told."""
    slack.script(None, None, None, fault)
    sender = sender_for(slack)
    with pytest.raises(SendUncertain) as caught:
        sender.send(KEY, LONG)
    told = 30.0 if fault.answer and fault.answer.status == 429 else None
    assert caught.value.retry_after_seconds == told
    assert sender.find(KEY, LONG, since=START) == slack.posted[0].ts
    assert_stands_once(slack)
    assert sender.find(KEY, LONG, since=START) == slack.posted[0].ts
    assert_stands_once(slack)


def test_a_file_that_is_refused_twice_holds_up_nobody(
    slack: SlackApi, caplog: pytest.LogCaptureFixture
) -> None:
    """The message stands without it, and the log says why."""
    slack.script(None, None, None, not_ok("posting_to_channel_denied"))
    sender = sender_for(slack)
    with pytest.raises(SendUncertain):
        sender.send(KEY, LONG)
    slack.script(None, None, None, None, not_ok("posting_to_channel_denied"))
    assert sender.find(KEY, LONG, since=START) == slack.posted[0].ts
    (post,) = slack.posted
    assert "its file is missing" in post.text
    assert "the file in its thread" not in post.text
    assert "stays without its file" in caplog.text
    assert "posting_to_channel_denied" in caplog.text


def test_without_the_right_to_files_the_message_says_where_all_of_it_is(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Told once in the log, however many long messages go."""
    with SlackApi(scopes=("chat:write", "channels:history")) as slack:
        sender = sender_for(slack)
        with caplog.at_level(logging.ERROR):
            for number in range(3):
                sender.send(f"{KEY}{number}", LONG)
        assert len(slack.posted) == 3
        assert "give the app the scope files:write" in slack.posted[0].text
        assert "more characters are left out here" in slack.posted[0].text
        assert caplog.text.count("files:write") == 1
        assert sender.find(f"{KEY}0", LONG, since=START) == slack.posted[0].ts
        sender.send("short", {"text": "short", "file": {"name": "All", "text": "all of it"}})
        assert "its file is missing" in slack.posted[-1].text


def test_an_answer_with_a_file_keeps_it_in_its_own_thread(slack: SlackApi) -> None:
    """A thread has no threads; and an edit that is made again shares no second file."""
    sender = sender_for(slack)
    root = sender.send("root", {"text": "root"})
    sender.send(KEY, {**LONG, "_thread_ts": root})
    assert [one.thread for one in slack.posted] == [None, root, root]
    for _ in range(2):
        sender.send("edit", {**LONG, "_edits_ts": root})
    assert len([one for one in slack.answers(root) if one.files]) == 2


def test_bytes_never_go_to_an_address_that_is_not_safe(slack: SlackApi) -> None:
    """Slack names the address; one in the clear elsewhere is refused, and the message goes."""
    offer = {"ok": True, "upload_url": "http://files.example.com/x", "file_id": "F1"}
    slack.script(Fault(answer=Answer(200, offer)))
    sender_for(slack).send(KEY, LONG)
    assert len(slack.posted) == 1
    calls = SlackCalls(slack.token, slack.base_url, 5.0)
    for address in ("ftp://127.0.0.1/x", "file:///etc/passwd", "http://169.254.169.254/", ""):
        with pytest.raises(SendRefused, match="not https"):
            calls.upload(address, b"x")


def test_a_file_is_named_by_its_key_alone() -> None:
    """Signs of paths do not pass, and the workspace's mark stays."""
    assert file_name(KEY) == "report-daily-2026-11-30T09-00Z-slack-1a2b3c4d.md"
    assert file_name("../../etc/passwd#1") == "etc-passwd-1.md"
    assert len(file_name("k" * 5_000)) < 255


def test_the_title_of_a_file_is_one_short_line(slack: SlackApi) -> None:
    """What could turn it round is named, and its length is one that is read."""
    sender_for(slack).send(KEY, {**LONG, "title": "The\u202e day\n" + "long " * 2_000})
    title = slack.posted[-1].files[0]["title"]
    assert title.startswith("The[U+202E] day long long")
    assert len(title) <= 150
