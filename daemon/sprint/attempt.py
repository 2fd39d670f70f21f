"""One attempt: ask once, store the answer, judge it, commit what follows.

The steps are apart so that each can be repeated after a crash: an answer that was stored is judged
whether it came a second or a restart ago, and is never asked for again.
"""

from __future__ import annotations

from typing import Any

from daemon.errors import ProviderError, ProviderPermanent
from daemon.governance import incidents
from daemon.governance.budget import Caller, Refusal
from daemon.llm.provider import Completion, Prompt
from daemon.quality.verdict import Verdict, unjudged
from daemon.sprint.commit import commit
from daemon.sprint.context import ContextPlan, NotesUnreadable, context_plan_for_store
from daemon.sprint.judge import judged
from daemon.sprint.judging import judge_answer
from daemon.sprint.orchestrator import Assignment
from daemon.sprint.outcome import AssignmentEnd
from daemon.sprint.parts import SprintParts
from daemon.sprint.request import Request, build_request
from daemon.sprint.steps import Steps
from daemon.store import attempts, control, texts
from daemon.store.attempts import AttemptRow
from daemon.workspace.definitions import Workspace

_MOST_JUDGINGS = 3
_EARLIER = 10


def work(
    parts: SprintParts,
    steps: Steps,
    workspace: Workspace,
    track: int,
    assignment: Assignment,
    plan: ContextPlan,
) -> AssignmentEnd:
    """Ask, judge, commit. A refusal by the gate and a failure of the provider are endings.

    Without any of the notes that there are for the item, nothing is asked: it could only be made up.
    """
    request = build_request(parts, workspace, assignment, plan)
    if request.context.unreadable:
        return _hold(parts, steps.sprint_id, assignment.item, request.context)
    prompt = request.prompt
    row = _write_down(parts, steps.sprint_id, workspace, track, assignment, request)
    reply = steps.passed(
        f"track/{track}/attempt", lambda: _ask(parts, row, prompt), lambda r: _told(row, r)
    )
    if isinstance(reply, AssignmentEnd):
        return reply
    verdict = steps.passed(f"track/{track}/verdict", lambda: _judge(parts, row, reply), _outcome_of)
    if isinstance(verdict, AssignmentEnd):
        return verdict
    return steps.passed(
        f"track/{track}/commit",
        lambda: commit(parts, row, reply, verdict),
        lambda end: {"item": end.item, "ending": end.ending},
    )


def keep_and_judge(parts: SprintParts, row: AttemptRow, reply: Completion) -> AssignmentEnd:
    """Store the answer, judge it and commit what follows. Repeating it changes nothing.

    Raises ProviderError where its judge cannot be asked: the attempt stays open.
    """
    attempts.save_answer(parts.db, row.id, reply.text, reply.stop_reason, reply.model)
    verdict = judged(parts, row, _assess(parts, row, reply), reply.model)
    if isinstance(verdict, Refusal):
        return AssignmentEnd(row.item, "refused", verdict.message, refusal=verdict)
    return commit(parts, row, reply, verdict)


def _ask(parts: SprintParts, row: AttemptRow, prompt: Prompt) -> Completion | AssignmentEnd:
    """The reply, stored before anything judges it; or how the assignment ended without one."""
    caller = Caller("attempt", sprint_id=row.sprint_id, item=row.item, agent=row.agent)
    try:
        reply = parts.metered.complete(row.effect_key, prompt, caller)
    except ProviderError as error:
        return _fail(parts, row, error)
    if isinstance(reply, Refusal):
        now = parts.clock.now()
        attempts.save_failure(parts.db, row.id, state="interrupted", reason=reply.message, now=now)
        return AssignmentEnd(row.item, "refused", reply.message, refusal=reply)
    attempts.save_answer(parts.db, row.id, reply.text, reply.stop_reason, reply.model)
    return reply


def _told(row: AttemptRow, reply: Completion | AssignmentEnd) -> dict[str, Any]:
    ending = reply.ending if isinstance(reply, AssignmentEnd) else "answered"
    return {"attempt": row.id, "ending": ending}


def _assess(parts: SprintParts, row: AttemptRow, reply: Completion) -> Verdict:
    """The verdict of a stored answer; the same answer gets the same one, now and after a crash.

    An answer that ended the process whenever it was judged is rejected unread, so that it cannot
    end every life of the daemon.
    """
    name = f"judging/{row.id}"
    begun = int(control.get(parts.db, name) or 0)
    if begun >= _MOST_JUDGINGS:
        control.delete(parts.db, name)
        return unjudged(reply.text, "Judging it ended the process several times.")
    control.put(parts.db, name, begun + 1, parts.clock.now())
    verdict = judge_answer(
        parts.db,
        row,
        text=reply.text,
        stop_reason=reply.stop_reason,
        model=reply.model,
        rules=parts.rules.load(),
        earlier=attempts.earlier_outputs(parts.db, row.item, _EARLIER),
    )
    control.delete(parts.db, name)
    return verdict


def _judge(parts: SprintParts, row: AttemptRow, reply: Completion) -> Verdict | AssignmentEnd:
    """The verdict, with the judge's word where one is wanted; or why that must wait.

    The attempt stays open then: the next sprint begins with judging its stored answer.
    """
    try:
        verdict = judged(parts, row, _assess(parts, row, reply), reply.model)
    except ProviderError as error:
        _note(parts, row, error)
        return AssignmentEnd(row.item, "failed", str(error), error)
    if isinstance(verdict, Refusal):
        return AssignmentEnd(row.item, "refused", verdict.message, refusal=verdict)
    return verdict


def _outcome_of(verdict: Verdict | AssignmentEnd) -> str:
    return verdict.ending if isinstance(verdict, AssignmentEnd) else verdict.outcome


def _write_down(
    parts: SprintParts,
    sprint_id: int,
    workspace: Workspace,
    track: int,
    assignment: Assignment,
    request: Request,
) -> AttemptRow:
    item = workspace.item(assignment.item)
    playbook = workspace.playbook(item.playbook)
    prompt = request.prompt
    asked: dict[str, Any] = {
        "model": prompt.model,
        "question": item.question,
        "title": item.title,
        "criterion": item.criterion,
        "profile": playbook.profile,
        "judge": playbook.judge,
        "language": prompt.language,
        "system": texts.save_text(parts.db, prompt.system),
        "task": texts.save_text(parts.db, request.task),
        "sources": [
            {"id": s.id, "path": s.path, "title": s.title, "sha256": texts.save_text(parts.db, s.text)}
            for s in prompt.sources
        ],
    }  # fmt: skip
    return attempts.save_asked(
        parts.db,
        sprint_id=sprint_id,
        track=track,
        item=item.id,
        agent=assignment.agent,
        effect_key=f"sprint/{sprint_id}/track/{track}",
        prompt=asked,
        context=context_plan_for_store(request.context),
        now=parts.clock.now(),
    )


def _hold(parts: SprintParts, sprint_id: int, item: str, context: ContextPlan) -> AssignmentEnd:
    """Told once, counted until a sprint is completed without it; the item keeps its attempts."""
    error, now = NotesUnreadable(item, context.unreadable), parts.clock.now()
    incidents.note_error(
        parts.db, error, parts.voice, place="sprint", now=now, sprint_id=sprint_id, item=item
    )
    return AssignmentEnd(item, "failed", str(error), error)


def _fail(parts: SprintParts, row: AttemptRow, error: ProviderError) -> AssignmentEnd:
    """The attempt is over and the error is on record; a permanent one is told by the halt."""
    now = parts.clock.now()
    with parts.db.immediate():
        attempts.save_failure(parts.db, row.id, state="failed", reason=str(error), now=now)
        _note(parts, row, error)
    return AssignmentEnd(row.item, "failed", str(error), error)


def _note(parts: SprintParts, row: AttemptRow, error: ProviderError) -> None:
    incidents.note_error(
        parts.db, error, parts.voice, place="provider", now=parts.clock.now(),
        sprint_id=row.sprint_id, item=row.item,
        told_by="halted" if isinstance(error, ProviderPermanent) else None,
    )  # fmt: skip
