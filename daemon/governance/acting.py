"""What passes the action gate, each with its actor and its arguments: calls of models and
messages out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from daemon.config.addresses import is_this_machine
from daemon.config.sections import Config
from daemon.errors import SendLater, SendRefused
from daemon.governance.action_gate import ActionGate, Call, Refused
from daemon.governance.approved import why_not_permitted
from daemon.governance.budget import Caller, Refusal
from daemon.governance.calls import PaidCall, Try
from daemon.knowledge.action import Ruling
from daemon.llm.provider import Completion
from daemon.notify.outbox import Send
from daemon.store.outbox import OutboxRow

_HOSTS = {"slack": "slack.com", "notion": "api.notion.com"}
_ACTORS = {"diagnosis": "diagnosis", "consolidation": "consolidation"}
_PERMIT = "permit"  # the rule that a message which takes an approval leaves as it was approved


def call_model(
    gate: ActionGate, call: PaidCall, provider: str, worst_case_micros: int, do: Try
) -> Completion | Refusal:
    """One try of a call, by the agent that it is for; for `MeteredProvider(act=...)`."""

    def arguments() -> dict[str, object]:
        caller, prompt = call.caller, call.prompt
        told = {"model": prompt.model, "purpose": caller.purpose, "item": caller.item}
        return {
            "provider": provider,
            "max_cost_micros": worst_case_micros,
            "prompt_sha256": _sha256(f"{prompt.system}\0{prompt.user}"),
            **{name: value for name, value in told.items() if value},
        }

    answer = gate.perform(
        Call(_actor_of(call.caller), "model.call", arguments),
        do,
        sprint=call.caller.sprint_id,
        not_done=lambda result: result.message if isinstance(result, Refusal) else "",
    )
    return answer.as_refusal() if isinstance(answer, Refused) else answer


def send_message(
    gate: ActionGate, hosts: Mapping[str, str], row: OutboxRow, key: str, send: Send
) -> str:
    """Let a message leave; for `Outbox(act=...)`. `hosts` are the channels' hosts, none for one
    on this machine. One that needs a person's approval leaves only as it was approved.

    Raises SendLater where it may not leave now: it waits and is not lost. Raises SendRefused where
    its approval is not there, or is for something else."""

    def arguments() -> dict[str, object]:
        facts: dict[str, object] = {"channel": row.channel, "key": key}
        if row.channel in hosts:
            facts["host"] = hosts[row.channel]
        return {**facts, "content_sha256": _sha256(_canonical(row.payload))}

    call = Call("reports", "message.send", arguments)
    sent = gate.perform(call, send, further=partial(_not_permitted, gate, row))
    if isinstance(sent, Refused):
        if sent.ruling.gate == _PERMIT:
            raise SendRefused(sent.message)
        raise SendLater(f"the action gate holds it back: {sent.message}")
    return sent


def message_sender(gate: ActionGate, config: Config) -> Callable[[OutboxRow, str, Send], str]:
    """`send_message` for the channels as they are configured.

    An operator's own address counts as its host, which a scope must name; one on this machine has
    no host, for nothing leaves.
    """
    own = {"slack": config.slack.base_url, "notion": config.notion.base_url}
    hosts = {
        channel: (urlsplit(own[channel]).hostname or "") if own[channel] else usual
        for channel, usual in _HOSTS.items()
    }
    reached = {name: host for name, host in hosts.items() if not is_this_machine(host)}
    return partial(send_message, gate, reached)


def _not_permitted(gate: ActionGate, row: OutboxRow) -> Ruling | None:
    why = why_not_permitted(gate.db, gate.books, row)
    return Ruling("DENY", _PERMIT, why, final=True) if why else None


def _actor_of(caller: Caller) -> str:
    return caller.agent or _ACTORS.get(caller.purpose, "sprint")


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _canonical(payload: Mapping[str, Any]) -> str:
    return json.dumps(payload, sort_keys=True, ensure_ascii=True, default=str)
