"""The stand-in is as strict as the service it stands for."""

from __future__ import annotations

import http.client
import json
import threading
from typing import Any

import pytest

from daemon.llm.provider import Prompt
from daemon.llm.token_bound import bound_input_tokens
from tests.standins.messages_api import MessagesApi, held, says

USER = {"role": "user", "content": "hello"}
GOOD: dict[str, Any] = {"model": "claude-sonnet-5-5", "max_tokens": 100, "messages": [USER]}
OPEN_SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}


def ask(
    api: MessagesApi, body: Any, *, method: str = "POST", path: str = "/v1/messages", **headers: str
) -> tuple[int, dict[str, Any]]:
    sent = {
        "authorization": f"Bearer {api.api_key}",
        "anthropic-version": "2026-10-21",
        "content-type": "application/json",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    connection = http.client.HTTPConnection(api.base_url.removeprefix("http://"), timeout=5)
    try:
        connection.request(method, path, json.dumps(body), sent)
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({}, 200),
        ({"system": "be brief", "output_config": {"effort": "low"}}, 200),
        ({"tools": []}, 200),
        ({"temperature": 1.0}, 400),
        ({"top_k": 5}, 400),
        ({"prompt": "old"}, 400),
        ({"max_tokens": 0}, 400),
        ({"max_tokens": True}, 400),
        ({"max_tokens": 128_001}, 400),
        ({"model": "claude-3-7-sonnet-20250219"}, 404),
        ({"model": 5}, 400),
        ({"messages": []}, 400),
        ({"messages": [USER, USER]}, 400),
        ({"messages": [{"role": "user", "content": " "}]}, 400),
        ({"messages": [{"role": "user", "content": [{"type": "text", "text": ""}]}]}, 400),
        ({"messages": [USER, {"role": "assistant", "content": "{"}]}, 400),
        ({"tools": [{"name": "shell"}]}, 400),
        ({"tool_choice": {"type": "tool", "name": "shell"}}, 400),
        ({"thinking": {"type": "disabled"}}, 400),
        ({"stream": True}, 400),
        ({"output_config": {"effort": "huge"}}, 400),
        ({"output_config": {"mode": "json"}}, 400),
        ({"output_config": {"format": {"type": "json"}}}, 400),
        ({"output_config": {"format": {"type": "json_object", "schema": {}}}}, 400),
        ({"output_config": {"format": {"type": "json_schema", "schema": OPEN_SCHEMA}}}, 400),
    ],
)
def test_shape_of_a_request_is_checked(change: dict[str, Any], status: int) -> None:
    """A request that the service would refuse is refused here, and is not billed."""
    with MessagesApi() as api:
        assert ask(api, {**GOOD, **change})[0] == status
        assert len(api.served) == (1 if status == 200 else 0)


def test_headers_path_and_method_are_checked() -> None:
    """The old header for the key, an old version, another path: none of them works."""
    with MessagesApi() as api:
        assert ask(api, GOOD, authorization="", x_api_key=api.api_key)[0] == 401
        assert ask(api, GOOD, anthropic_version="2023-06-01")[0] == 400
        assert ask(api, GOOD, content_type="text/plain")[0] == 400
        assert ask(api, GOOD, path="/v1/v1/messages")[0] == 404
        assert ask(api, GOOD, method="GET")[0] == 405
        assert ask(api, ["not an object"])[0] == 400
        assert len(api.requests) == 6


def test_reply_is_chosen_by_request_and_script_comes_first() -> None:
    """The callable sees the body; scripted steps are used up in order before it."""
    with MessagesApi(reply=lambda request: request["messages"][0]["content"].upper()) as api:
        api.script(says("scripted", stop_reason="refusal"))
        first, second = ask(api, GOOD)[1], ask(api, GOOD)[1]
    assert (first["content"][0]["text"], first["stop_reason"]) == ("scripted", "refusal")
    assert (second["content"][0]["text"], second["stop_reason"]) == ("HELLO", "end_turn")


def test_what_is_billed_stays_under_the_bound_of_the_prompt() -> None:
    """The stand-in's count of input is never above what a provider reserves for."""
    text = 'quotes " and \n lines \\ ü 🙂' * 200
    with MessagesApi() as api:
        ask(api, {**GOOD, "messages": [{"role": "user", "content": text}], "system": text})
        billed, _ = api.usage_served
    assert 0 < billed <= bound_input_tokens(Prompt("m", text, text, 1))


def test_a_held_answer_comes_when_the_gate_opens() -> None:
    """Tests wait for events, not for time; and the end of the stand-in opens every gate."""
    gate = threading.Event()
    answers: list[int] = []
    with MessagesApi() as api:
        api.script(held(gate))
        thread = threading.Thread(target=lambda: answers.append(ask(api, GOOD)[0]))
        thread.start()
        assert api.wait_for_requests(1)
        assert answers == []
        gate.set()
        thread.join(timeout=5)
    assert answers == [200]
