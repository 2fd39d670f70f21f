"""Lowest-of: how far an actor may go is the lowest level that any source gives it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from daemon.knowledge.action import LEVELS, ActionScope, Grant, Policy

NO_SOURCE = "no source"  # binds where nobody declares a level
_RANKS: Mapping[object, int] = {level: rank for rank, level in enumerate(LEVELS)}


class Authority(NamedTuple):
    """The effective level and the source that it came from."""

    level: str
    bound_by: str


def rank_of(level: object) -> int:
    """0 (observe) to 4 (commit); a level that is not known counts as the lowest."""
    return _RANKS.get(level, 0) if isinstance(level, str) else 0


def effective_authority(ceilings: Mapping[str, object]) -> Authority:
    """The lowest of the levels, and the first source (by name) that has it.

    Without any source it is the lowest level there is: what nobody declared is not given.
    """
    if not ceilings:
        return Authority(LEVELS[0], NO_SOURCE)
    source = min(sorted(ceilings), key=lambda name: rank_of(ceilings[name]))
    return Authority(LEVELS[rank_of(ceilings[source])], source)


def all_ceilings(
    policy: Policy, actor: str, scopes: Iterable[ActionScope], given: Mapping[str, str]
) -> dict[str, object]:
    """Every source that binds the actor: those of the manifest and those given, the lower each.

    The sources of the manifest are `manifest:agent`, `manifest:SOURCE` of its grant ceiling, and
    `scope:ID`. A mandatory source that nobody names counts as the lowest.
    """
    found: dict[str, object] = dict(given)
    for source, level in _declared(policy, actor, scopes):
        if source not in found or rank_of(level) < rank_of(found[source]):
            found[source] = level
    for source in policy.mandatory:
        if source not in found and f"manifest:{source}" not in found:
            found[source] = ""
    return found


def raised(
    ceilings: Mapping[str, object], grants: Iterable[Grant], action_sha256: str
) -> dict[str, object]:
    """The ceilings after the grants for this very action. A grant never lowers, and adds no source."""
    found = dict(ceilings)
    for grant in grants:
        if grant.action_sha256 == action_sha256 and grant.source in found:
            found[grant.source] = max(found[grant.source], grant.level, key=rank_of)
    return found


def _declared(
    policy: Policy, actor: str, scopes: Iterable[ActionScope]
) -> Iterator[tuple[str, str]]:
    if actor in policy.agent_levels:
        yield "manifest:agent", policy.agent_levels[actor]
    for source, level in policy.ceilings.items():
        yield f"manifest:{source}", level
    for scope in scopes:
        if scope.level:
            yield f"scope:{scope.id}", scope.level
