"""A reply as it is checked when it arrives, and read back when it was paid for before."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from daemon.errors import StoreError
from daemon.llm.provider import Completion, ToolCall, Usage
from daemon.store.effects import EffectRow
from daemon.store.stored_text import repair_text


def check_reply(reply: object) -> Completion:
    """The reply as the store can hold it, so that what is judged now and after a crash is the same.

    Raises TypeError where it is no completion with whole token counts.
    """
    if not isinstance(reply, Completion) or not isinstance(reply.usage, Usage):
        raise TypeError(f"the provider returned {type(reply).__name__} instead of a reply")
    broken = [name for name, count in vars(reply.usage).items() if type(count) is not int]
    if broken:
        raise TypeError(f"the reply's usage has no whole number of {', '.join(broken)}")
    request_id = repair_text(reply.request_id) if reply.request_id else None
    calls = tuple(
        ToolCall(repair_text(call.id), repair_text(call.name), call.arguments)
        for call in reply.calls
    )
    return replace(
        reply,
        text=repair_text(reply.text),
        model=repair_text(reply.model),
        request_id=request_id,
        calls=calls,
    )


def read_reply(effect: EffectRow) -> Completion | None:
    """The reply that an effect kept; None unless done. Raises StoreError for a damaged one."""
    if effect.state != "done":
        return None
    kept: dict[str, Any] = dict(effect.result or {})
    try:
        calls = tuple(ToolCall(**call) for call in kept.get("calls", ()))
        return Completion(**{**kept, "usage": Usage(**kept["usage"]), "calls": calls})
    except (TypeError, KeyError) as error:
        raise StoreError(f"the stored reply {effect.key!r} cannot be read: {error}") from error
