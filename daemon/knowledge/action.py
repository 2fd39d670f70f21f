"""The nouns of the action gate: what somebody wants to do, and what the manifest lets them do.

All are values. An Action names its actor, its tool and every target with its kind; the digest of it
is what a ruling, an approval and the ledger speak of, so that nothing can be exchanged after the
check.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from daemon.errors import Fault

TargetKind = Literal["read", "write", "host", "capability", "vendor", "spend"]
ParameterKind = Literal["read", "write", "host", "capability", "vendor", "spend", "argument"]
Effect = Literal["ALLOW", "DENY", "ESCALATE"]

TARGET_KINDS: frozenset[str] = frozenset({"read", "write", "host", "capability", "vendor", "spend"})
LEVELS = ("observe", "explain", "suggest", "prepare", "commit")
POWERS = frozenset({"PRIVATE_DATA", "UNTRUSTED_CONTENT", "EXTERNAL_COMMUNICATION"})
MOST_TARGETS = 100
EVERY_AGENT = "agent"  # the role of the protocol that stands for each file in agents/
APPROVAL = "approval"  # the source that a grant names where a person has to agree


@dataclass(frozen=True)
class Target:
    """One thing that an action touches.

    `value` is a workspace path (read, write), a host name, the name of a capability or of a
    vendor, or whole micro-dollars as digits (spend).
    """

    kind: TargetKind
    value: str


@dataclass(frozen=True)
class Action:
    """`args_sha256` is of the canonical JSON (RFC 8785) of all arguments, as 64 hex digits."""

    actor: str
    tool: str
    targets: tuple[Target, ...]
    args_sha256: str


@dataclass(frozen=True)
class Ruling:
    """The gate's answer. `gate` names the rule that decided, `reason` says why in one sentence.

    `final`: no approval can change it. `level` is the effective authority level and `bound_by` the
    source that it came from; both are empty where the action did not get as far.
    """

    effect: Effect
    gate: str
    reason: str
    final: bool
    level: str = ""
    bound_by: str = ""


@dataclass(frozen=True)
class Grant:
    """A person's approval: raises `source` to `level` for the one action that has this digest.

    The source APPROVAL answers a scope that asks for a person. That a grant is used only once is
    kept by whoever stores it.
    """

    source: str
    level: str
    action_sha256: str


@dataclass(frozen=True)
class Limits:
    """What an actor may do, or has done, in one sprint or one run of a job.

    As a limit None is not declared, and what is not declared is refused; 0 allows none.
    """

    calls: int | None = None
    writes: int | None = None
    spend_micros: int | None = None


NOTHING_USED = Limits(0, 0, 0)


@dataclass(frozen=True)
class Parameter:
    """One parameter of a tool, and what its value is. `many`: a list of values.

    An `argument` is covered by the digest only: it opens nothing.
    """

    kind: ParameterKind
    required: bool = True
    many: bool = False


@dataclass(frozen=True)
class Tool:
    """A tool that the gate knows. `level` is the authority that using it takes."""

    name: str
    level: str
    parameters: Mapping[str, Parameter] = field(default_factory=dict)

    @cached_property
    def counts(self) -> Mapping[str, tuple[int, int]]:
        """How many targets of each kind a call has: at least, and at most."""
        found = dict.fromkeys(TARGET_KINDS, (0, 0))
        for known in self.parameters.values():
            if known.kind != "argument":
                least, most = found[known.kind]
                more = MOST_TARGETS if known.many else 1
                found[known.kind] = (least + known.required, min(most + more, MOST_TARGETS))
        return found


@dataclass(frozen=True)
class Deny:
    """What stays forbidden whatever is allowed elsewhere."""

    tools: frozenset[str] = frozenset()
    paths: tuple[str, ...] = ()
    capabilities: frozenset[str] = frozenset()
    hosts: frozenset[str] = frozenset()


@dataclass(frozen=True)
class ActionScope:
    """What some actors may do. A dimension that is empty allows nothing.

    `actors` are ids, or EVERY_AGENT. `reads` and `writes` are entries as in `paths.covers`.
    `max_spend_micros` is for one purchase; None: not declared, so no purchase. `level` is a ceiling
    of its own, empty where none is declared. `held` says why the scope grants nothing now (its
    denials hold all the same); empty where it does. `asks` are the target kinds, or "tool" for
    every action, for which a person must agree first; `refuses` those that are forbidden.
    """

    id: str
    actors: frozenset[str]
    tools: frozenset[str] = frozenset()
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    hosts: frozenset[str] = frozenset()
    capabilities: frozenset[str] = frozenset()
    max_spend_micros: int | None = None
    vendors: frozenset[str] = frozenset()
    limits: Limits = Limits()
    deny: Deny = Deny()
    level: str = ""
    held: str = ""
    asks: frozenset[str] = frozenset()
    refuses: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Policy:
    """Everything that a ruling depends on besides the action. With a fault it denies all.

    `scopes` by id; `agents` are the ids of agents/*.md; `agent_levels` and `ceilings` are authority
    levels by actor and by source. `mandatory` sources count as the lowest level where nobody
    names them.
    """

    scopes: Mapping[str, ActionScope] = field(default_factory=dict)
    tools: Mapping[str, Tool] = field(default_factory=dict)
    agents: frozenset[str] = frozenset()
    agent_levels: Mapping[str, str] = field(default_factory=dict)
    ceilings: Mapping[str, str] = field(default_factory=dict)
    mandatory: tuple[str, ...] = ()
    manifest_sha256: str = ""
    scope_sha256: str = ""
    faults: tuple[Fault, ...] = ()

    def scopes_of(self, actor: str) -> tuple[ActionScope, ...]:
        """The scopes that name the actor, in the order of the manifest, held ones too."""
        if actor not in self._reach:
            return self._for_agents if actor in self.agents else ()
        return self._reach[actor]

    @cached_property
    def _for_agents(self) -> tuple[ActionScope, ...]:
        return tuple(scope for scope in self.scopes.values() if EVERY_AGENT in scope.actors)

    @cached_property
    def _reach(self) -> dict[str, tuple[ActionScope, ...]]:
        named = {actor for scope in self.scopes.values() for actor in scope.actors} - {EVERY_AGENT}
        return {actor: self._scopes_naming(actor) for actor in named}

    def _scopes_naming(self, actor: str) -> tuple[ActionScope, ...]:
        names = {actor, EVERY_AGENT} if actor in self.agents else {actor}
        return tuple(scope for scope in self.scopes.values() if not names.isdisjoint(scope.actors))


def digest(action: Action) -> str:
    """SHA-256 over actor, tool, targets and arguments: equal exactly where all four are."""
    targets = [[target.kind, target.value] for target in action.targets]
    bound = [action.actor, action.tool, targets, action.args_sha256]
    text = json.dumps(bound, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
