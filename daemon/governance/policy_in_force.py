"""The policy that actions are judged by now: what the map says, over what the program needs to work.

Who acts is one of the actors that the program itself has. Where the map says nothing at all of one of
them, the scope that ships with the program holds, which is the least that it needs; as soon as the map
names the actor, only the map counts for it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import get_args

from daemon.errors import Fault
from daemon.knowledge.action import EVERY_AGENT, ActionScope, Limits, Policy
from daemon.knowledge.policy import NO_AUDIENCE, parse_policy
from daemon.knowledge.unit import Manifest
from daemon.store.approvals import Kind
from daemon.workspace.definitions import Workspace

_VENDORS = frozenset({"claude", "extractive", "replay"})
_MOST_A_CALL_MICROS = 20_000_000
_MOST_A_SPRINT_MICROS = 100_000_000


def _shipped(
    actor: str,
    tools: Iterable[str],
    limits: Limits,
    *,
    level: str = "commit",
    writes: tuple[str, ...] = (),
    calls_models: bool = False,
) -> ActionScope:
    return ActionScope(
        id=f"sprintd.{actor}",
        actors=frozenset({actor}),
        tools=frozenset(tools),
        writes=writes,
        vendors=_VENDORS if calls_models else frozenset(),
        max_spend_micros=_MOST_A_CALL_MICROS if calls_models else None,
        limits=limits,
        level=level,
    )


_SHIPPED = (
    _shipped(
        EVERY_AGENT,
        ("model.call",),
        Limits(calls=100, spend_micros=_MOST_A_SPRINT_MICROS),
        level="suggest",
        calls_models=True,
    ),
    _shipped(
        "sprint",
        ("model.call", "memory.write"),
        Limits(100, 20, _MOST_A_SPRINT_MICROS),
        writes=("memory/findings/",),
        calls_models=True,
    ),
    _shipped(
        "diagnosis",
        ("model.call", "memory.write"),
        Limits(20, 5, _MOST_A_SPRINT_MICROS),
        writes=("memory/diagnoses/",),
        calls_models=True,
    ),
    replace(
        _shipped(
            "reports", ("model.call", "message.send"),
            Limits(10_000, spend_micros=_MOST_A_SPRINT_MICROS), calls_models=True,
        ),
        capabilities=frozenset({"console", "slack", "notion"}),
        hosts=frozenset({"slack.com", "www.slack.com", "api.notion.com"}),
    ),
    replace(
        _shipped("approvals", ("approval.execute",), Limits(calls=10_000)),
        capabilities=frozenset(get_args(Kind)),
    ),
    replace(
        _shipped(
            "consolidation", ("model.call", "memory.write", "memory.move"),
            Limits(5_000, 10_000, _MOST_A_SPRINT_MICROS), writes=("memory/",), calls_models=True,
        ),
        reads=("memory/",),
    ),
)  # fmt: skip


def policy_of(manifest: Manifest, agents: Iterable[str], as_of: date) -> Policy:
    """The map's policy with the shipped scopes of the actors that the map does not name.

    With a fault in it, it denies everything. The digest of the scopes covers the shipped ones too.
    """
    policy = parse_policy(manifest, agents=agents, as_of=as_of.isoformat())
    if policy.faults:
        return policy
    naming = [scope for scope in policy.scopes.values() if scope.held != NO_AUDIENCE]
    named = {actor for scope in naming for actor in scope.actors}
    named |= set(policy.agent_levels)
    added = {scope.id: scope for scope in _SHIPPED if not scope.actors & named}
    if not added or added.keys() & policy.scopes.keys():
        return policy
    words = f"{policy.scope_sha256} {' '.join(sorted(map(_words, added.values())))}"
    return replace(
        policy,
        scopes={**policy.scopes, **added},
        scope_sha256=hashlib.sha256(words.encode()).hexdigest(),
    )


@dataclass(frozen=True)
class _Made:
    """What was worked out for one pair of files on one day."""

    workspace: Workspace
    manifest: Manifest
    day: date
    policy: Policy
    powers: Mapping[str, frozenset[str]]


class PolicyInForce:
    """The policy of the definitions and the map that are in force, worked out once for each pair.

    `powers` derives those of every agent, by its id.
    """

    def __init__(
        self,
        workspace: Callable[[], Workspace | None],
        manifest: Callable[[], Manifest | None],
        powers: Callable[[Workspace, Manifest], Mapping[str, frozenset[str]]],
        today: Callable[[], date],
    ) -> None:
        self._workspace, self._manifest, self._today = workspace, manifest, today
        self._derive = powers
        self._made: _Made | None = None

    def policy(self) -> Policy:
        """Without a map that was ever good, a policy that denies everything."""
        made = self._now()
        return made.policy if made else NO_POLICY

    def powers(self, actor: str) -> frozenset[str]:
        """Empty for a part of the daemon, which passes on no text of its own choice."""
        made = self._now()
        return made.powers.get(actor, frozenset()) if made else frozenset()

    def _now(self) -> _Made | None:
        workspace, manifest, day = self._workspace(), self._manifest(), self._today()
        if workspace is None or manifest is None:
            return None
        made = self._made
        if not (
            made and made.workspace is workspace and made.manifest is manifest and made.day == day
        ):
            agents = [agent.id for agent in workspace.agents]
            policy = policy_of(manifest, agents, day)
            made = _Made(workspace, manifest, day, policy, self._derive(workspace, manifest))
            self._made = made
        return made


NO_POLICY = Policy(
    faults=(Fault("knowledge.yaml", 0, "", "was never read without faults, so it allows nothing"),)
)


def _words(scope: ActionScope) -> str:
    """The scope as text that is the same in every process."""
    facts = {name: sorted(v) if isinstance(v, frozenset) else v for name, v in vars(scope).items()}
    return repr(sorted(facts.items()))
