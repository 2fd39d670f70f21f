"""From slots to runs: each slot of a job is run once at most, whoever asks and however often.

A slot is the moment a job is due, not the moment it runs. Its row in `job_run` is written before the
worker hears of it, and a row that is there already ends the matter: a second scheduler, a clock that
was set back a little and a second start find it. Rows that a clock far ahead made are taken away, for
their slots are still to come.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from daemon.clock import Clock, from_text, to_text
from daemon.errors import StoreError
from daemon.governance import incidents
from daemon.governance.incidents import Voice
from daemon.scheduling.run import Run
from daemon.scheduling.scheduler import TIMETABLE, Entry, Schedule
from daemon.scheduling.worker import Worker
from daemon.store import control, job_runs, reports
from daemon.store.database import Database
from daemon.store.job_runs import JobRun

MOST_TRIES = 3
ALERT_AT_SKIPS = 2
LOOK_BACK = timedelta(days=31)  # what was missed before that is neither kept nor run
RAN_FOR_GOOD = timedelta(
    hours=3
)  # a slot so little ahead does not run again, whatever the clock did
_ON_TIME = timedelta(seconds=90)
_SINCE = "jobs.since"  # for each job, from when on its slots count
_ENTRIES = {entry.job: entry for entry in TIMETABLE}
_log = logging.getLogger(__name__)


class Slots:
    """Asks the worker for runs, and keeps what could not be asked for. For any thread."""

    def __init__(
        self, db: Database, clock: Clock, voice: Voice, schedule: Schedule, worker: Worker
    ) -> None:
        self._db, self._clock = db, clock
        self._voice, self._say = voice, voice.phrases.text
        self._schedule, self._worker = schedule, worker
        self._caught_up = False
        self._set_back = False
        self._guard = threading.Lock()
        self._skips: dict[str, int] = {}
        self._unasked: dict[str, datetime] = {}

    def ask(self, job: str, slot: datetime) -> bool:
        """The scheduler's word that a job is due; False where it is not run for this slot.

        Of several slots that came due at once the last one is run, late, and says so. Where the
        database cannot be written, `look` asks again.
        """
        with self._guard:
            try:
                run = self._place(job, slot)
            except StoreError as error:
                return self._keep_for_later(job, slot, error)
            if run is not None:
                self._worker.put(run)
            return run is not None

    def ask_now(self, job: str) -> bool:
        """Ask for a job outside of the timetable; False where it waits for its turn already."""
        with self._guard:
            if self._worker.is_queued(job):
                return False
            now = self._clock.now()
            try:
                job_runs.queue_run(self._db, job, now, now)
            except StoreError as error:
                return self._keep_for_later(job, now, error)
            self._worker.put(Run(job, now))
            return True

    def look(self) -> None:
        """Between ticks: do again what the database did not let through."""
        if not self._caught_up:
            self.begin()
        elif self._set_back:
            self._leave_future()
        with self._guard:
            waiting = dict(self._unasked)
            self._unasked.clear()
        for job, slot in waiting.items():
            self.ask(job, slot)

    def set_back(self) -> None:
        """The clock was set back: the next `look` takes away what was made of times to come."""
        self._set_back = True

    def begin(self) -> None:
        """At a start: catch up, now or as soon as the database can be written."""
        try:
            self.catch_up()
        except StoreError as error:
            _log.error("what was missed waits for the database: %s", error)

    def catch_up(self) -> list[Run]:
        """At a start: run once, late, each job that was missed; the runs that were asked for.

        Older slots that were missed are kept as skipped. At the very first start nothing was
        missed. A run that an earlier life left open is run again, MOST_TRIES times at most. Raises
        StoreError.
        """
        now = self._clock.now()
        with self._guard:
            with self._db.immediate():
                since = self._since(now)
                self._forget_future(min(since.values()), now)
                left = self._left_open()
                runs = [
                    self._catch_up(entry, since[entry.job], left.get(entry.job, []), now)
                    for entry in TIMETABLE
                ]
            self._caught_up = True
            found = sorted((run for run in runs if run), key=lambda run: run.slot)
            for run in found:
                _log.info("%s, due %s, runs now %s", run.job, _minute(run.slot), run.late)
                self._worker.put(run)
            return found

    def skips_in_a_row(self, job: str) -> int:
        """How many slots were skipped since the last one that was run, for its run had not ended."""
        return self._skips.get(job, 0)

    def tell_hung(self, run: Run) -> None:
        """Tell, once, that a run is past its deadline. Raises StoreError."""
        detail = self._say("jobs.hung", job=run.job, at=_minute(run.slot))
        self._tell(f"job_hung/{run.job}", detail, self._say("jobs.hung_cure"))

    def _leave_future(self) -> None:
        now = self._clock.now()
        try:
            with self._guard, self._db.immediate():
                self._forget_future(min(self._since(now).values()), now)
            self._set_back = False
        except StoreError as error:
            _log.error("runs of times to come wait for the database: %s", error)

    def _forget_future(self, first_start: datetime, now: datetime) -> None:
        """Runs and reports of slots that are still to come; a clock was ahead when they were made.

        A clock that is before the very first start is itself the wrong one: nothing is touched.
        """
        if now < first_start:
            return
        beyond = now + RAN_FOR_GOOD
        gone = job_runs.forget_future(self._db, now, done_beyond=beyond)
        moved = reports.move_from_future(self._db, now, beyond)
        if gone or moved:
            _log.warning(
                "the clock was ahead: %s runs of times to come do not count, %s reports are kept as "
                "of the time before",
                gone,
                moved,
            )

    def _place(self, job: str, slot: datetime) -> Run | None:
        """Write what becomes of a slot; the run, or None where there is none."""
        now = self._clock.now()
        with self._db.immediate():
            last = job_runs.last_run(self._db, job, slot)
            if last is not None and last.slot == slot:
                return None
            after = last.slot if last else self._since(now)[job]
            self._pass_over(job, self._missed(job, after, slot)[:-1], "jobs.passed_over_asleep")
            if self._worker.is_busy_with(job):
                self._skip(job, slot)
                return None
            late = self._late(slot, now, "jobs.late_asleep")
            job_runs.queue_run(self._db, job, slot, now, late=bool(late))
            self._say_that_it_runs(job)
        return Run(job, slot, late)

    def _catch_up(
        self, entry: Entry, since: datetime, left: Sequence[JobRun], now: datetime
    ) -> Run | None:
        job = entry.job
        last = job_runs.last_run(self._db, job, now)
        missed = self._missed(job, last.slot if last else since, now)
        if missed:
            self._close(left)
            self._pass_over(job, missed[:-1], "jobs.passed_over_down")
            late = self._late(missed[-1], now, "jobs.late_down")
            job_runs.queue_run(self._db, job, missed[-1], now, late=bool(late))
            return Run(job, missed[-1], late)
        if not left or not entry.catches_up:
            self._close(left)
            return None
        self._close(left[:-1])
        return self._again(left[-1], now)

    def _again(self, row: JobRun, now: datetime) -> Run | None:
        """Go on with what an earlier life left open, unless it was that which ended it."""
        if row.tries >= MOST_TRIES:
            detail = self._say("jobs.given_up", job=row.job, at=_minute(row.slot), tries=row.tries)
            job_runs.end_run(self._db, row.job, row.slot, "failed", detail, now)
            self._tell(f"job_hung/{row.job}", detail, "")
            return None
        late = self._late(row.slot, now, "jobs.late_cut" if row.tries else "jobs.late_down")
        job_runs.queue_again(self._db, row.job, row.slot, late=bool(late))
        return Run(row.job, row.slot, late)

    def _close(self, left: Sequence[JobRun]) -> None:
        now = self._clock.now()
        for row in left:
            if row.state == "queued":
                reason = self._say("jobs.not_begun")
                job_runs.skip_run(self._db, row.job, row.slot, reason, now)
            else:
                reason = self._say("jobs.cut_off")
                job_runs.end_run(self._db, row.job, row.slot, "failed", reason, now)

    def _missed(self, job: str, after: datetime, until: datetime) -> list[datetime]:
        """The slots later than `after`, `until` included; none of a job that does not catch up."""
        if not _ENTRIES[job].catches_up:
            return []
        return list(self._schedule.slots(job, max(after, until - LOOK_BACK), until))

    def _pass_over(self, job: str, slots: Sequence[datetime], why: str) -> None:
        now = self._clock.now()
        for slot in slots:
            job_runs.skip_run(self._db, job, slot, self._say(why), now)

    def _skip(self, job: str, slot: datetime) -> None:
        at = self._worker.going_on()
        key = "jobs.skipped_behind" if at and at != job else "jobs.skipped"
        behind = {"other": at} if key == "jobs.skipped_behind" else {}
        job_runs.skip_run(self._db, job, slot, self._say(key, **behind), self._clock.now())
        skips = self._skips.get(job, 0) + 1
        if skips >= ALERT_AT_SKIPS:
            detail = self._say(
                "jobs.skipped_again", job=job, count=skips, reason=self._say(key, **behind)
            )
            self._tell(f"job_skipped/{job}", detail, self._say("jobs.skipped_cure"))
        self._skips[job] = skips

    def _say_that_it_runs(self, job: str) -> None:
        self._skips.pop(job, None)
        for cause in ("job_skipped", "job_hung"):
            now = self._clock.now()
            incidents.recovered(self._db, f"{cause}/{job}", now, voice=self._voice)

    def _tell(self, cause: str, detail: str, cure: str) -> None:
        """Once: repeats until the job runs again are the same incident."""
        incident = incidents.note(
            self._db,
            cause=cause,
            detail=detail,
            cure=cure,
            place="job",
            now=self._clock.now(),
            channels=self._voice.channels,
        )
        if incident.is_new:
            _log.error("%s", detail)

    def _late(self, slot: datetime, now: datetime, why: str) -> str:
        return self._say(why, at=_minute(slot)) if now - slot > _ON_TIME else ""

    def _left_open(self) -> Mapping[str, list[JobRun]]:
        left: dict[str, list[JobRun]] = {}
        for row in job_runs.list_open(self._db):
            if not self._worker.is_busy_with(row.job):  # else it is a run of this life
                left.setdefault(row.job, []).append(row)
        return left

    def _since(self, now: datetime) -> Mapping[str, datetime]:
        """From when on each job's slots count: the first start that knew the job."""
        kept = control.get(self._db, _SINCE) or {}
        if set(kept) >= set(_ENTRIES):
            return {job: from_text(text) for job, text in kept.items()}
        whole = {job: to_text(now) for job in _ENTRIES} | kept
        control.put(self._db, _SINCE, whole, now)
        return {job: from_text(text) for job, text in whole.items()}

    def _keep_for_later(self, job: str, slot: datetime, error: StoreError) -> bool:
        self._unasked[job] = slot
        _log.error("%s, due %s, waits for the database: %s", job, _minute(slot), error)
        return False


def _minute(slot: datetime) -> str:
    return f"{slot:%Y-%m-%d %H:%M}"
