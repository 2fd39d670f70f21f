"""Whether a granted playbook can be enacted as it is written: what its steps use, and how far they go.

A grant on a playbook does not reach the units that its steps name, and no step may go further than the
lowest ceiling that anybody sets. Rules and sentences are those of the protocol's own planner.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from daemon.knowledge.unit import Unit


def unenactable(
    unit: Unit, by_id: Mapping[str, Unit], scale: Sequence[str], grant_ceiling: str
) -> Iterator[str]:
    """The first reason why not, as a sentence; nothing where it can be enacted.

    `scale` has the levels of authority, the lowest first; a level that is not in it is below all as
    a ceiling, and too high as a step's. `grant_ceiling` is that of whoever enacts; empty: none.
    """
    reason = _not_granted(unit, by_id) or _too_far(unit, scale, grant_ceiling)
    if reason:
        yield reason


def _not_granted(unit: Unit, by_id: Mapping[str, Unit]) -> str:
    for step in unit.steps:
        used = by_id.get(step.uses)
        if used is not None and not used.load_eligible:
            return (
                f"step '{step.id}' uses '{step.uses}', which is not invoke-eligible — a grant on a "
                "playbook does not compose to the units its steps name (§4.3c)"
            )
    return ""


def _too_far(unit: Unit, scale: Sequence[str], grant_ceiling: str) -> str:
    ranks = {level: rank for rank, level in enumerate(scale)}
    sources = {
        "playbook authority_level": unit.authority_level,
        "agent grant_ceiling": grant_ceiling,
    }
    given = [(name, level) for name, level in sources.items() if level]
    if not given:
        return ""
    binding, ceiling = min(given, key=lambda source: ranks.get(source[1], -1))
    for step in unit.steps:
        level = step.authority_level
        if level and ranks.get(level, len(scale)) > ranks.get(ceiling, -1):
            return (
                f"step '{step.id}' requires '{level}' authority, above the resolved ceiling "
                f"'{ceiling}' (bound by {binding}) — §3.13"
            )
    return ""
