"""From a reply of the Messages API to a completion with its bill."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from daemon.errors import OutcomeUnknown
from daemon.llm.provider import Completion, Prompt, StopReason, ToolCall, Usage
from daemon.llm.token_bound import bound_input_tokens

_STOP_REASONS: dict[str, StopReason] = {
    "end_turn": "end_turn",
    "stop_sequence": "end_turn",
    "max_tokens": "max_tokens",
    "model_context_window_exceeded": "max_tokens",
    "refusal": "refusal",
}


def read_reply(reply: Any, prompt: Prompt) -> Completion:
    """A checked reply. None, a missing bill or a missing stop reason: OutcomeUnknown."""
    usage = reply.usage if reply is not None else None
    counted = usage is not None and all(
        isinstance(count, int) and count >= 0 for count in (usage.input_tokens, usage.output_tokens)
    )
    if not counted or not isinstance(reply.content, list):
        raise OutcomeUnknown("the answer is not a message with a bill; it may have been billed")
    if reply.stop_reason is None:
        raise OutcomeUnknown("the reply has no end; it may have been billed")
    blocks = (block.text for block in reply.content if block.type == "text")
    text = "".join(part for part in blocks if isinstance(part, str))
    return Completion(
        text=text,
        model=reply.model or prompt.model,
        usage=_usage(usage, prompt, text),
        stop_reason=_stop_reason(reply.stop_reason, prompt),
        request_id=reply._request_id,
        calls=tuple(_calls(reply)) if prompt.tools else (),
        echo=_echo(reply) if prompt.tools else "",
    )


def _stop_reason(told: str, prompt: Prompt) -> StopReason:
    """A call of a tool is no end that a prompt without tools can have."""
    if told == "tool_use":
        return "tool_use" if prompt.tools else "other"
    return _STOP_REASONS.get(told, "other")


def _calls(reply: Any) -> Iterator[ToolCall]:
    """The tools that it asks for; the arguments as they came, sound or not."""
    for block in reply.content:
        if block.type == "tool_use" and isinstance(block.id, str) and isinstance(block.name, str):
            yield ToolCall(block.id, block.name, json.dumps(block.input, default=str))


def _echo(reply: Any) -> str:
    """Every block as it came, thinking included: the service compares them with what it sent."""
    blocks = [block.to_dict(mode="json") for block in reply.content]
    sent = [block for block in blocks if block.get("text") != ""]
    return json.dumps(sent) if sent else ""


def _usage(usage: Any, prompt: Prompt, text: str) -> Usage:
    """The bill. A count of nothing for something, as some local servers give, is counted here."""
    split = usage.cache_creation
    written = usage.cache_creation_input_tokens or 0
    hour = (split.ephemeral_1h_input_tokens or 0) if split is not None else 0
    five = (split.ephemeral_5m_input_tokens or 0) if split is not None else written
    told = Usage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens or len(text.encode("utf-8", "surrogatepass")),
        cache_write_5m_tokens=max(five, written - hour),
        cache_write_1h_tokens=hour,
        cache_read_tokens=usage.cache_read_input_tokens or 0,
    )
    if told.prompt_tokens:
        return told
    return Usage(input_tokens=bound_input_tokens(prompt), output_tokens=told.output_tokens)
