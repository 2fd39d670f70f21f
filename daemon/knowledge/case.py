"""What the rules of the action gate look at, and what they say."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from daemon.knowledge.action import Action, ActionScope, Effect, Grant, Limits, Policy, Tool


@dataclass(frozen=True)
class Objection:
    """Why a rule stops the action. `final`: no approval can change it."""

    reason: str
    effect: Effect = "DENY"
    final: bool = False
    bound_by: str = ""


@dataclass
class Case:
    """One action on its way through the rules, with everything that bears on it.

    `scopes` are those that still allow it: the rules narrow them down. `level` and `bound_by` are
    empty until the rule of authority has found them.
    """

    policy: Policy
    action: Action
    ceilings: Mapping[str, str]
    powers: frozenset[str]
    grants: Sequence[Grant]
    used: Limits
    scopes: tuple[ActionScope, ...] = ()
    level: str = ""
    bound_by: str = ""

    @property
    def tool(self) -> Tool:
        return self.policy.tools[self.action.tool]

    @property
    def all_scopes(self) -> tuple[ActionScope, ...]:
        """Every scope that names the actor, held ones too."""
        return self.policy.scopes_of(self.action.actor)

    def values(self, kind: str) -> list[str]:
        """The values of the targets of this kind, in their order."""
        return self._by_kind.get(kind, [])

    @cached_property
    def amount_micros(self) -> int:
        """All that the action is to spend."""
        return sum(int(value) for value in self.values("spend"))

    def keep(self, wanted: Callable[[ActionScope], bool]) -> bool:
        """Narrow the scopes down to the wanted ones; whether any is left."""
        self.scopes = tuple(scope for scope in self.scopes if wanted(scope))
        return bool(self.scopes)

    @cached_property
    def _by_kind(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for target in self.action.targets:
            found.setdefault(target.kind, []).append(target.value)
        return found
