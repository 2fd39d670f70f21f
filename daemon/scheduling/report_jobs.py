"""The jobs that write reports, in straight lines. Each is keyed by its slot and may be run again."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import cast

from daemon.bootstrap import Services
from daemon.errors import WorkspaceInvalid
from daemon.governance.retries import LONGEST_ASKED_WAIT_SECONDS
from daemon.notify import message
from daemon.reports.consolidation import write_consolidation
from daemon.reports.daily import NOBODY_ASKED, write_daily
from daemon.reports.daily_narrating import narrate_daily
from daemon.reports.day_close import write_day_close
from daemon.reports.day_figures import take_daily
from daemon.reports.digest import keep_digest, prepare_digest
from daemon.reports.files import ReportUnwritable, keep_files
from daemon.reports.narrating import narrate
from daemon.reports.post import post_report
from daemon.reports.review import Narration, Review, keep_review, take_review
from daemon.reports.review_text import write_review
from daemon.reports.silence import write_silence
from daemon.reports.written import Written
from daemon.scheduling.run import Job, Run
from daemon.sprint.consolidating import consolidate_memory, document_bytes
from daemon.sprint.merge_order import MOST_CALLS
from daemon.sprint.runner import current_board
from daemon.store.reports import ReportKind, find_report
from daemon.workspace.board import Board
from daemon.workspace.definitions import Workspace

_log = logging.getLogger(__name__)


class ReportJobs:
    """`post` hands a text to whoever watches. Only the daily report, the review and the
    consolidation ask a model; only the consolidation changes files of the workspace.

    A report is kept, and on its way to every configured channel, before anybody sees it here: one
    that was kept and maybe not seen is shown again when its slot is run again.
    """

    def __init__(self, services: Services, post: Callable[[str], None]) -> None:
        self._services = services
        self._say = services.phrases.text
        self._address = services.config.web.page_address
        self._post = post

    def by_name(self) -> Mapping[str, Job]:
        seconds = 60.0 * self._services.config.jobs.deadline_minutes
        works: dict[str, Callable[[Run], str]] = {
            "digest": self._filed(self.digest),
            "approvals": self.approvals,
            "day_close": self.day_close,
            "silence": self.silence,
        }
        jobs = {name: Job(work, seconds) for name, work in works.items()}
        section = self._services.config.provider
        calls = MOST_CALLS * section.call_deadline_seconds
        waits = (section.max_tries - 1) * LONGEST_ASKED_WAIT_SECONDS
        words = section.max_tries * section.call_deadline_seconds + waits
        jobs |= {
            "review": Job(self._filed(self.review), seconds + words),
            "daily": Job(self._filed(self.daily), seconds + words),
        }
        merging = Job(
            self._filed(self.consolidation), seconds + calls, changes_files=True, quiet=False
        )
        return jobs | {"consolidation": merging}

    def digest(self, run: Run) -> str:
        """Say what happened since the last digest; silent where nothing did."""
        services = self._services
        if find_report(services.db, "digest", run.slot):
            return self._repeat(run)
        digest = prepare_digest(
            services.db, services.budget.today(), services.phrases, self._address
        )
        if digest is None:
            return self._say("jobs.digest_quiet")
        with services.db.immediate():
            keep_digest(services.db, digest, services.clock.now())
            facts = {"last_event": digest.last_event}
            body = self._keep(run, Written(digest.text, facts, digest.parts, digest.title))
        return self._show(body)

    def daily(self, run: Run) -> str:
        """The day before in figures; a model may sum it up, and is asked once a slot."""
        services = self._services
        if find_report(services.db, "daily", run.slot):
            return self._repeat(run)
        found = take_daily(services.db, run.slot, services.clock.now(), self._board())
        told, language = NOBODY_ASKED, services.config.daemon.language
        if services.sprint_parts.config.reports.summary_by_model:
            told = narrate_daily(services.metered, services.db, found, language=language)
        return self._publish(run, write_daily(found, services.phrases, self._address, told))

    def review(self, run: Run) -> str:
        """Judge the kill criteria, let a model put it in words, keep both in the history."""
        services, workspace = self._services, self._workspace()
        if find_report(services.db, "review", run.slot):
            return self._repeat(run)
        if workspace is None:
            return self._publish(run, self._no_workspace())
        found, told = review_criteria(services, workspace, run.slot)
        with services.db.immediate():
            keep_review(services.db, found, told, services.clock.now())
            body = self._keep(run, write_review(found, services.phrases, told))
        return self._show(body)

    def consolidation(self, run: Run) -> str:
        """Merge the notes, then say what became of them; a slot that was told of is not run again."""
        services = self._services
        if find_report(services.db, "consolidation", run.slot):
            return self._repeat(run)
        if self._workspace() is None:
            return self._publish(run, self._no_workspace())
        services.worker_heartbeat.expect(60.0 * services.config.jobs.deadline_minutes)
        done = consolidate_memory(services.sprint_parts)
        ceiling = document_bytes(services.config)
        written = write_consolidation(
            run.slot, done.merged, ceiling, done.remarks, services.phrases
        )
        return self._publish(run, written)

    def approvals(self, _run: Run) -> str:
        """Nobody's answer is a no; half the time is a reminder; what was approved is carried out."""
        approvals = self._services.approvals
        expired, reminded = len(approvals.expire_due()), approvals.remind()
        done, waiting = approvals.execute_left(), len(approvals.list_waiting())
        if not any((expired, reminded, done, waiting)):
            return self._say("jobs.approvals_none")
        return self._say(
            "jobs.approvals", waiting=waiting, expired=expired, reminded=reminded, done=done
        )

    def day_close(self, run: Run) -> str:
        """A day without a call is closed in the store only; it is no news to anybody."""
        services = self._services
        written = write_day_close(services.db, run.slot, services.phrases)
        if written.facts["calls"]:
            return self._publish(run, written)
        self._keep(run, written, channels=())
        return self._say("jobs.stored")

    def silence(self, run: Run) -> str:
        services, counts = self._services, self._counts()
        now = services.clock.now()
        written = write_silence(services.db, run.slot, now, counts, services.phrases)
        return self._publish(run, written) if written else self._say("jobs.quiet_ended")

    def _filed(self, work: Callable[[Run], str]) -> Callable[[Run], str]:
        """The same work; then its report, and any that is missing, stands in state/reports.

        A file that cannot be written is told of in the run's note: the report itself is kept.
        """

        def working(run: Run) -> str:
            note, services = work(run), self._services
            days = services.sprint_parts.config.reports.keep_days
            try:
                keep_files(services.db, services.state_dir, days, services.clock.now())
            except ReportUnwritable as error:
                _log.warning("%s", error)
                return self._say("jobs.not_filed", note=note, why=error)
            return note

        return working

    def _publish(self, run: Run, written: Written) -> str:
        return self._show(self._keep(run, written))

    def _keep(self, run: Run, written: Written, *, channels: tuple[str, ...] | None = None) -> str:
        """Keep the report of a run once; the text to show, which is the first one that was kept."""
        services, kind = self._services, _kind_of(run.job)
        if run.late:
            late = [message.small(run.late)] if written.parts else []
            parts = (*written.parts, *late)
            written = replace(written, body=f"{written.body}\n({run.late})", parts=parts)
        facts = {**written.facts, "late": bool(run.late)}
        with services.db.immediate():
            earlier = find_report(services.db, kind, run.slot)
            if earlier is not None:
                return earlier.body
            post_report(
                services.db,
                kind=kind,
                slot=run.slot,
                written=replace(written, facts=facts),
                now=services.clock.now(),
                channels=services.channels if channels is None else channels,
            )
        return written.body

    def _repeat(self, run: Run) -> str:
        """Show what an earlier try kept; it may have died before anybody saw it."""
        kept = find_report(self._services.db, _kind_of(run.job), run.slot)
        self._post(kept.body if kept else "")
        return self._say("jobs.posted_before")

    def _show(self, body: str) -> str:
        self._post(body)
        return self._say("jobs.posted")

    def _workspace(self) -> Workspace | None:
        """As people last wrote it without faults; None where it was never sound."""
        source = self._services.source
        if source.latest is None:  # a job that was missed comes before the first tick
            with suppress(WorkspaceInvalid):
                source.load()
        return source.latest

    def _board(self) -> Board | None:
        workspace = self._workspace()
        return current_board(self._services.sprint_parts, workspace) if workspace else None

    def _counts(self) -> Mapping[str, int]:
        board = self._board()
        return {} if board is None else {str(k): n for k, n in board.counts().items()}

    def _no_workspace(self) -> Written:
        faults = self._services.source.faults
        fault = str(faults[0]) if faults else "?"
        return Written(self._say("jobs.no_workspace", fault=fault), {"fault": fault})


def review_criteria(
    services: Services, workspace: Workspace, slot: datetime
) -> tuple[Review, Narration]:
    """The verdicts as of now, and a model's words where one is to be asked; keeps nothing."""
    board = current_board(services.sprint_parts, workspace)
    found = take_review(services.root, services.db, workspace.criteria, board, slot)
    by_model = services.sprint_parts.config.reports.summary_by_model
    language = services.config.daemon.language
    return found, narrate(services.metered, found, language=language, by_model=by_model)


def _kind_of(job: str) -> ReportKind:
    """The jobs of this file are named as their reports are."""
    return cast("ReportKind", job)
