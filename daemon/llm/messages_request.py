"""From a prompt to the fields of a Messages API request."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from daemon.llm.provider import Prompt, Turn


def request_fields(prompt: Prompt) -> dict[str, Any]:
    """The fields of a request: no sampling, no thinking budget, and tools only where it has them."""
    fields: dict[str, Any] = {
        "model": prompt.model,
        "max_tokens": prompt.max_output_tokens,
        "messages": list(_messages(prompt)),
    }
    if prompt.system:
        fields["system"] = _whole_characters(prompt.system)
    output: dict[str, Any] = {}
    if prompt.effort is not None:
        output["effort"] = prompt.effort
    if prompt.schema is not None:
        output["format"] = {"type": "json_schema", "schema": _closed(prompt.schema)}
    if output:
        fields["output_config"] = output
    if prompt.tools:
        fields["tools"] = [
            {
                "name": tool.name,
                "description": tool.description,
                "input_schema": _closed(tool.schema),
            }
            for tool in prompt.tools
        ]
        fields["tool_choice"] = {"type": "auto" if prompt.may_call else "none"}
    return fields


def _messages(prompt: Prompt) -> Iterator[dict[str, Any]]:
    """The request, and then each turn: the reply as it came, and what it is answered."""
    yield {"role": "user", "content": _whole_characters(prompt.user)}
    for turn in prompt.turns:
        yield {"role": "assistant", "content": _content(turn.echo)}
        yield {"role": "user", "content": list(_answers(turn))}


def _content(echo: str) -> Any:
    """A model may cut a pair in two anywhere in its reply, in the arguments of a call too."""
    said = json.loads(echo)
    return json.loads(_whole_characters(json.dumps(said, ensure_ascii=False)))


def _answers(turn: Turn) -> Iterator[dict[str, Any]]:
    """The results first, as the service demands."""
    for result in turn.results:
        yield {
            "type": "tool_result",
            "tool_use_id": result.call_id,
            "content": _whole_characters(result.text),
            "is_error": result.is_error,
        }
    if turn.said:
        yield {"type": "text", "text": _whole_characters(turn.said)}


def _whole_characters(text: str) -> str:
    """The text with half surrogate pairs replaced: they cannot be written as UTF-8."""
    return text.encode("utf-8", "replace").decode() if not text.isascii() else text


def _closed(schema: Any) -> Any:
    """The schema with every object closed to keys that it does not name, as the service demands."""
    if isinstance(schema, list | tuple):
        return [_closed(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    closed = {key: _closed(part) for key, part in schema.items()}
    if closed.get("type") == "object":
        closed["additionalProperties"] = False
    return closed
