"""The stand-in for Slack is as strict as the service it stands for."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterable
from typing import Any

import pytest

from tests.standins.slack_api import SlackApi

METADATA = {"event_type": "note", "event_payload": {"key": "k"}}


def ask(slack: SlackApi, method: str, body: Any, **headers: str) -> dict[str, Any]:
    sent = {
        "authorization": f"Bearer {slack.token}",
        "content-type": "application/json",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    connection = http.client.HTTPConnection(slack.host, timeout=5)
    try:
        connection.request("POST", f"/api/{method}", json.dumps(body), sent)
        found: dict[str, Any] = json.loads(connection.getresponse().read())
        return found
    finally:
        connection.close()


def section(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


def header(text: str) -> dict[str, Any]:
    return {"type": "header", "text": {"type": "plain_text", "text": text}}


def plain(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": text}


def actions(buttons: Iterable[dict[str, Any]]) -> dict[str, Any]:
    return {"type": "actions", "elements": list(buttons)}


def button(action: str, label: str = "Go", **more: Any) -> dict[str, Any]:
    return {"type": "button", "text": plain(label), "action_id": action, **more}


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({}, None),
        ({"blocks": [header("h" * 150), section("x" * 3_000)], "metadata": METADATA}, None),
        ({"blocks": [section("x")] * 50}, None),
        ({"blocks": [section("x")] * 51}, "invalid_blocks"),
        ({"blocks": [section("x" * 3_001)]}, "invalid_blocks"),
        ({"blocks": [section("\U0001f600" * 1_501)]}, "invalid_blocks"),
        ({"blocks": [section("")]}, "invalid_blocks"),
        ({"blocks": [header("h" * 151)]}, "invalid_blocks"),
        ({"blocks": [{"type": "poem", "text": "x"}]}, "invalid_blocks"),
        ({"blocks": [section("x" * 2_900)] * 5}, "msg_blocks_too_long"),
        ({"blocks": [actions(button(f"a{n}") for n in range(25))]}, None),
        ({"blocks": [actions(button(f"a{n}") for n in range(26))]}, "invalid_blocks"),
        ({"blocks": [actions([])]}, "invalid_blocks"),
        ({"blocks": [actions([button("a")]), actions([button("a")])]}, "invalid_blocks"),
        ({"blocks": [actions([button("a", "x" * 75, value="v" * 2_000)])]}, None),
        ({"blocks": [actions([button("a", "x" * 76)])]}, "invalid_blocks"),
        ({"blocks": [actions([button("a", value="v" * 2_001)])]}, "invalid_blocks"),
        ({"blocks": [actions([button("a", value="")])]}, "invalid_blocks"),
        ({"blocks": [actions([button("a" * 256)])]}, "invalid_blocks"),
        ({"blocks": [actions([button("a", style="loud")])]}, "invalid_blocks"),
        ({"blocks": [actions([button("a", colour="red")])]}, "invalid_blocks"),
        ({"blocks": [actions([button("a", confirm={"title": plain("x")})])]}, "invalid_blocks"),
        (
            {"blocks": [{"type": "context", "elements": [section("x")["text"]] * 11}]},
            "invalid_blocks",
        ),
        ({"blocks": [{**section("x"), "colour": "red"}]}, "invalid_blocks"),
        ({"username": "somebody"}, "invalid_arguments"),
        ({"thread_ts": "1.000"}, "thread_not_found"),
        ({"text": " "}, "no_text"),
        ({"channel": "C999"}, "channel_not_found"),
        ({"metadata": {"event_type": "note"}}, "invalid_metadata_format"),
    ],
)
def test_the_shape_of_a_message_is_checked(changes: dict[str, Any], error: str | None) -> None:
    """What Slack would refuse is refused, and is not posted."""
    with SlackApi() as slack:
        found = ask(slack, "chat.postMessage", {"channel": slack.channel, "text": "x", **changes})
        assert (found["ok"], found.get("error")) == (error is None, error)
        assert len(slack.posted) == (1 if error is None else 0)


def test_the_token_the_type_and_the_method_are_checked() -> None:
    """Each with Slack's own word for it."""
    with SlackApi() as slack:
        body = {"channel": slack.channel, "text": "x"}
        refused = [
            ask(slack, "chat.postMessage", body, authorization="Bearer other"),
            ask(slack, "chat.postMessage", body, content_type="text/plain"),
            ask(slack, "chat.sing", body),
            ask(slack, "chat.postMessage", [1]),
        ]
        words = ["invalid_auth", "channel_not_found", "unknown_method", "invalid_json"]
        assert [found["error"] for found in refused] == words
        assert slack.posted == []


def test_history_is_newest_first_and_has_metadata_only_where_asked() -> None:
    """In pages, after a moment."""
    with SlackApi() as slack:
        for key in ("a", "b", "c"):
            payload = {"event_type": "note", "event_payload": {"key": key}}
            ask(slack, "chat.postMessage",
                {"channel": slack.channel, "text": key, "metadata": payload})  # fmt: skip
        first = ask(slack, "conversations.history", {"channel": slack.channel, "limit": 2})
        assert [message["text"] for message in first["messages"]] == ["c", "b"]
        assert "metadata" not in first["messages"][0]
        rest = ask(slack, "conversations.history", {
            "channel": slack.channel, "limit": 2, "include_all_metadata": True,
            "cursor": first["response_metadata"]["next_cursor"],
        })  # fmt: skip
        (last,) = rest["messages"]
        assert last["metadata"]["event_payload"] == {"key": "a"}
        assert rest["response_metadata"]["next_cursor"] == ""
        newer = {"channel": slack.channel, "oldest": slack.posted[1].ts}
        assert len(ask(slack, "conversations.history", newer)["messages"]) == 1


def test_an_edit_is_only_of_our_own_and_keeps_what_it_does_not_name() -> None:
    """Blocks and metadata stay; `parse` does not: it is `client` where an edit does not say."""
    with SlackApi() as slack:
        place = {"channel": slack.channel}
        first = {
            **place,
            "text": "x",
            "parse": "none",
            "blocks": [section("x")],
            "metadata": METADATA,
        }
        ts = ask(slack, "chat.postMessage", first)["ts"]
        assert ask(slack, "chat.update", {**place, "ts": ts, "text": "new"})["ok"]
        (posted,) = slack.posted
        assert (posted.body["text"], posted.body["blocks"]) == ("new", [section("x")])
        assert (posted.key, posted.body["parse"]) == ("k", "client")
        other = ask(slack, "chat.postMessage", {**place, "text": "theirs"})["ts"]
        refused = [
            ask(slack, "chat.update", {**place, "ts": "1.000", "text": "new"}),
            ask(slack, "chat.update", {**place, "ts": other, "text": "new"}),
            ask(slack, "chat.update", {**place, "ts": ts, "text": "x", "unfurl_links": False}),
            ask(slack, "chat.update", {"channel": "C999", "ts": ts, "text": "x"}),
        ]
        assert [found["error"] for found in refused] == [
            "message_not_found", "cant_update_message", "invalid_arguments", "channel_not_found"
        ]  # fmt: skip


def test_answers_stand_in_their_thread_and_not_in_the_history() -> None:
    """The head first, then the oldest; an answer to an answer hangs on the head."""
    with SlackApi() as slack:
        place = {"channel": slack.channel}
        root = ask(slack, "chat.postMessage", {**place, "text": "root"})["ts"]
        one = ask(slack, "chat.postMessage", {**place, "text": "one", "thread_ts": root})["ts"]
        ask(slack, "chat.postMessage", {**place, "text": "two", "thread_ts": one})
        found = ask(slack, "conversations.replies", {**place, "ts": root})
        assert [message["text"] for message in found["messages"]] == ["root", "one", "two"]
        history = ask(slack, "conversations.history", place)
        assert [message["text"] for message in history["messages"]] == ["root"]
        lost = ask(slack, "conversations.replies", {**place, "ts": "1.000"})
        assert lost["error"] == "thread_not_found"


def test_a_file_takes_its_three_steps_in_order_and_its_right() -> None:
    """An offer, as many bytes as were told without the token, and one sharing."""
    with SlackApi() as slack:
        offer = ask(slack, "files.getUploadURLExternal", {"filename": "a.md", "length": 3})
        share = {"channel_id": slack.channel, "files": json.dumps([{"id": offer["file_id"]}])}
        assert ask(slack, "files.completeUploadExternal", share)["error"] == "file_not_found"
        path = offer["upload_url"].partition(slack.host)[2]
        for raw, headers, status in (
            (b"abc", {"authorization": f"Bearer {slack.token}"}, 403),
            (b"abcd", {}, 400),
            (b"abc", {}, 200),
        ):
            connection = http.client.HTTPConnection(slack.host, timeout=5)
            connection.request("POST", path, raw, headers)
            assert connection.getresponse().status == status
            connection.close()
        assert ask(slack, "files.completeUploadExternal", share)["ok"]
        assert ask(slack, "files.completeUploadExternal", share)["error"] == "file_not_found"
        assert slack.file_text("a.md") == "abc"
        slack.scopes = ("chat:write",)
        refused = ask(slack, "files.getUploadURLExternal", {"filename": "b.md", "length": 3})
        assert refused["error"] == "missing_scope"
