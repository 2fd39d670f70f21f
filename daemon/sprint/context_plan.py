"""What an agent is given and what it is not, with reasons; as values and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from daemon.errors import SprintdError

NAMED = "the item names it"
_MOST_STORED = 200  # skipped units that an attempt's row names, so that rows stay small
_MOST_OF_A_REASON = 10  # where there are more than that
_MOST_REASONS = 20


@dataclass(frozen=True)
class KnownFinding:
    """An earlier finding, as far as planning needs it. Give them newest first.

    `question` is its item's, empty where the backlog has no such item any more; `sources` are the
    ids of the units that it was made of. A merged document is one too: it is of no item, `parts` are
    the notes that it is merged of, and `sensitivity` is that of the strictest; empty for a finding.
    """

    path: str
    item: str
    criterion: str
    title: str
    summary: str = ""
    question: str = ""
    sources: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    sensitivity: str = ""


class NotesUnreadable(SprintdError):
    """There are notes for an item and none can be read: it would be worked on without any."""

    def __init__(self, item: str, fault: str) -> None:
        super().__init__(
            f"{item} is held: none of the notes that the map has for it can be read ({fault})"
        )


@dataclass(frozen=True)
class LoadedUnit:
    """A unit that the agent gets: what it was counted as, and how large its file was then.

    `untrusted` texts are framed as data: from outside, or written by a model. `mapped` units are
    the map's; the others are findings. `outside`: some of it came from outside, or may have.
    """

    id: str
    path: str
    title: str
    tokens: int
    reason: str
    untrusted: bool
    size_bytes: int = 0
    mapped: bool = True
    outside: bool = False
    sensitivity: str = ""

    @property
    def named(self) -> bool:
        """Whether it was chosen because the item names it, and not by a ranking."""
        return self.reason == NAMED


@dataclass(frozen=True)
class SkippedUnit:
    """A unit that the agent does not get. `path` is empty where the id names no unit.

    `gate` is the gate of the map that decided, or: map (it has an error, or no such unit), scope,
    eligibility, ranking, room, file. Empty in plans that were stored before there was one.
    """

    id: str
    path: str
    reason: str
    gate: str = field(default="", compare=False)


@dataclass(frozen=True)
class ContextPlan:
    """Every unit of the map is in exactly one of the two lists, in the order it was decided.

    `unreadable` says of the first file why it cannot be read, where something was meant to be
    loaded and none of it can be; empty otherwise. It is not stored: such a plan is not used.
    `overlay_sha256` is of the findings as units; empty in plans stored before there was one.
    """

    loaded: tuple[LoadedUnit, ...]
    skipped: tuple[SkippedUnit, ...]
    tokens: int
    ceiling_tokens: int
    manifest_sha256: str
    as_of: date
    unreadable: str = ""
    overlay_sha256: str = ""


def context_plan_as_json(plan: ContextPlan) -> dict[str, Any]:
    """All of it; `context_plan_from_json` is the reverse."""
    return {
        "loaded": [dict(vars(unit)) for unit in plan.loaded],
        "skipped": [dict(vars(unit)) for unit in plan.skipped],
        "tokens": plan.tokens,
        "ceiling_tokens": plan.ceiling_tokens,
        "manifest_sha256": plan.manifest_sha256,
        "overlay_sha256": plan.overlay_sha256,
        "as_of": plan.as_of.isoformat(),
    }


def context_plan_for_store(plan: ContextPlan) -> dict[str, Any]:
    """The same as JSON, but of a large map not every skipped unit is named.

    Of more than 200 the first ten of each reason stay; the others are counted in `skipped_more`.
    """
    stored, more = _first_of_each(plan.skipped)
    facts = context_plan_as_json(replace(plan, skipped=stored))
    if more:
        common = more.most_common(_MOST_REASONS)
        facts["skipped_more"] = [{"reason": reason, "units": units} for reason, units in common]
        others = more.total() - sum(units for _, units in common)
        if others:
            facts["skipped_more"].append({"reason": "other reasons", "units": others})
    return facts


def context_plan_from_json(facts: Mapping[str, Any]) -> ContextPlan:
    """Raises KeyError, TypeError or ValueError for anything that is no stored plan."""
    return ContextPlan(
        loaded=tuple(LoadedUnit(**unit) for unit in facts["loaded"]),
        skipped=tuple(SkippedUnit(**unit) for unit in facts["skipped"]),
        tokens=facts["tokens"],
        ceiling_tokens=facts["ceiling_tokens"],
        manifest_sha256=facts["manifest_sha256"],
        as_of=date.fromisoformat(facts["as_of"]),
        overlay_sha256=facts.get("overlay_sha256", ""),
    )


def _first_of_each(
    skipped: tuple[SkippedUnit, ...],
) -> tuple[tuple[SkippedUnit, ...], Counter[str]]:
    """The skipped units to name, in order, and how many more there are of each reason."""
    more: Counter[str] = Counter()
    if len(skipped) <= _MOST_STORED:
        return skipped, more
    seen: Counter[str] = Counter()
    named: list[SkippedUnit] = []
    for unit in skipped:
        seen[unit.reason] += 1
        if seen[unit.reason] <= _MOST_OF_A_REASON and len(named) < _MOST_STORED:
            named.append(unit)
        else:
            more[unit.reason] += 1
    return tuple(named), more
