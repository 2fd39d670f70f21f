"""Actions and rulings in the words of a ledger's entry; what is long is cut and keeps a digest."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from daemon.knowledge.action import Action, Policy, Ruling

# Together they fit into an entry also where each character takes twelve bytes there.
_MOST_TARGETS = 8
_LONGEST_NAME = 200
_LONGEST_TARGET = 400
_LONGEST_REASON = 1_000


def action_facts(action: Action) -> dict[str, Any]:
    """Who, with what, on what: a call that a model made up may have any length."""
    targets = [f"{target.kind}:{target.value}" for target in action.targets]
    more = targets[_MOST_TARGETS:]
    if more:
        whole = hashlib.sha256("\n".join(more).encode("utf-8", "surrogatepass")).hexdigest()
        targets = [*targets[:_MOST_TARGETS], f"... ({len(more)} more, sha256 {whole})"]
    return {
        "actor": _short(action.actor, _LONGEST_NAME),
        "tool": _short(action.tool, _LONGEST_NAME),
        "args_sha256": action.args_sha256,
        "targets": [_short(target, _LONGEST_TARGET) for target in targets],
    }


def as_verdict(ruling: Ruling) -> dict[str, Any]:
    return {
        "effect": ruling.effect,
        "gate": ruling.gate,
        "reason": _short(ruling.reason, _LONGEST_REASON),
        "final": int(ruling.final),
    }


def outcome_words(effect: str, reason: str) -> dict[str, Any]:
    """What came of an action; `reason` may quote a service, so it may have any length."""
    return {"effect": effect, "gate": "", "reason": _short(reason, _LONGEST_REASON), "final": 1}


def policy_facts(policy: Policy) -> dict[str, str]:
    return {"manifest_sha256": policy.manifest_sha256, "scope_sha256": policy.scope_sha256}


def recovery_facts(entry: Mapping[str, Any]) -> dict[str, Any]:
    """What is known of a decision whose outcome was never written, from its stored entry."""
    reason = "the daemon ended before the outcome was written; it may have happened"
    return {
        **entry["action"],
        "verdict": outcome_words("UNKNOWN", reason),
        "sprint": entry["sprint"] if entry["sprint"] >= 0 else None,
    }


def _short(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    whole = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{text[:longest]}... ({len(text)} characters, sha256 {whole})"
