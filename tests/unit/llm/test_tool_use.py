"""Tools over the real SDK and a socket: what is sent, what comes back, and what it is bounded by."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from daemon.clock import ManualClock
from daemon.governance.replies import check_reply, read_reply
from daemon.llm.claude import ClaudeProvider
from daemon.llm.extractive import ExtractiveProvider
from daemon.llm.provider import Prompt, ToolResult, ToolSpec, Turn
from daemon.llm.recordings import prompt_key
from daemon.llm.replay import RecordingProvider, ReplayProvider
from daemon.llm.token_bound import bound_input_tokens
from daemon.store.effects import EffectRow
from daemon.store.stored_text import from_json, to_json
from tests.standins.messages_api import MessagesApi, Step, asks, changed

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
LIST = ToolSpec("list_units", "List the notes.", {"type": "object", "properties": {}})
PLAIN = Prompt("claude-sonnet-5-5", "system", "plan", 1_000, schema={"type": "object"})
WITH_TOOLS = replace(PLAIN, tools=(LIST,))
KEY_BEFORE = "60243e6de8db4fd87c3a3e441d3f23e74114401175f31f4bdcc445b398c09b8b"  # of the last version without tools
THINKING = {"type": "thinking", "thinking": "", "signature": "c2lnbmVk"}


@contextmanager
def provider_at(api: MessagesApi) -> Iterator[ClaudeProvider]:
    made = ClaudeProvider(
        api_key=api.api_key,
        base_url=api.base_url,
        reasoning_model="claude-sonnet-5-5",
        routine_model="claude-haiku-5-5",
        deadline_seconds=10,
        clock=ManualClock(NOON),
    )
    with closing(made):
        yield made


def test_a_call_of_a_tool_comes_back_with_all_that_must_be_sent_again() -> None:
    """Its arguments as JSON, and every block of the reply, the thinking included."""
    call = {
        "type": "tool_use",
        "id": "toolu_1",
        "name": "list_units",
        "input": {"query": "á\ud83d"},
    }
    with MessagesApi() as api, provider_at(api) as provider:
        api.script(Step(text="", changes={"content": [THINKING, call], "stop_reason": "tool_use"}))
        reply = provider.send(WITH_TOOLS)
        assert reply.stop_reason == "tool_use"
        assert [(one.id, one.name) for one in reply.calls] == [("toolu_1", "list_units")]
        assert json.loads(reply.echo)[0] == THINKING
        (sent,) = [request.body for request in api.requests]
        assert sent["tools"][0]["input_schema"]["additionalProperties"] is False
        assert sent["tool_choice"] == {"type": "auto"}


def test_the_results_go_back_after_the_reply_that_asked_for_them() -> None:
    """In the order that the service demands: results first, what is said to them last."""
    with MessagesApi() as api, provider_at(api) as provider:
        api.script(asks(("list_units", {}), text="Let me look."))
        reply = provider.send(WITH_TOOLS)
        results = (ToolResult(reply.calls[0].id, "refused: no", is_error=True),)
        turn = Turn(reply.echo, results, said="plan now")
        done = provider.send(replace(WITH_TOOLS, turns=(turn,), may_call=False))
        assert done.stop_reason == "end_turn"
        _first, body = (request.body for request in api.requests)
        assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user"]
        kinds = [block["type"] for block in body["messages"][2]["content"]]
        assert kinds == ["tool_result", "text"]
        assert body["messages"][2]["content"][0]["is_error"] is True
        assert body["tool_choice"] == {"type": "none"}
        assert body["tools"]


def test_a_prompt_without_tools_carries_none_and_takes_no_call() -> None:
    """A server that makes one up gives a reply without an end that counts."""
    with MessagesApi() as api, provider_at(api) as provider:
        api.script(asks(("list_units", {})))
        reply = provider.send(PLAIN)
        assert reply.stop_reason == "other"
        assert reply.calls == ()
        assert reply.echo == ""
        assert "tools" not in api.requests[0].body


def test_a_reply_of_nothing_has_nothing_to_send_back() -> None:
    """An empty text block would be refused by the service."""
    with MessagesApi() as api, provider_at(api) as provider:
        api.script(changed(content=[{"type": "text", "text": ""}]))
        assert provider.send(WITH_TOOLS).echo == ""


def test_a_reply_with_calls_is_the_same_after_it_was_stored() -> None:
    """What a crash leaves is read back as it came."""
    with MessagesApi() as api, provider_at(api) as provider:
        api.script(asks(("list_units", {"query": "\ud800 half"})))
        reply = check_reply(provider.send(WITH_TOOLS))
    kept = from_json(to_json(asdict(reply)))
    row = EffectRow("k", "done", "o", NOON, kept, NOON, NOON)
    assert read_reply(row) == reply


def test_a_reply_that_was_stored_before_there_were_tools_is_read() -> None:
    """An earlier version kept no calls."""
    kept = {"text": "t", "model": "m", "usage": {"input_tokens": 1, "output_tokens": 1},
            "stop_reason": "end_turn", "request_id": None}  # fmt: skip
    reply = read_reply(EffectRow("k", "done", "o", NOON, kept, NOON, NOON))
    assert reply
    assert reply.calls == ()


def test_tools_and_turns_are_in_the_bound_of_tokens() -> None:
    """Each byte that is sent counts, and more: the service wraps every part in words of its own."""
    turn = Turn("x" * 5_000, (ToolResult("c", "y" * 7_000),), said="z" * 3_000)
    plain, told = bound_input_tokens(PLAIN), bound_input_tokens(WITH_TOOLS)
    assert told > plain + len(LIST.description)
    assert bound_input_tokens(replace(WITH_TOOLS, turns=(turn,))) > told + 15_000


def test_the_bound_holds_for_what_the_stand_in_counts() -> None:
    """Over a talk of several turns."""
    with MessagesApi() as api, provider_at(api) as provider:
        prompt = WITH_TOOLS
        for _ in range(4):
            api.script(asks(("list_units", {"query": "ñ" * 200})))
            reply = provider.send(prompt)
            assert reply.usage.input_tokens <= bound_input_tokens(prompt)
            results = tuple(ToolResult(call.id, "é" * 900) for call in reply.calls)
            prompt = replace(prompt, turns=(*prompt.turns, Turn(reply.echo, results)))


@pytest.mark.parametrize("kind", ["extractive", "recording", "replay"])
def test_who_cannot_use_tools_says_so(tmp_path: Path, kind: str) -> None:
    """Planning is one call there; a recording is played back by whoever asks the same."""
    made = {
        "extractive": ExtractiveProvider(),
        "recording": RecordingProvider(ExtractiveProvider(), tmp_path / "r"),
        "replay": ReplayProvider(tmp_path, reasoning_model="a", routine_model="b"),
    }
    assert made[kind].uses_tools is False
    assert ClaudeProvider.uses_tools is True


def test_recordings_of_prompts_without_tools_keep_their_names() -> None:
    """The key of a prompt from before there were tools; it must never change."""
    prompt = Prompt("m", "s", "u", 10)
    assert prompt_key(prompt) == KEY_BEFORE
