"""The figures of an output, looked up in its sources."""

from __future__ import annotations

from collections.abc import Sequence

from daemon.quality.claims import Claim, SourceNote
from daemon.quality.normalise import Reading
from daemon.quality.verdict import TaskBrief


def figure_claims(
    reading: Reading, task: TaskBrief, sources: Sequence[SourceNote]
) -> tuple[Claim, ...]:
    """Not looked up yet."""
    del reading, task, sources
    return ()
