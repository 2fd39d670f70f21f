"""The rows of `job_run`: a job's run is named after the moment it was due, so it can run only once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from daemon.clock import from_text, to_text
from daemon.store.database import Database

RunState = Literal["queued", "running", "done", "failed", "skipped"]
EndState = Literal["done", "failed", "skipped"]


@dataclass(frozen=True)
class JobRun:
    """`tries` counts how often it was begun: more than once where the daemon died in between.

    `late` is True where it ran after a downtime; `note` says what came of it, or why nothing did.
    """

    job: str
    slot: datetime
    state: RunState
    late: bool
    note: str
    tries: int
    queued_at: datetime
    started_at: datetime | None
    deadline_at: datetime | None
    ended_at: datetime | None


def queue_run(db: Database, job: str, slot: datetime, now: datetime, *, late: bool = False) -> bool:
    """Ask for the run of a slot; False, and nothing changes, where the slot was asked for before."""
    sql = """INSERT INTO job_run (job, slot, state, late, queued_at)
             VALUES (?, ?, 'queued', ?, ?) ON CONFLICT DO NOTHING"""
    with db.immediate() as tx:
        return bool(tx.execute(sql, (job, to_text(slot), int(late), to_text(now))))


def queue_again(db: Database, job: str, slot: datetime, *, late: bool) -> bool:
    """Put a run that an earlier life left open back into the queue; False where it had ended."""
    sql = """UPDATE job_run SET state = 'queued', late = ?, deadline_at = NULL
             WHERE job = ? AND slot = ? AND state IN ('queued', 'running')"""
    with db.immediate() as tx:
        return bool(tx.execute(sql, (int(late), job, to_text(slot))))


def skip_run(db: Database, job: str, slot: datetime, reason: str, now: datetime) -> bool:
    """Keep that a slot is not run, and why; False where its run had begun or ended before."""
    sql = """INSERT INTO job_run (job, slot, state, note, queued_at, ended_at)
             VALUES (:job, :slot, 'skipped', :note, :now, :now)
             ON CONFLICT DO UPDATE SET state = 'skipped', note = :note, ended_at = :now
             WHERE state = 'queued'"""
    values = {"job": job, "slot": to_text(slot), "note": reason, "now": to_text(now)}
    with db.immediate() as tx:
        return bool(tx.execute(sql, values))


def start_run(
    db: Database, job: str, slot: datetime, now: datetime, *, deadline_at: datetime
) -> bool:
    """Write that a queued run begins; False where it is not in the queue."""
    sql = """UPDATE job_run SET state = 'running', tries = tries + 1, started_at = ?, deadline_at = ?
             WHERE job = ? AND slot = ? AND state = 'queued'"""
    with db.immediate() as tx:
        return bool(tx.execute(sql, (to_text(now), to_text(deadline_at), job, to_text(slot))))


def end_run(
    db: Database, job: str, slot: datetime, state: EndState, note: str, now: datetime
) -> bool:
    """Write how a run ended. One that was given up as failed may still end as done, later."""
    sql = """UPDATE job_run SET state = ?, note = ?, ended_at = ?
             WHERE job = ? AND slot = ? AND state IN ('queued', 'running', 'failed')"""
    values = (state, note, to_text(now), job, to_text(slot))
    with db.immediate() as tx:
        return bool(tx.execute(sql, values))


def forget_future(db: Database, now: datetime, *, done_beyond: datetime) -> int:
    """Take away what a clock that was ahead made of moments that are still to come; how many.

    A slot that was skipped has not run, so it may when it comes, or late where it has come since the
    clock skipped it. One that has run may again only where it lies beyond `done_beyond`, which is
    not before `now`.
    """
    sql = """DELETE FROM job_run WHERE slot > :beyond
             OR (state = 'skipped' AND (slot > :now OR queued_at > :beyond))"""
    with db.immediate() as tx:
        return tx.execute(sql, {"beyond": to_text(done_beyond), "now": to_text(now)})


def find_run(db: Database, job: str, slot: datetime) -> JobRun | None:
    """The run of a slot, or None where the slot was never asked for."""
    found = db.row("SELECT * FROM job_run WHERE job = ? AND slot = ?", (job, to_text(slot)))
    return None if found is None else _to_run(found)


def last_run(db: Database, job: str, until: datetime) -> JobRun | None:
    """The run of the newest slot that is not after `until`; None before the first.

    The bound keeps slots out that a clock set far ahead once made.
    """
    sql = "SELECT * FROM job_run WHERE job = ? AND slot <= ? ORDER BY slot DESC LIMIT 1"
    found = db.row(sql, (job, to_text(until)))
    return None if found is None else _to_run(found)


def list_open(db: Database) -> list[JobRun]:
    """Runs without an end, by job and slot; at a start, those that an earlier life left."""
    sql = "SELECT * FROM job_run WHERE state IN ('queued', 'running') ORDER BY job, slot"
    return [_to_run(row) for row in db.rows(sql)]


def list_runs(db: Database, job: str, *, since: datetime | None = None) -> list[JobRun]:
    """The runs of a job in the order of their slots; None: from the first."""
    sql = "SELECT * FROM job_run WHERE job = ? AND slot >= ? ORDER BY slot"
    return [_to_run(row) for row in db.rows(sql, (job, to_text(since) if since else ""))]


def _to_run(found: Mapping[str, Any]) -> JobRun:
    moments = {
        name: from_text(found[name]) if found[name] else None
        for name in ("slot", "queued_at", "started_at", "deadline_at", "ended_at")
    }
    return JobRun(**{**found, **moments, "late": bool(found["late"])})
