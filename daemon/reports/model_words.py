"""Asking a model for words about a report: one call through the money gate, and no failure matters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from daemon.errors import SprintdError
from daemon.governance.budget import Caller, Refusal
from daemon.governance.metered import MeteredProvider
from daemon.llm.json_reply import parse_json_reply
from daemon.llm.provider import Prompt


@dataclass(frozen=True)
class Words:
    """The JSON that a model answered with, None where `fault` says why there is none to use.

    `model` is empty where nobody answered.
    """

    value: Any = None
    model: str = ""
    fault: str = ""


def ask_for_words(metered: MeteredProvider, key: str, prompt: Prompt, caller: Caller) -> Words:
    """One whole answer in JSON and nothing else; under the same key it is paid for once."""
    try:
        reply = metered.complete(key, prompt, caller)
        if isinstance(reply, Refusal):
            return Words(fault=reply.message)
        if reply.stop_reason != "end_turn":
            fault = f'the service ended the answer with "{reply.stop_reason}"'
            return Words(model=reply.model, fault=fault)
        return Words(parse_json_reply(reply.text, alone=True), reply.model)
    except (SprintdError, ValueError) as error:
        return Words(fault=str(error))
