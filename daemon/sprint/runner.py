"""One sprint, from opening to closing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from daemon.clock import day_of
from daemon.errors import ProviderError, ProviderPermanent, SprintdError, WorkspaceInvalid
from daemon.governance import recovery
from daemon.governance.budget import Refusal
from daemon.knowledge.unit import Manifest
from daemon.sprint import attempt
from daemon.sprint.attempt import AssignmentEnd
from daemon.sprint.context import ContextPlan, plan_context
from daemon.sprint.orchestrator import Assignment, Backdrop, SprintPlan, plan_by_rules, plan_sprint
from daemon.sprint.parts import SprintParts
from daemon.sprint.reading import known_findings
from daemon.store import attempts, events, findings, items, sprints
from daemon.store.attempts import AttemptRow
from daemon.store.sprints import SprintState
from daemon.workspace.board import Board, read_board
from daemon.workspace.definitions import Workspace


@dataclass(frozen=True)
class SprintEnd:
    """How a sprint ended; `ends` has one entry an assignment that was begun."""

    sprint_id: int
    state: SprintState
    reason: str
    ends: tuple[AssignmentEnd, ...] = ()


def run_sprint(parts: SprintParts, *, focus: str | None = None) -> SprintEnd:
    """One sprint.

    1. Open the sprint row; judge answers that a broken sprint left unjudged (they are paid for);
       load the workspace and what is eligible in it.
    2. Plan: choose the assignments; a refusal by the budget ends the sprint here.
    3. For each assignment, one after the other: context, attempt, verdict, commit (attempt.py).
    4. Close the sprint.
    5. Tell the circuit breaker how it ended.

    Raises StoreError where not even the closing could be written: then nothing was spent that is not
    counted, and the start-up sweep closes the row.
    """
    sprint_id = sprints.open_sprint(parts.db, "REGULAR", focus, parts.clock.now())
    parts.say(f"sprint {sprint_id} begins")
    try:
        end = _plan_and_work(parts, sprint_id, focus)
    except WorkspaceInvalid as error:
        end = SprintEnd(sprint_id, "failed", f"the workspace has faults: {error.faults[0]}")
    except ProviderError as error:  # while planning: nothing was assigned yet
        planning = AssignmentEnd("plan", "failed", str(error), error)
        end = SprintEnd(sprint_id, "failed", str(error), (planning,))
    except SprintdError as error:  # the store, the memory folder, an unknown focus
        end = SprintEnd(sprint_id, "failed", str(error))
    return _close(parts, end)


def look_ahead(parts: SprintParts, *, focus: str | None = None) -> tuple[Backdrop, SprintPlan]:
    """What the next sprint would do by rules; asks no model and writes nothing."""
    backdrop = _backdrop(parts, parts.source.load())
    return backdrop, plan_by_rules(
        backdrop, tracks=parts.config.sprint.tracks, focus=focus, note=""
    )


def context_for(
    parts: SprintParts, workspace: Workspace, manifest: Manifest, assignment: Assignment
) -> ContextPlan:
    """What the agent of an assignment would read, and why."""
    return plan_context(
        manifest=manifest,
        findings=known_findings(parts),
        agent=workspace.agent(assignment.agent),
        item=workspace.item(assignment.item),
        as_of=day_of(parts.clock.now()),
        ceiling_tokens=parts.config.sprint.context_ceiling_tokens,
        max_units=parts.config.sprint.max_units,
        root=parts.root,
        language=parts.config.daemon.language,
    )


def current_board(parts: SprintParts, workspace: Workspace) -> Board:
    """Where every backlog item stands now."""
    return read_board(workspace, items.list_item_states(parts.db), day_of(parts.clock.now()))


def recover(parts: SprintParts) -> list[str]:
    """Finish what an earlier life left open; says what it did. Doing it twice changes nothing.

    Stored answers are judged, calls without an answer stay paid at their worst case, their items go
    back, and unfinished sprints become `interrupted`.
    """
    said = [f"call {key} was under way: counted at its worst case"
            for key in parts.metered.recover(parts.clock.now())]  # fmt: skip
    for row in attempts.list_open(parts.db):
        said.append(_finish(parts, row))
    for sprint in sprints.list_running(parts.db):
        reason = "the daemon stopped while it ran"
        sprints.close_sprint(parts.db, sprint.id, "interrupted", reason, parts.clock.now())
        said.append(f"sprint {sprint.id} was interrupted")
    return said


def _finish(parts: SprintParts, row: AttemptRow) -> str:
    reply = parts.metered.stored_reply(row.effect_key)
    if reply is not None:
        end = attempt.keep_and_judge(parts, row, reply)
        return f"{row.item}: the stored answer was judged: {end.ending}"
    reason = "the daemon stopped before the answer was stored"
    attempts.save_failure(
        parts.db, row.id, state="interrupted", reason=reason, now=parts.clock.now()
    )
    return f"{row.item}: {reason}; the item goes back"


def _plan_and_work(parts: SprintParts, sprint_id: int, focus: str | None) -> SprintEnd:
    for row in attempts.list_open(parts.db):
        parts.say(_finish(parts, row))
    workspace = parts.source.load()
    manifest = parts.map.load()
    backdrop = _backdrop(parts, workspace)
    if not backdrop.eligible:
        return SprintEnd(sprint_id, "no_work", "no item is eligible")
    plan = plan_sprint(parts, backdrop, sprint_id, focus=focus)
    if isinstance(plan, Refusal):
        state, reason = _of_refusal(plan)
        return SprintEnd(sprint_id, state, reason)
    sprints.save_plan(parts.db, sprint_id, plan.as_json())
    if not plan.assignments:
        return SprintEnd(sprint_id, "no_work", f"no item is eligible for {plan.focus}")
    ends = _work_all(parts, workspace, manifest, sprint_id, plan)
    state, reason = _outcome(ends)
    return SprintEnd(sprint_id, state, reason, ends)


def _work_all(
    parts: SprintParts, workspace: Workspace, manifest: Manifest, sprint_id: int, plan: SprintPlan
) -> tuple[AssignmentEnd, ...]:
    ends: list[AssignmentEnd] = []
    for track, assignment in enumerate(plan.assignments, 1):
        if parts.stop.is_set():
            break
        parts.say(f"track {track}: {assignment.agent} works on {assignment.item}")
        context = context_for(parts, workspace, manifest, assignment)
        end = attempt.work(parts, workspace, sprint_id, track, assignment, context)
        parts.say(f"track {track}: {end.item} {end.ending}{': ' if end.reason else ''}{end.reason}")
        ends.append(end)
        if end.refusal or isinstance(end.error, ProviderPermanent):
            break
    return tuple(ends)


def _outcome(ends: Sequence[AssignmentEnd]) -> tuple[SprintState, str]:
    """The sprint's end from its assignments' ends.

    Refused by the cap: paused, whatever else went well. One accepted output makes a completed
    sprint; none at all makes a failed one.
    """
    refusals = [end.refusal for end in ends if end.refusal]
    if refusals:
        return _of_refusal(refusals[0])
    if not ends:
        return "interrupted", "asked to stop"
    counted = Counter(end.ending for end in ends)
    summary = ", ".join(f"{number} {ending}" for ending, number in sorted(counted.items()))
    if counted["accepted"]:
        return "completed", summary
    return "failed", f"{summary}; {ends[-1].item}: {ends[-1].reason}"


def _of_refusal(refusal: Refusal) -> tuple[SprintState, str]:
    states: dict[str, SprintState] = {"cap": "paused_budget", "gate": "interrupted"}
    return states.get(refusal.reason, "failed"), refusal.message


def _close(parts: SprintParts, end: SprintEnd) -> SprintEnd:
    """Write the end, count it, and stop everything where it will only fail again."""
    now = parts.clock.now()
    if end.state == "failed" and parts.stop.is_set():
        end = replace(end, state="interrupted", reason=f"asked to stop; {end.reason}")
    with parts.db.immediate():
        sprints.close_sprint(parts.db, end.sprint_id, end.state, end.reason, now)
        events.record(
            parts.db,
            f"sprint_{end.state}",
            now,
            sprint_id=end.sprint_id,
            facts={"reason": end.reason},
        )
        limit = parts.config.sprint.failures_before_diagnosis
        recovery.record_outcome(parts.db, end.state, end.reason, now, limit=limit)
        permanent = [e.error for e in end.ends if isinstance(e.error, ProviderPermanent)]
        for error in permanent[:1]:
            recovery.halt(parts.db, f"{error} (setting: {error.setting})", now)
    parts.say(f"sprint {end.sprint_id} {end.state}: {end.reason}")
    return end


def _backdrop(parts: SprintParts, workspace: Workspace) -> Backdrop:
    before = [s for s in sprints.list_sprints(parts.db, 10) if s.plan]
    return Backdrop(
        workspace=workspace,
        eligible=current_board(parts, workspace).eligible,
        findings_by_criterion=findings.count_by_criterion(parts.db),
        last_focus=before[0].plan["focus"] if before and before[0].plan else None,
    )
