"""From a prompt to the fields of a Messages API request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from daemon.llm.provider import Prompt


def request_fields(prompt: Prompt) -> dict[str, Any]:
    """The fields of a request: no sampling, no thinking budget, and never a tool."""
    fields: dict[str, Any] = {
        "model": prompt.model,
        "max_tokens": prompt.max_output_tokens,
        "messages": [{"role": "user", "content": _whole_characters(prompt.user)}],
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
    return fields


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
