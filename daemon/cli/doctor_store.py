"""The doctor's look at the database: whether it is whole, its books, and what it says of the work."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from daemon.cli.doctor_result import Result, fault, ok, warn
from daemon.clock import utc_text
from daemon.config.sections import Config
from daemon.governance.states import current_state
from daemon.reports.plain_text import counted, one_line
from daemon.reports.status import state_name
from daemon.scheduling.scheduler import TIMETABLE, Schedule
from daemon.store import incidents, job_runs, outbox
from daemon.store.budget import budget_faults
from daemon.store.checkup import is_sound_sqlite, sqlite_version
from daemon.store.database import Database

_LONG_WAIT = timedelta(hours=1)
_MOST = 5
_RESTORE = "stop the daemon and put back the newest backup (docs/operations.md)"


def check_database(db: Database) -> Iterator[Result]:
    """The file, the version of the library, and the books."""
    found = db.integrity_faults()
    if found:
        yield fault("database", _first_of(found), _RESTORE)
    else:
        yield ok("database", f"{db.path}: sound, of this version, {db.size_bytes():,} bytes")
    yield check_sqlite(sqlite_version())
    yield _check_books(db)


def check_sqlite(version: str) -> Result:
    """Versions that can damage a write-ahead log are a fault."""
    if is_sound_sqlite(version):
        return ok("sqlite", f"version {version}")
    message = f"version {version} can damage a database that several connections write"
    return fault("sqlite", message, "install the package pysqlite3")


def check_state(db: Database, *, runs: bool) -> Iterator[Result]:
    """What the daemon says of itself, what goes wrong again and again, and what did not leave."""
    state = current_state(db)
    if state is None:
        yield ok("state", "nothing ran here yet")
    else:
        name = state_name(state, runs=runs)
        told = f"{name} since {utc_text(state.since)}: {one_line(state.reason, 500)}"
        if state.name == "halted":
            yield fault("state", told, "mend what it names, then run: sprintd reset-failures")
        else:
            yield ok("state", told)
    for incident in incidents.list_open(db):
        told = f"{incident.cause}, {counted(incident.count, 'time')} since {utc_text(incident.opened_at)}"
        detail = one_line(incident.detail, 300)
        yield warn("incident", f"{told}: {detail}", incident.cure or "look into the log")


def check_outbox(db: Database, now: datetime) -> Result:
    """Messages that did not leave."""
    counts = outbox.count_messages(db)
    if counts.set_aside:
        message = f"{counted(counts.set_aside, 'message')} refused by the far side, for a person to see to"
        return warn(
            "outbox",
            message,
            "sprintd outbox --set-aside says why; then: sprintd outbox retry --all",
        )
    oldest = counts.oldest_waiting_at
    if oldest and now - oldest > _LONG_WAIT:
        told = f"{counted(counts.waiting, 'message')} still to leave, the oldest since {utc_text(oldest)}"
        why = f": {one_line(counts.waiting_error, 300)}" if counts.waiting_error else ""
        return warn("outbox", told + why, "see the endpoints below; they leave by themselves")
    return ok("outbox", f"{counted(counts.waiting, 'message')} still to leave, none is set aside")


def check_schedule(db: Database | None, config: Config, now: datetime) -> Iterator[Result]:
    """When each job is due next, and whether its newest run went well."""
    bad: list[Result] = []
    told: list[str] = []
    schedule = Schedule(config, now)
    for entry in TIMETABLE:
        job = entry.job
        next_at = next(schedule.slots(job, now, now + timedelta(days=8)), None)
        told.append(f"{job} {utc_text(next_at)}" if next_at else f"{job} never")
        last = job_runs.last_run(db, job, now) if db else None
        if last and last.state in ("failed", "skipped"):
            note = f"{job} of {utc_text(last.slot)} was {last.state}: {one_line(last.note, 300)}"
            bad.append(warn("schedule", note, "its next run comes by itself; the log says more"))
    yield ok("schedule", "next runs, at the latest: " + ", ".join(told))
    yield from bad


def _check_books(db: Database) -> Result:
    found = budget_faults(db)
    if not found:
        return ok("books", "on every day what is used is what is held and settled")
    cure = "set the cap to 0, keep a backup, and report it: money may have been counted wrongly"
    return fault("books", _first_of(found), cure)


def _first_of(found: list[str]) -> str:
    more = f" (and {len(found) - _MOST} more)" if len(found) > _MOST else ""
    return "; ".join(found[:_MOST]) + more
