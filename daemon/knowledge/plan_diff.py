"""What two saved plans decided otherwise: which units were loaded then and are not now, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Decision:
    """What a plan decided about one unit, and its reason."""

    loaded: bool
    reason: str


@dataclass(frozen=True)
class Change:
    """`kind` is lost, gained, added, removed or reason; `was` or `now` is None where the unit is in
    one of the plans only."""

    id: str
    kind: str
    was: Decision | None
    now: Decision | None


def decisions_in(facts: Any) -> dict[str, Decision]:
    """The decisions of a saved plan by unit: an answer of the map, a plan of the protocol (of
    kcp-agent too), or what an attempt read. In a plan of several assignments the item stands before
    the unit. Raises ValueError for anything else."""
    found = dict(_decisions(facts)) if isinstance(facts, dict) else {}
    if not found and not _is_plan(facts):
        raise ValueError("this is no saved plan: it has no units, and neither loaded nor selected")
    return found


def compare(was: Mapping[str, Decision], now: Mapping[str, Decision]) -> tuple[Change, ...]:
    """Every unit that is decided otherwise, or for another reason; those lost first, then by id."""
    kinds = ("lost", "gained", "removed", "added", "reason")
    changes = [
        Change(unit, _kind(was.get(unit), now.get(unit)), was.get(unit), now.get(unit))
        for unit in {**was, **now}
        if was.get(unit) != now.get(unit)
    ]
    return tuple(sorted(changes, key=lambda change: (kinds.index(change.kind), change.id)))


def _kind(was: Decision | None, now: Decision | None) -> str:
    if was is None:
        return "added"
    if now is None:
        return "removed"
    if was.loaded == now.loaded:
        return "reason"
    return "lost" if was.loaded else "gained"


def _is_plan(facts: Any) -> bool:
    names = ("units", "selected", "loaded", "assignments")
    return isinstance(facts, dict) and any(isinstance(facts.get(name), list) for name in names)


def _decisions(facts: Mapping[str, Any]) -> Iterator[tuple[str, Decision]]:
    for assignment in _entries(facts, "assignments"):
        context = assignment.get("context")
        for name, decision in _decisions(context if isinstance(context, dict) else {}):
            yield f"{assignment.get('item')}: {name}", decision
    for unit in _entries(facts, "units"):
        yield str(unit.get("id")), Decision(unit.get("loaded") is True, _reason(unit))
    for unit in (*_entries(facts, "skipped"), *_entries(facts, "beyond")):
        yield str(unit.get("id")), Decision(loaded=False, reason=_reason(unit))
    for unit in (*_entries(facts, "selected"), *_entries(facts, "loaded")):
        yield str(unit.get("id")), Decision(_may_load(unit), _reason(unit))


def _entries(facts: Mapping[str, Any], name: str) -> Iterator[dict[str, Any]]:
    listed = facts.get(name)
    for entry in listed if isinstance(listed, list) else ():
        if isinstance(entry, dict):
            yield entry


def _may_load(unit: Mapping[str, Any]) -> bool:
    return unit.get("load_eligible", unit.get("loadEligible", True)) is True


def _reason(unit: Mapping[str, Any]) -> str:
    reasons = unit.get("reasons")
    if isinstance(reasons, list):
        score = f" (score {unit['score']})" if "score" in unit else ""
        return ", ".join(map(str, reasons)) + score
    return str(unit.get("reason", ""))
