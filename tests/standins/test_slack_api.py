"""The stand-in for Slack is as strict as the service it stands for."""

from __future__ import annotations

import http.client
import json
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
