"""One attempt: ask once, store the answer, judge it, commit what follows.

The steps are apart so that each can be repeated after a crash: an answer that was stored is judged
by `judge` whether it came a second or a restart ago, and is never asked for again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from daemon.errors import ProviderError, ProviderPermanent
from daemon.governance import incidents
from daemon.governance.budget import Caller, Refusal
from daemon.llm.provider import Completion, Prompt
from daemon.memory.findings import FindingSource, NewFinding, write_finding
from daemon.quality.assessment import assess
from daemon.quality.verdict import TaskBrief, Verdict
from daemon.quality.verdict_json import verdict_as_json
from daemon.sprint.context import ContextPlan, context_plan_for_store
from daemon.sprint.orchestrator import Assignment
from daemon.sprint.parts import SprintParts
from daemon.sprint.request import build_request
from daemon.store import api_calls, attempts, events, findings, items, outbox, texts
from daemon.store.attempts import AttemptRow
from daemon.workspace.definitions import Workspace

_SOURCE_MARK = re.compile(r" ?\[[a-z0-9][a-z0-9.-]*\]")
Ending = Literal["accepted", "rejected", "refused", "failed"]


@dataclass(frozen=True)
class AssignmentEnd:
    """How an assignment ended; `reason` is one sentence, empty for an accepted one."""

    item: str
    ending: Ending
    reason: str = ""
    error: ProviderError | None = None
    refusal: Refusal | None = None


def work(
    parts: SprintParts,
    steps: Steps,
    workspace: Workspace,
    track: int,
    assignment: Assignment,
    plan: ContextPlan,
) -> AssignmentEnd:
    """Ask, judge, commit. A refusal by the gate and a failure of the provider are endings."""
    row, prompt = _write_down(parts, steps.sprint_id, workspace, track, assignment, plan)
    reply = steps.passed(
        f"track/{track}/attempt", lambda: _ask(parts, row, prompt), lambda r: _told(row, r)
    )
    if isinstance(reply, AssignmentEnd):
        return reply
    verdict = steps.passed(
        f"track/{track}/verdict", lambda: _assess(parts, row, reply), lambda v: v.outcome
    )
    return steps.passed(
        f"track/{track}/commit",
        lambda: _commit(parts, row, reply, verdict),
        lambda end: {"item": end.item, "ending": end.ending},
    )


def keep_and_judge(parts: SprintParts, row: AttemptRow, reply: Completion) -> AssignmentEnd:
    """Store the answer, judge it and commit what follows. Repeating it changes nothing."""
    attempts.save_answer(parts.db, row.id, reply.text, reply.stop_reason, reply.model)
    return _commit(parts, row, reply, _assess(parts, row, reply))


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
    """The verdict of a stored answer; the same answer gets the same one, now and after a crash."""
    asked = row.prompt
    brief = TaskBrief(
        item=row.item,
        question=asked["question"],
        profile=asked["profile"],
        language=asked["language"],
        prompt_text=_stored(parts, asked["system"]) + "\n" + _stored(parts, asked["task"]),
    )
    return assess(
        reply.text,
        brief,
        rules=parts.rules.load(),
        truncated=reply.truncated,
        sources=tuple(_stored(parts, source["sha256"]) for source in asked["sources"]),
        earlier=tuple(attempts.earlier_outputs(parts.db, row.item, 10)),
    )


def _commit(
    parts: SprintParts, row: AttemptRow, reply: Completion, verdict: Verdict
) -> AssignmentEnd:
    if verdict.accepted:
        return _accept(parts, row, reply, verdict)
    return _reject(parts, row, reply, verdict)


def _write_down(
    parts: SprintParts,
    sprint_id: int,
    workspace: Workspace,
    track: int,
    assignment: Assignment,
    plan: ContextPlan,
) -> tuple[AttemptRow, Prompt]:
    item = workspace.item(assignment.item)
    request = build_request(parts, workspace, assignment, plan)
    prompt = request.prompt
    asked: dict[str, Any] = {
        "model": prompt.model,
        "question": item.question,
        "title": item.title,
        "criterion": item.criterion,
        "profile": workspace.playbook(item.playbook).profile,
        "language": prompt.language,
        "system": texts.save_text(parts.db, prompt.system),
        "task": texts.save_text(parts.db, request.task),
        "sources": [
            {"id": s.id, "path": s.path, "title": s.title, "sha256": texts.save_text(parts.db, s.text)}
            for s in prompt.sources
        ],
    }  # fmt: skip
    row = attempts.save_asked(
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
    return row, prompt


def _accept(
    parts: SprintParts, row: AttemptRow, reply: Completion, verdict: Verdict
) -> AssignmentEnd:
    asked, now = row.prompt, parts.clock.now()
    # The file comes first: after a crash here the same answer is judged again and writes it again.
    path = write_finding(
        parts.root,
        NewFinding(
            item=row.item,
            title=asked["title"],
            criterion=asked["criterion"],
            agent=row.agent,
            sprint_id=row.sprint_id,
            attempt_id=row.id,
            score=verdict.score,
            sources=tuple(FindingSource(s["id"], s["path"], s["title"]) for s in asked["sources"]),
            model=reply.model,
            cost_micros=_cost_micros(parts, row),
            created_at=row.created_at,
            body=verdict.cleaned_text,
            language=asked["language"],
        ),
    )
    with parts.db.immediate():
        attempts.save_verdict(
            parts.db,
            row.id,
            state="accepted",
            verdict=verdict_as_json(verdict),
            score_hundredths=verdict.score_hundredths,
            finding_path=path,
            now=now,
        )
        summary = summary_of(verdict.cleaned_text)
        findings.save_finding(
            parts.db,
            findings.FindingRow(
                path=path,
                attempt_id=row.id,
                item=row.item,
                criterion=asked["criterion"],
                agent=row.agent,
                title=asked["title"],
                summary=summary,
                score_hundredths=verdict.score_hundredths,
                sources=tuple(source["id"] for source in asked["sources"]),
                created_at=now,
            ),
        )
        items.mark_done(parts.db, row.item, now)
        events.record(
            parts.db,
            "accepted",
            now,
            sprint_id=row.sprint_id,
            item=row.item,
            facts={"title": asked["title"], "criterion": asked["criterion"], "path": path,
                   "score_hundredths": verdict.score_hundredths, "summary": summary},
        )  # fmt: skip
        _hand_over(parts, row, verdict, path)
    return AssignmentEnd(row.item, "accepted")


def _hand_over(parts: SprintParts, row: AttemptRow, verdict: Verdict, path: str) -> None:
    """Let the finding leave for Notion too, where that is configured; once, whatever happens."""
    if "notion" not in parts.channels:
        return
    score = f"{verdict.score_hundredths / 100:.2f}"
    facts = " · ".join((row.item, row.prompt["criterion"], score, row.agent, path))
    payload = {
        "title": f"{row.item} {row.prompt['title']}",
        "body": f"{facts}\n\n{verdict.cleaned_text}",
    }
    outbox.enqueue(
        parts.db,
        key=f"finding/{row.id}",
        channel="notion",
        payload=payload,
        now=parts.clock.now(),
    )


def _reject(
    parts: SprintParts, row: AttemptRow, reply: Completion, verdict: Verdict
) -> AssignmentEnd:
    now, reason = parts.clock.now(), " ".join(verdict.reasons)
    with parts.db.immediate():
        cause = "refused_by_content" if reply.stop_reason == "refusal" else "outputs_rejected"
        errors.record(
            parts.db, place="sprint", cause=cause, message=reason, now=now,
            sprint_id=row.sprint_id, item=row.item,
        )  # fmt: skip
        attempts.save_verdict(
            parts.db,
            row.id,
            state="rejected",
            verdict=verdict_as_json(verdict),
            score_hundredths=verdict.score_hundredths,
            finding_path=None,
            now=now,
        )
        state = items.count_rejection(
            parts.db, row.item, reason, parts.config.sprint.max_attempts, now
        )
        events.record(
            parts.db,
            "blocked" if state.state == "blocked" else "rejected",
            now,
            sprint_id=row.sprint_id,
            item=row.item,
            facts={"title": row.prompt["title"], "reason": reason, "rejections": state.rejections,
                   "score_hundredths": verdict.score_hundredths},
        )  # fmt: skip
    return AssignmentEnd(row.item, "rejected", reason)


def _fail(parts: SprintParts, row: AttemptRow, error: ProviderError) -> AssignmentEnd:
    """The attempt is over and the error is on record; a permanent one is told by the halt."""
    now = parts.clock.now()
    with parts.db.immediate():
        attempts.save_failure(parts.db, row.id, state="failed", reason=str(error), now=now)
        incidents.note_error(
            parts.db, error, parts.voice, place="provider", now=now,
            sprint_id=row.sprint_id, item=row.item,
            told_by="halted" if isinstance(error, ProviderPermanent) else None,
        )  # fmt: skip
    return AssignmentEnd(row.item, "failed", str(error), error)


def _cost_micros(parts: SprintParts, row: AttemptRow) -> int:
    """What the item cost in this sprint, tries that failed included."""
    calls = api_calls.list_for_sprint(parts.db, row.sprint_id)
    return sum(call.cost_micros or 0 for call in calls if call.facts.item == row.item)


def summary_of(text: str) -> str:
    """The first statement of a deliverable that names its source, else its first line of prose.

    Without list marks and source marks, at most 200 characters.
    """
    lines = [line.strip().lstrip("-*> ").strip() for line in text.splitlines()]
    said = [line for line in lines if len(line) > 40 and line[0] not in "#|`["]
    cited = [line for line in said if _SOURCE_MARK.search(line)]
    first = _SOURCE_MARK.sub("", (cited or said or [text.strip()])[0]).strip()
    return first if len(first) <= 200 else first[:199].rsplit(" ", 1)[0] + "…"


def _stored(parts: SprintParts, sha256: str) -> str:
    return texts.find_text(parts.db, sha256) or ""
