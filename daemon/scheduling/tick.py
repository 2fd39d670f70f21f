"""One tick of the sprint job: whether to sprint, to diagnose or to rest, and what state follows."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from daemon.bootstrap import Services
from daemon.clock import end_of_day
from daemon.governance import incidents, outage, recovery
from daemon.governance.gate import rate_limit
from daemon.governance.known_causes import Trouble, message_of
from daemon.governance.questions import ask_for_money
from daemon.governance.states import DaemonState, current_state, enter_state
from daemon.reports.post import post_report
from daemon.reports.written import Written
from daemon.scheduling.file_watch import FileWatch
from daemon.sprint.diagnostic import Diagnosis, run_diagnosis
from daemon.sprint.runner import SprintEnd, current_board, missing_price, recover, run_sprint
from daemon.workspace.definitions import Workspace

_log = logging.getLogger(__name__)


class Tick:
    """The ticks of one life. `post` shows a text to whoever watches.

    `next_sprint_at` tells when the next tick is due, or None where that is not known.
    """

    def __init__(
        self,
        services: Services,
        files: FileWatch,
        *,
        post: Callable[[str], None],
        next_sprint_at: Callable[[], datetime | None],
    ) -> None:
        self._services = services
        self._files = files
        self._post = post
        self._next_sprint_at = next_sprint_at
        self._orderly = False  # something may be left open, of an earlier life or of this one

    def run(self) -> SprintEnd | None:
        """How the sprint of this tick ended, or None where there was none.

        1. Take up what people edited; without a workspace that was ever good, rest.
        2. Finish what was left open.
        3. Halted, paused, told to wait, between the tries of an outage: do nothing. The breaker is
           open: diagnose.
        4. Nothing eligible, a model without a price, a policy or a ledger that lets nothing be done: rest,
           and open no sprint.
        5. Sprint; enter the state that follows; diagnose at once if it opened the breaker.
        """
        services, say = self._services, self._services.phrases.text
        workspace = self._files.look()
        if workspace is None:
            self._rest(say("tick.faults", fault=self._files.faults[0]))
            return None
        self._finish_what_was_left()
        if self._is_held() or self._diagnose_if_open() or not self._has_work(workspace):
            return None
        trial = recovery.breaker_phase(services.db) == "half_open"
        reason = say("tick.trial_runs" if trial else "tick.sprint_runs")
        enter_state(services.db, "working", reason, services.clock.now())
        self._orderly = False
        end = run_sprint(services.sprint_parts)
        self._orderly = True
        self._settle(end)
        self._diagnose_if_open()
        return end

    def count_failure(self, error: Exception) -> None:
        """An error that nobody expected is a failed sprint. Raises StoreError."""
        services, now = self._services, self._services.clock.now()
        limit = services.config.sprint.failures_before_diagnosis
        voice, reason = services.sprint_parts.voice, message_of(error)
        with services.db.immediate():
            incidents.note_error(services.db, error, voice, place="sprint", now=now)
            recovery.record_outcome(services.db, "failed", reason, now, limit=limit, voice=voice)
        self._rest(reason, until=self._next_sprint_at())

    def _finish_what_was_left(self) -> None:
        """What an earlier life left open, or a sprint of this one that ended with an error."""
        if self._orderly:
            return
        for line in recover(self._services.sprint_parts):
            _log.warning("recovered: %s", line)
        self._services.approvals.execute_left()
        # This leaves a pause too: the cap may have been raised, and the budget gate decides anyway.
        self._rest(self._services.phrases.text("tick.ready"))
        self._orderly = True

    def _is_held(self) -> bool:
        """Whether no call may be made: halted, out of money, or told by the service to wait."""
        db, now = self._services.db, self._services.clock.now()
        state = current_state(db)
        if state is not None and (state.name == "halted" or _is_paused(state, now)):
            return True
        if state is not None and state.name == "paused_budget":
            self._rest(self._services.phrases.text("tick.ready"))  # the day is over
        limit = rate_limit(db, now)
        if limit is not None:
            self._rest(limit.reason, until=limit.until)
        return limit is not None or self._waits_for_outage()

    def _waits_for_outage(self) -> bool:
        services = self._services
        interval = timedelta(minutes=services.config.sprint.interval_minutes)
        found = outage.waited_for(services.db, services.clock.now(), interval=interval)
        if found is not None:
            at = f"{found.until:%H:%M}"
            reason = services.phrases.text("tick.outage", reason=found.reason.rstrip("."), at=at)
            self._rest(reason, until=found.until)
        return found is not None

    def _has_work(self, workspace: Workspace) -> bool:
        parts, say = self._services.sprint_parts, self._services.phrases.text
        if not current_board(parts, workspace).eligible:
            self._rest(say("tick.nothing_eligible"))
            return False
        trouble = parts.actions.trouble() or missing_price(parts, workspace)
        if trouble is not None:
            self._note(trouble)
            self._rest(say("tick.held", reason=message_of(trouble)))
        return trouble is None

    def _diagnose_if_open(self) -> bool:
        """The one diagnostic sprint of an open breaker; True where the breaker was open."""
        services = self._services
        if recovery.breaker_phase(services.db) != "open":
            return False
        self._orderly = False
        written = run_diagnosis(services.sprint_parts, self._post_diagnosis)
        self._orderly = True
        if written:
            self._rest(services.phrases.text("diagnosis.written"), until=self._next_sprint_at())
        self._log_halt()
        return True

    def _post_diagnosis(self, diagnosis: Diagnosis) -> None:
        services = self._services
        is_new = post_report(
            services.db,
            kind="diagnosis",
            slot=diagnosis.slot,
            written=Written(diagnosis.body, diagnosis.facts),
            now=services.clock.now(),
            channels=services.channels,
        )
        if is_new:
            self._post(diagnosis.body)

    def _settle(self, end: SprintEnd) -> None:
        """The state that follows from a sprint's end."""
        services = self._services
        now = services.clock.now()
        limit = rate_limit(services.db, now)
        if end.state == "paused_budget":
            enter_state(services.db, end.state, end.reason, now, until=end_of_day(now))
            day, voice = services.budget.today(), services.sprint_parts.voice
            ask_for_money(services.db, services.approvals, day, end.reason, voice)
        else:
            until = limit.until if limit else self._next_sprint_at()
            self._rest(limit.reason if limit else end.reason, until=until)
            self._waits_for_outage()
        self._log_halt()

    def _rest(self, reason: str, *, until: datetime | None = None) -> None:
        """Idle, unless a person has to reset first: `enter_state` keeps a halted state."""
        now = self._services.clock.now()
        enter_state(self._services.db, "idle", reason, now, until=until)

    def _note(self, trouble: Trouble) -> None:
        """Told once; repeats are counted until a sprint is completed."""
        services = self._services
        voice, now = services.sprint_parts.voice, services.clock.now()
        found = incidents.note_error(services.db, trouble, voice, place="sprint", now=now)
        if found.is_new:  # where no channel is configured, the journal is all that tells at once
            _log.error("held: %s", message_of(trouble))

    def _log_halt(self) -> None:
        state = current_state(self._services.db)
        if state and state.name == "halted":
            _log.error("halted: %s", state.reason)


def _is_paused(state: DaemonState, now: datetime) -> bool:
    """Whether the day's money is spent.

    The end of the day is compared with today's, so that a clock that was set back does not prolong
    a pause.
    """
    if state.name != "paused_budget" or state.until is None:
        return False
    return now < state.until <= end_of_day(now)
