"""How each job stands: its last run from the store, the rest from the process that runs it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from daemon.clock import to_text
from daemon.store import job_runs
from daemon.store.database import Database

_A_LITTLE_LATER = timedelta(minutes=1)  # a slot that was just written, by a clock that was trimmed


@dataclass(frozen=True)
class JobWatch:
    """What memory knows. `next_at` is None before the start; `hung_slot` is the slot of a run that
    is past its deadline and not back, None where there is none."""

    job: str
    next_at: datetime | None
    skips_in_a_row: int
    hung_slot: datetime | None


def job_states_as_json(
    db: Database, jobs: Sequence[JobWatch], now: datetime
) -> list[dict[str, Any]]:
    """One object a job; `last_slot` and what follows from it are None before the first run.

    One look-up a job. Raises StoreError.
    """
    return [_as_json(db, job, now) for job in jobs]


def _as_json(db: Database, watch: JobWatch, now: datetime) -> dict[str, Any]:
    last = job_runs.last_run(db, watch.job, now + _A_LITTLE_LATER)
    return {
        "name": watch.job,
        "last_slot": to_text(last.slot) if last else None,
        "state": last.state if last else None,
        "late": last.late if last else None,
        "note": last.note if last else None,
        "next_at": to_text(watch.next_at) if watch.next_at else None,
        "skips_in_a_row": watch.skips_in_a_row,
        "hung_slot": to_text(watch.hung_slot) if watch.hung_slot else None,
    }
