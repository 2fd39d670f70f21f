"""The action gate's judgement (stub while the rules are being written): denies everything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from daemon.knowledge.action import NOTHING_USED, Action, Grant, Limits, Policy, Ruling


def check_conformance(
    policy: Policy,
    action: Action,
    *,
    ceilings: Mapping[str, str],
    powers: frozenset[str] = frozenset(),
    grants: Sequence[Grant] = (),
    used: Limits = NOTHING_USED,
) -> Ruling:
    """Whether `action` may happen, by the first rule that objects. Never raises."""
    del policy, action, ceilings, powers, grants, used
    return Ruling("DENY", "well-formed", "the rules are not there yet", final=False)
