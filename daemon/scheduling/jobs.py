"""What the jobs do, in straight lines. They run in the worker's thread, one after the other."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import datetime

from daemon.bootstrap import Services
from daemon.clock import end_of_day
from daemon.config.sections import Config
from daemon.errors import Fault, StoreError
from daemon.governance import recovery
from daemon.governance.retries import LONGEST_ASKED_WAIT_SECONDS
from daemon.governance.states import DaemonState, current_state, enter_state
from daemon.scheduling.report_jobs import ReportJobs
from daemon.scheduling.run import Job, Run
from daemon.sprint.runner import SprintEnd, current_board, recover, run_sprint
from daemon.store import events
from daemon.workspace.definitions import Workspace

_LOOK_SECONDS = 10.0
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
        self._next_sprint_at = next_sprint_at
        self._first = True
        self._orderly = False  # something may be left open, of an earlier life or of this one
        self._faults: tuple[Fault, ...] = ()
        self._looked: float | None = None

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What is wrong with the workspace's files, as last looked at; reads nothing."""
        return self._faults

    def by_name(self) -> Mapping[str, Job]:
        seconds = sprint_deadline_seconds(self._services.config)
        sprint = Job(lambda _run: self.sprint(), seconds, changes_files=True, quiet=False)
        return {"sprint": sprint, **self._reports.by_name()}

    def sprint(self) -> str:
        """One tick: finish what was left open, and sprint if that is allowed and there is work.

        Asks no model and opens no sprint while halted, while the day's money is spent, and where no
        item is eligible. An error that nobody expected counts as a failed sprint. What came of it.
        """
        try:
            end = self._tick()
        except StoreError:
            raise  # nothing can be counted; the next tick tries again
        except Exception as error:
            self._count_failure(error)
            raise
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
        self._services.probe.check()
        moment = self._services.clock.monotonic()
        if self._looked is None or moment - self._looked >= _LOOK_SECONDS:
            self._looked = moment
            self._look_at_files()

    def report(self, job: str, error: Exception) -> None:
        """Log the error of a job, and keep it for page and digest where that is possible."""
        services = self._services
        if isinstance(error, StoreError):
            services.probe.note(error)
            _log.error("the job %s stopped: %s", job, error)
            return
        _log.error("the job %s failed", job, exc_info=error)
        reason = f"the job {job} failed: {type(error).__name__}: {error}"
        events.record(services.db, "alert", services.clock.now(), facts={"reason": reason})

    def _what_came_of_it(self, end: SprintEnd | None) -> str:
        say, state = self._services.phrases.text, current_state(self._services.db)
        if end is None:
            return say("jobs.not_run", reason=state.reason if state else "?")
        return say("jobs.sprinted", id=end.sprint_id, state=say(f"page.sprint_{end.state}"))

    def _tick(self) -> SprintEnd | None:
        """How the sprint of this tick ended, or None where there was none."""
        services, say = self._services, self._services.phrases.text
        workspace = self._look_at_files()
        if workspace is None:
            self._rest(say("tick.faults", fault=self._faults[0]))
            return None
        self._finish_what_was_left()
        if _is_held(current_state(services.db), services.clock.now()):
            return None
        if not current_board(services.sprint_parts, workspace).eligible:
            self._rest(say("tick.nothing_eligible"))
            return None
        enter_state(services.db, "working", say("tick.sprint_runs"), services.clock.now())
        self._orderly = False
        end = run_sprint(services.sprint_parts)
        self._orderly = True
        self._settle(end)
        return end

    def _finish_what_was_left(self) -> None:
        """What an earlier life left open, or a sprint of this one that ended with an error."""
        if self._orderly:
            return
        for line in recover(self._services.sprint_parts):
            _log.warning("recovered: %s", line)
        # This leaves a pause too: the cap may have been raised, and the budget gate decides anyway.
        self._rest(self._services.phrases.text("tick.ready"))
        self._orderly = True

    def _settle(self, end: SprintEnd) -> None:
        """The state that follows from a sprint's end."""
        services = self._services
        now = services.clock.now()
        if end.state == "paused_budget":
            enter_state(services.db, end.state, end.reason, now, until=end_of_day(now))
        else:
            self._rest(end.reason, until=self._next_sprint_at())
        state = current_state(services.db)
        if state and state.name == "halted":
            _log.error("halted: %s", state.reason)

    def _rest(self, reason: str, *, until: datetime | None = None) -> None:
        """Idle, unless a person has to reset first: `enter_state` keeps a halted state."""
        now = self._services.clock.now()
        enter_state(self._services.db, "idle", reason, now, until=until)

    def _count_failure(self, error: Exception) -> None:
        services = self._services
        limit = services.config.sprint.failures_before_diagnosis
        reason, now = f"{type(error).__name__}: {error}", services.clock.now()
        recovery.record_outcome(services.db, "failed", reason, now, limit=limit)
        self._rest(reason, until=self._next_sprint_at())

    def _look_at_files(self) -> Workspace | None:
        """Read again what people edited; new faults are told once.

        The workspace to go on with (the last good one), or None where something was never good.
        """
        services, parts = self._services, self._services.sprint_parts
        found = services.look_again()
        if found and found != self._faults:
            reason = f"{len(found)}: {found[0]}"
            _log.error("the workspace has faults, %s", reason)
            facts = {"reason": reason, "faults": [str(fault) for fault in found[:20]]}
            events.record(services.db, "workspace_faults", services.clock.now(), facts=facts)
        self._faults = found
        whole = parts.map.latest is not None and parts.rules.latest is not None
        return services.source.latest if whole else None


def sprint_deadline_seconds(config: Config) -> float:
    """The longest that a sprint can take in order: each call with its tries and waits, and slack.

    Every call ends by the provider's own deadline, so a sprint beyond this hangs in something else.
    """
    section = config.provider
    waits = (section.max_tries - 1) * LONGEST_ASKED_WAIT_SECONDS
    call = section.max_tries * section.call_deadline_seconds + waits
    return (_PLANNING_CALLS + config.sprint.tracks) * call + 60.0 * config.jobs.deadline_minutes


def _is_held(state: DaemonState | None, now: datetime) -> bool:
    """Whether the daemon may not sprint: halted, or out of money until the day ends.

    The end of the day is compared with today's, so that a clock that was set back does not prolong
    a pause.
    """
    if state is None or state.name != "paused_budget":
        return state is not None and state.name == "halted"
    return state.until is not None and now < state.until <= end_of_day(now)
