"""What is run: a job for a slot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Run:
    """One run of a job. `late` is the sentence that says why it is late, or empty."""

    job: str
    slot: datetime
    late: str = ""


@dataclass(frozen=True)
class Job:
    """`work` does it and tells in a few words what came of it; what it raises is a failed run.

    Past `deadline_seconds` a run counts as hung. `changes_files`: it may never work beside another
    such job. `quiet`: it gives no sign of life of its own, so its whole time is announced; a sprint
    announces each model call itself.
    """

    work: Callable[[Run], str]
    deadline_seconds: float
    changes_files: bool = False
    quiet: bool = True
