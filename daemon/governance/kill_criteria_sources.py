"""How many sources stand behind what counts, and which notes may object to it. Values in, values out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from daemon.governance.kill_criteria_evidence import (
    Counted,
    Evidence,
    EvidenceSource,
    Missed,
    SourceState,
)
from daemon.quality.measure_copies import copies

_HALVES: Mapping[SourceState, int] = {"opened": 2, "named": 1, "lost": 0}


def halves_of(sources: Iterable[EvidenceSource]) -> int:
    """What sources count for together, two to a whole one; of one origin the best counts."""
    best: dict[str, int] = {}
    for one in sources:
        best[one.origin] = max(best.get(one.origin, 0), _HALVES[one.state])
    return sum(best.values())


def one_of_each(
    counted: Sequence[Counted],
) -> tuple[list[EvidenceSource], tuple[tuple[str, str], ...]]:
    """All sources, each copy with the origin of what it copies; and the copies by path, each with that path."""
    told = [
        (source, replace(source.telling, figure=one.evidence.figure))
        for one in counted
        for source in one.sources
        if source.telling is not None
    ]
    of = copies([telling for _, telling in told])
    sources = [
        replace(source, origin=told[of[at]][0].origin) if at in of else source
        for at, (source, _) in enumerate(told)
    ]
    unknown = [source for one in counted for source in one.sources if source.telling is None]
    pairs = {(told[at][0].path, told[first][0].path) for at, first in of.items()}
    return sources + unknown, tuple(sorted(one for one in pairs if one[0] != one[1]))


def with_objections(
    counted: Sequence[Counted],
) -> tuple[list[Counted], list[tuple[Evidence, Missed]]]:
    """What findings tell, then what stands on another side: what they leave out, and what no finding was
    given. Of the latter that which may be about something else is given back apart, with why."""
    told = [one for one in counted if one.evidence.told]
    sides = {one.side for one in told}
    against = [one for one in counted if sides and not one.evidence.told and one.side not in sides]
    kept: list[Counted] = list(told)
    unlike: list[tuple[Evidence, Missed]] = []
    for one in against:
        why = None if one.evidence.examined else _unlike(one, told)
        if why:
            unlike.append((one.evidence, why))
        else:
            kept.append(one)
    return kept, unlike


def _unlike(one: Counted, told: Sequence[Counted]) -> Missed | None:
    """Why a note that nobody examined may speak of something else: of a year, a month or a place that what
    counts does not name, or of an earlier time than all of it."""
    known = frozenset().union(*(each.evidence.scope for each in told))
    if not one.evidence.scope <= known:
        return "other_scope"
    newest = max(source.dated_on for source in one.sources if source.dated_on)
    first = min(source.dated_on for each in told for source in each.sources if source.dated_on)
    return "earlier" if newest < first else None
