"""The protocol of a provider and the values that pass through it.

Nobody calls `Provider.send` but `governance.metered`, which reserves the money first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from daemon.config.sections import Tier

StopReason = Literal["end_turn", "tool_use", "max_tokens", "refusal", "other"]
OFFLINE_MODEL = "extractive-1"  # it quotes and does not reason; whoever shows its work says so


@dataclass(frozen=True)
class SourceText:
    """One text that an agent is given: a knowledge unit, by id, with where it came from.

    `named`: the item itself names it, so it is what the question is about.
    """

    id: str
    path: str
    title: str
    text: str
    untrusted: bool = False
    named: bool = False


@dataclass(frozen=True)
class ToolSpec:
    """A tool as a model is told of it; `schema` is the JSON schema of its arguments."""

    name: str
    description: str
    schema: Mapping[str, Any]


@dataclass(frozen=True)
class ToolCall:
    """What a model asks a tool for. `arguments` is JSON as text, whatever the model made of it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True)
class ToolResult:
    """What a tool gave back for the call of that id; `is_error`: it was refused, or it failed."""

    call_id: str
    text: str
    is_error: bool = False


@dataclass(frozen=True)
class Turn:
    """One exchange after the first request: the reply as it came (`echo` of its Completion), the
    results of its calls, and what is said to it besides; one of the two is there."""

    echo: str
    results: tuple[ToolResult, ...] = ()
    said: str = ""


@dataclass(frozen=True)
class Prompt:
    """One request to a model.

    `system` and `user` are everything a remote model sees (`user` already holds the framed sources).
    `question` and `sources` are the same request in parts, for a provider that works on them
    directly. `schema` is the JSON schema of the reply, or None for prose. `tools` are there only in the
    planning of a sprint; the prompt of an agent carries none. `turns` are the exchanges so far. Where
    `may_call` is False the tools are only named, because the turns before use them.
    """

    model: str
    system: str
    user: str
    max_output_tokens: int
    question: str = ""
    sources: tuple[SourceText, ...] = ()
    schema: Mapping[str, Any] | None = None
    effort: Literal["low", "medium", "high"] | None = None
    language: str = "en"
    tools: tuple[ToolSpec, ...] = ()
    turns: tuple[Turn, ...] = ()
    may_call: bool = True


@dataclass(frozen=True)
class Usage:
    """Tokens of one call. `input_tokens` are the uncached ones only; output includes thinking."""

    input_tokens: int
    output_tokens: int
    cache_write_5m_tokens: int = 0
    cache_write_1h_tokens: int = 0
    cache_read_tokens: int = 0

    @property
    def prompt_tokens(self) -> int:
        """The whole prompt, cached or not: what prompt-length price tiers look at."""
        return (
            self.input_tokens
            + self.cache_write_5m_tokens
            + self.cache_write_1h_tokens
            + self.cache_read_tokens
        )


@dataclass(frozen=True)
class Completion:
    """One reply. `model` is the one that answered (it sets the price), not the one asked for.

    `calls` are the tools that it asks for. `echo` is the whole reply as JSON text, to be sent back
    with their results; empty where there are none.
    """

    text: str
    model: str
    usage: Usage
    stop_reason: StopReason
    request_id: str | None = None
    calls: tuple[ToolCall, ...] = ()
    echo: str = ""

    @property
    def truncated(self) -> bool:
        return self.stop_reason == "max_tokens"


class Provider(Protocol):
    """A door to a model. `writes_json` is False where a prompt with a schema cannot be served,
    `uses_tools` where one with tools cannot."""

    name: str
    writes_json: bool
    uses_tools: bool

    def model_for(self, tier: Tier) -> str:
        """The model id that serves a tier; it must have a price."""

    def bound_input_tokens(self, prompt: Prompt) -> int:
        """At least as many tokens as the prompt can be billed for; asks nobody."""

    def send(self, prompt: Prompt) -> Completion:
        """Ask the model once. Raises ProviderPermanent, ProviderBusy or OutcomeUnknown."""

    def describe(self) -> str:
        """One line for people: what this provider is and where it goes; no secret."""

    def close(self) -> None:
        """Give up connections; a call under way ends with OutcomeUnknown."""
