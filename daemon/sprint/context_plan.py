"""What an agent is given and what it is not, with reasons; as values and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any


@dataclass(frozen=True)
class KnownFinding:
    """An earlier finding, as far as planning needs it. Give them newest first."""

    path: str
    item: str
    criterion: str
    title: str
    summary: str = ""


@dataclass(frozen=True)
class LoadedUnit:
    """A unit that the agent gets: what it was counted as, and how large its file was then."""

    id: str
    path: str
    title: str
    tokens: int
    reason: str
    untrusted: bool
    size_bytes: int = 0


@dataclass(frozen=True)
class SkippedUnit:
    """A unit that the agent does not get. `path` is empty where the id names no unit."""

    id: str
    path: str
    reason: str


@dataclass(frozen=True)
class ContextPlan:
    """Every unit of the map is in exactly one of the two lists, in the order it was decided."""

    loaded: tuple[LoadedUnit, ...]
    skipped: tuple[SkippedUnit, ...]
    tokens: int
    ceiling_tokens: int
    manifest_sha256: str
    as_of: date


def context_plan_as_json(plan: ContextPlan) -> dict[str, Any]:
    """For the store; `context_plan_from_json` is the reverse."""
    return {
        "loaded": [asdict(unit) for unit in plan.loaded],
        "skipped": [asdict(unit) for unit in plan.skipped],
        "tokens": plan.tokens,
        "ceiling_tokens": plan.ceiling_tokens,
        "manifest_sha256": plan.manifest_sha256,
        "as_of": plan.as_of.isoformat(),
    }


def context_plan_from_json(facts: Mapping[str, Any]) -> ContextPlan:
    """Raises KeyError, TypeError or ValueError for anything that is no stored plan."""
    return ContextPlan(
        loaded=tuple(LoadedUnit(**unit) for unit in facts["loaded"]),
        skipped=tuple(SkippedUnit(**unit) for unit in facts["skipped"]),
        tokens=facts["tokens"],
        ceiling_tokens=facts["ceiling_tokens"],
        manifest_sha256=facts["manifest_sha256"],
        as_of=date.fromisoformat(facts["as_of"]),
    )
