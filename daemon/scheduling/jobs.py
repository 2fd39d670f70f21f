"""What the jobs do, in straight lines. They run in the worker's thread, one after the other."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime

from daemon.bootstrap import Services
from daemon.config.sections import Config
from daemon.errors import Fault, StoreError
from daemon.governance import incidents
from daemon.governance.known_causes import explain_cause, incident_name, message_of
from daemon.governance.retries import LONGEST_ASKED_WAIT_SECONDS
from daemon.governance.states import current_state
from daemon.scheduling.file_watch import FileWatch
from daemon.scheduling.report_jobs import ReportJobs
from daemon.scheduling.run import Job, Run
from daemon.scheduling.store_watch import StoreWatch
from daemon.scheduling.syncing import sync_notion
from daemon.scheduling.tick import Tick
from daemon.sprint.runner import SprintEnd

_JOB_FAILED = "job_failed"
_PLANNING_CALLS = 2  # the plan, and once more with its faults
_log = logging.getLogger(__name__)


class Jobs:
    """The jobs of one life of the daemon.

    `post` hands a message to whoever watches; `next_sprint_at` tells when the next sprint is due,
    or None where that is not known.
    """

    def __init__(
        self,
        services: Services,
        *,
        post: Callable[[str], None],
        next_sprint_at: Callable[[], datetime | None],
    ) -> None:
        self._services = services
        self._reports = ReportJobs(services, post)
        self._files = FileWatch(services)
        self._store = StoreWatch(services)
        self._tick = Tick(services, self._files, post=post, next_sprint_at=next_sprint_at)
        self._first = True

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What is wrong with the workspace's files, as last looked at; reads nothing."""
        return self._files.faults

    def by_name(self) -> Mapping[str, Job]:
        seconds = sprint_deadline_seconds(self._services.config)
        sprint = Job(lambda _run: self.sprint(), seconds, changes_files=True, quiet=False)
        reports = self._reports.by_name()
        return {"sprint": sprint} | {
            name: self._healing(name, job) for name, job in reports.items()
        }

    def sprint(self) -> str:
        """One tick: finish what was left open, and sprint if that is allowed and there is work.

        Asks no model and opens no sprint while halted, while the day's money is spent, and where no
        item is eligible. An error that nobody expected counts as a failed sprint. What came of it.
        """
        try:
            end = self._tick.run()
        except StoreError:
            raise  # nothing can be counted; the next tick tries again
        except Exception as error:
            self._tick.count_failure(error)
            raise
        sync_notion(
            self._services
        )  # also without a sprint: people edit the backlog and unblock items
        if end and self._first:
            self._first = False
            if self._services.config.digest.after_first_sprint:
                self.digest()
        return self._what_came_of_it(end)

    def digest(self) -> str:
        """Say at once, outside of its time, what happened since the last digest."""
        return self._reports.digest(Run("digest", self._services.clock.now()))

    def idle(self) -> None:
        """Between jobs: see whether the database can be written and what became of the files."""
        self._store.check()
        self._files.look_now_and_then()

    def report(self, job: str, error: Exception) -> None:
        """Log the error of a job, and keep it for page and digest where that is possible.

        Repeats are one incident, which ends with the first run of that job that goes well.
        """
        services = self._services
        if isinstance(error, StoreError):
            self._store.met(error)
            _log.error("the job %s stopped: %s", job, error)
            return
        _log.error("the job %s failed", job, exc_info=error)
        if job == "sprint":
            return  # the tick has counted it
        incidents.note(
            services.db,
            cause=f"{_JOB_FAILED}/{job}",
            detail=services.phrases.text("jobs.failed", job=job, error=message_of(error)),
            cure=explain_cause(incident_name(error), services.phrases)[1],
            place="job",
            now=services.clock.now(),
            channels=services.sprint_parts.voice.channels,
        )

    def _healing(self, name: str, job: Job) -> Job:
        """The same job, which ends its incident when it goes well."""
        services = self._services

        def work(run: Run) -> str:
            note = job.work(run)
            voice = services.sprint_parts.voice
            cause = f"{_JOB_FAILED}/{name}"
            incidents.recovered(services.db, cause, services.clock.now(), voice=voice)
            return note

        return replace(job, work=work)

    def _what_came_of_it(self, end: SprintEnd | None) -> str:
        say, state = self._services.phrases.text, current_state(self._services.db)
        if end is None:
            return say("jobs.not_run", reason=state.reason if state else "?")
        return say("jobs.sprinted", id=end.sprint_id, state=say(f"page.sprint_{end.state}"))


def sprint_deadline_seconds(config: Config) -> float:
    """The longest that a sprint can take in order: each call with its tries and waits, and slack.

    Every call ends by the provider's own deadline, so a sprint beyond this hangs in something else.
    """
    section = config.provider
    waits = (section.max_tries - 1) * LONGEST_ASKED_WAIT_SECONDS
    call = section.max_tries * section.call_deadline_seconds + waits
    return (_PLANNING_CALLS + config.sprint.tracks) * call + 60.0 * config.jobs.deadline_minutes
