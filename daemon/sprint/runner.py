"""One sprint, from opening to closing."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial

from daemon.config.log_lines import log_ids
from daemon.errors import ProviderError, ProviderPermanent, SprintdError, WorkspaceInvalid
from daemon.governance import incidents, outage, recovery
from daemon.governance.budget import Refusal
from daemon.governance.gate import rate_limit
from daemon.governance.known_causes import Place, Trouble, classify, incident_name, message_of
from daemon.knowledge.unit import Manifest
from daemon.memory.opening import Unreadable
from daemon.memory.writing import MemoryUnwritable
from daemon.sprint import attempt
from daemon.sprint.beforehand import context_for, current_board, missing_notes, missing_price
from daemon.sprint.consolidating import recover_memory
from daemon.sprint.judge import JudgeMissing, wants_judge
from daemon.sprint.orchestrator import Backdrop, SprintPlan, plan_by_rules, plan_sprint
from daemon.sprint.outcome import AssignmentEnd, SprintEnd, end_by_trouble, end_by_work
from daemon.sprint.parts import SprintParts
from daemon.sprint.steps import Steps
from daemon.store import attempts, errors, events, findings, sprints
from daemon.store.attempts import AttemptRow
from daemon.workspace.definitions import Workspace

__all__ = [
    "SprintEnd",
    "context_for",
    "current_board",
    "look_ahead",
    "missing_price",
    "recover",
    "run_sprint",
]


def run_sprint(parts: SprintParts, *, focus: str | None = None) -> SprintEnd:
    """One sprint. What each step came to is kept before the next one begins (steps.py).

    1. Open the sprint row; judge answers that a broken sprint left unjudged (they are paid for);
       load the workspace and what is eligible in it.
    2. Plan: choose the assignments; a refusal by the budget ends the sprint here.
    3. For each assignment, one after the other: context, attempt, verdict, commit (attempt.py).
    4. Close the sprint.
    5. Tell the circuit breaker how it ended.

    Raises StoreError where not even the closing could be written; the start-up sweep closes the row.
    """
    sprint_id = sprints.open_sprint(parts.db, "REGULAR", focus, parts.clock.now())
    with log_ids(sprint=sprint_id):
        steps = Steps(parts, sprint_id)
        parts.say(f"sprint {sprint_id} begins")
        parts.at("open")
        try:
            end = _plan_and_work(parts, steps, focus)
        except SprintdError as error:  # files, store, memory, a provider while planning
            end = end_by_trouble(sprint_id, error, parts.phrases)
        return steps.passed("close", lambda: _close(parts, end), lambda closed: closed.state)


def look_ahead(parts: SprintParts, *, focus: str | None = None) -> tuple[Backdrop, SprintPlan]:
    """What the next sprint would do by rules; asks no model and writes nothing."""
    backdrop = _backdrop(parts, parts.source.load())
    tracks = parts.config.sprint.tracks
    return backdrop, plan_by_rules(backdrop, parts.phrases, tracks=tracks, focus=focus)


def recover(parts: SprintParts) -> list[str]:
    """Finish what an earlier life left open; says what it did. Doing it twice changes nothing.

    Stored answers are judged, calls without an answer stay paid at their worst case, their items go
    back, unfinished sprints become `interrupted`. What a model is to judge waits for the next sprint,
    and so does a finding that cannot be written now. Raises StoreError.
    """
    said = [f"call {key} was under way: counted at its worst case"
            for key in parts.metered.recover(parts.clock.now())]  # fmt: skip
    said += parts.actions.recover() + recover_memory(parts)
    left = attempts.list_open(parts.db)
    said += [_finish_if_possible(parts, row) for row in left if not wants_judge(row)]
    reason, now = parts.phrases.text("sprint.cut_off"), parts.clock.now()
    for sprint in sprints.list_running(parts.db):
        if sprint.kind == "REGULAR":
            sprints.close_sprint(parts.db, sprint.id, "interrupted", reason, now)
            said.append(f"sprint {sprint.id} was interrupted")
    taken_up = recovery.take_up_diagnosis(parts.db, now, reason)
    return [*said, taken_up] if taken_up else said


def _finish_if_possible(parts: SprintParts, row: AttemptRow) -> str:
    """A full disk or a link in the way ends no start: the sprint meets it again, and tells of it."""
    try:
        return _finish(parts, row)[0]
    except (MemoryUnwritable, Unreadable) as error:
        return f"{row.item}: the stored answer waits: {error}"


def _finish(parts: SprintParts, row: AttemptRow) -> tuple[str, Refusal | None]:
    """What was done, as a line, and why it may not be judged or its finding not be written, if so."""
    reply = parts.metered.stored_reply(row.effect_key)
    if reply is not None:
        end = attempt.keep_and_judge(parts, row, reply)
        return f"{row.item}: the stored answer: {end.ending}", end.refusal
    reason = parts.phrases.text("sprint.answer_not_stored")
    attempts.save_failure(
        parts.db, row.id, state="interrupted", reason=reason, now=parts.clock.now()
    )
    return f"{row.item}: {reason}; the item goes back", None


def _plan_and_work(parts: SprintParts, steps: Steps, focus: str | None) -> SprintEnd:
    sprint_id, say = steps.sprint_id, parts.phrases.text
    with suppress(WorkspaceInvalid):  # so that what is left open is judged by the present policy
        parts.source.load()
    left = _judge_what_is_left(parts)
    if isinstance(left, Refusal):  # what is paid for already cannot be kept: pay for nothing more
        return end_by_trouble(sprint_id, left, parts.phrases)
    workspace = parts.source.load()
    manifest = parts.map.load()
    backdrop = _backdrop(parts, workspace, but_for=left)
    for error in left.values():
        if not backdrop.eligible:
            return end_by_trouble(sprint_id, error, parts.phrases)
        _keep_trouble(parts, sprint_id, error)
    if not backdrop.eligible:
        return SprintEnd(sprint_id, "no_work", say("sprint.nothing_eligible"))
    held = parts.actions.trouble() or missing_price(parts, workspace)
    held_up = held or missing_notes(parts, workspace, manifest, backdrop)
    if held_up:
        return end_by_trouble(sprint_id, held_up, parts.phrases)
    plan = steps.passed(
        "plan", lambda: _plan(parts, backdrop, sprint_id, focus, manifest), _told_of_plan
    )
    if isinstance(plan, Refusal):
        return end_by_trouble(sprint_id, plan, parts.phrases)
    if not plan.assignments:
        reason = say("sprint.nothing_for_focus", focus=plan.focus)
        return SprintEnd(sprint_id, "no_work", reason)
    ends = _work_all(parts, steps, workspace, manifest, plan)
    return end_by_work(sprint_id, ends, parts.phrases)


def _judge_what_is_left(parts: SprintParts) -> dict[str, JudgeMissing] | Refusal:
    """Judge the answers that wait; the items whose answers go on waiting, because there is no judge
    as long as the configuration stays as it is. They hold nothing else up."""
    waiting: dict[str, JudgeMissing] = {}
    for row in attempts.list_open(parts.db):
        try:
            line, refusal = _finish(parts, row)
        except JudgeMissing as error:
            waiting[row.item], line, refusal = error, str(error), None
        parts.say(line)
        if refusal:
            return refusal
    return waiting


def _plan(
    parts: SprintParts, backdrop: Backdrop, sprint_id: int, focus: str | None, manifest: Manifest
) -> SprintPlan | Refusal:
    plan = plan_sprint(parts, backdrop, sprint_id, focus=focus, manifest=manifest)
    if isinstance(plan, SprintPlan):
        sprints.save_plan(parts.db, sprint_id, plan.as_json())
    return plan


def _told_of_plan(plan: SprintPlan | Refusal) -> str:
    return "refused" if isinstance(plan, Refusal) else plan.planner


def _work_all(
    parts: SprintParts, steps: Steps, workspace: Workspace, manifest: Manifest, plan: SprintPlan
) -> tuple[AssignmentEnd, ...]:
    ends: list[AssignmentEnd] = []
    for track, assignment in enumerate(plan.assignments, 1):
        if parts.stop.is_set():
            break
        parts.say(f"track {track}: {assignment.agent} works on {assignment.item}")
        context = steps.passed(
            f"track/{track}/context",
            partial(context_for, parts, workspace, manifest, assignment),
            lambda chosen: {"units": len(chosen.loaded), "tokens": chosen.tokens},
        )
        with log_ids(item=assignment.item):
            end = attempt.work(parts, steps, workspace, track, assignment, context)
        parts.say(f"track {track}: {end.item} {end.ending}{': ' if end.reason else ''}{end.reason}")
        ends.append(end)
        if end.refusal or isinstance(end.error, ProviderPermanent):
            break
    return tuple(ends)


def _close(parts: SprintParts, end: SprintEnd) -> SprintEnd:
    """Write the end, count it, and stop everything where it will only fail again."""
    now, db = parts.clock.now(), parts.db
    end = _without_blame(parts, end)
    with db.immediate():
        sprints.close_sprint(db, end.sprint_id, end.state, end.reason, now)
        events.record(
            db, f"sprint_{end.state}", now, sprint_id=end.sprint_id, facts={"reason": end.reason}
        )
        if end.trouble is not None:
            _keep_trouble(parts, end.sprint_id, end.trouble)
        _halt_if_hopeless(parts, end)
        limit = parts.config.sprint.failures_before_diagnosis
        recovery.record_outcome(db, end.state, end.reason, now, limit=limit, voice=parts.voice)
        _keep_outage(parts, end)
        if end.state == "completed":
            met_again = errors.list_causes(db, end.sprint_id)
            incidents.heal(db, "sprint", now, voice=parts.voice, but_for=met_again)
    parts.actions.checkpoint()
    parts.say(f"sprint {end.sprint_id} {end.state}: {end.reason}")
    return end


def _without_blame(parts: SprintParts, end: SprintEnd) -> SprintEnd:
    """A sprint that was stopped, or that the service sent away until a later time, did not fail."""
    if end.state != "failed":
        return end
    if parts.stop.is_set():
        reason = parts.phrases.text("sprint.stopped_after", reason=end.reason)
        return replace(end, state="interrupted", reason=reason)
    if rate_limit(parts.db, parts.clock.now()) is not None:
        return replace(end, state="interrupted")
    return end


def _keep_outage(parts: SprintParts, end: SprintEnd) -> None:
    """Tries become rarer while the service takes no calls. A sprint that asked nothing says nothing."""
    now = parts.clock.now()
    if end.met_outage and not parts.stop.is_set() and rate_limit(parts.db, now) is None:
        interval = timedelta(minutes=parts.config.sprint.interval_minutes)
        outage.met(parts.db, end.reason, now, interval=interval)
    elif end.state in ("completed", "failed"):
        outage.over(parts.db)


def _keep_trouble(parts: SprintParts, sprint_id: int, trouble: Trouble) -> None:
    told_by = "halted" if isinstance(trouble, ProviderPermanent) else None
    incidents.note_error(
        parts.db, trouble, parts.voice, place=_place_of(trouble), now=parts.clock.now(),
        sprint_id=sprint_id, told_by=told_by,
    )  # fmt: skip


def _place_of(trouble: Trouble) -> Place:
    by_healer: dict[str, Place] = {"store": "store", "files": "workspace"}
    if isinstance(trouble, ProviderError):
        return "provider"
    return by_healer.get(classify(trouble).healed_by, "sprint")


def _halt_if_hopeless(parts: SprintParts, end: SprintEnd) -> None:
    """An error that stays until a person changes a setting stops all spending at once."""
    for error in (*(one.error for one in end.ends), end.trouble):
        if isinstance(error, ProviderPermanent):
            now, cause = parts.clock.now(), incident_name(error)
            recovery.halt(parts.db, message_of(error), now, voice=parts.voice, cause=cause)


def _backdrop(
    parts: SprintParts, workspace: Workspace, *, but_for: Collection[str] = ()
) -> Backdrop:
    before = [s for s in sprints.list_sprints(parts.db, 10) if s.plan]
    return Backdrop(
        workspace=workspace,
        eligible=tuple(
            item for item in current_board(parts, workspace).eligible if item.id not in but_for
        ),
        findings_by_criterion=findings.count_by_criterion(parts.db),
        last_focus=before[0].plan["focus"] if before and before[0].plan else None,
    )
