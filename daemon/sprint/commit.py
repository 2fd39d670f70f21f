"""What follows from a verdict: a finding and a done item, or a counted rejection."""

from __future__ import annotations

import re

from daemon.config.phrases import Phrases
from daemon.governance import incidents
from daemon.llm.provider import Completion
from daemon.memory.findings import FILE_DIGEST, NewFinding, file_digest, place_finding
from daemon.quality.verdict import Verdict
from daemon.quality.verdict_json import verdict_as_json
from daemon.sprint.annex import forget
from daemon.sprint.deliverable import finding_of
from daemon.sprint.keeping import keep_file
from daemon.sprint.outcome import AssignmentEnd
from daemon.sprint.parts import SprintParts
from daemon.store import attempts, errors, events, findings, items
from daemon.store.attempts import AttemptRow

_SOURCE_MARK = re.compile(r" ?\[[a-z0-9][a-z0-9.-]*\]")


def commit(
    parts: SprintParts, row: AttemptRow, reply: Completion, verdict: Verdict
) -> AssignmentEnd:
    """Write down what a judged answer leads to. Repeating it changes nothing.

    A finding that the action gate does not let be written leaves the attempt open as well. Raises
    MemoryUnwritable where the finding cannot be written: the attempt stays open, and its
    answer is judged again later.
    """
    if verdict.accepted:
        return _accept(parts, row, reply, verdict)
    return _reject(parts, row, reply, verdict)


def summary_of(text: str) -> str:
    """The first statement of a deliverable that names its source, else its first line of prose.

    Without list marks and source marks, at most 200 characters.
    """
    lines = [line.strip().lstrip("-*> ").strip() for line in text.splitlines()]
    said = [line for line in lines if len(line) > 40 and line[0] not in "#|`["]
    cited = [line for line in said if _SOURCE_MARK.search(line)]
    first = _SOURCE_MARK.sub("", (cited or said or [text.strip()])[0]).strip()
    return first if len(first) <= 200 else first[:199].rsplit(" ", 1)[0] + "…"


def summary_of_finding(finding: NewFinding) -> str:
    """The same of what may be cited; where nothing may, that is what a digest has to say."""
    if finding.body.strip():
        return summary_of(finding.body)
    return Phrases(finding.language).text("finding.nothing_verified")


def _accept(
    parts: SprintParts, row: AttemptRow, reply: Completion, verdict: Verdict
) -> AssignmentEnd:
    asked, now = row.prompt, parts.clock.now()
    # The file comes first: after a crash here the same answer is judged again and writes it again.
    finding = finding_of(parts, row, reply, verdict)
    path, data = place_finding(parts.root, finding)
    refused = keep_file(parts, path, data, actor="sprint", sprint=row.sprint_id, item=row.item)
    if refused is not None:  # the attempt stays open: its answer is judged again, not asked again
        return AssignmentEnd(row.item, "refused", refused.message, refusal=refused)
    with parts.db.immediate():
        attempts.save_verdict(
            parts.db,
            row.id,
            state="accepted",
            verdict={**verdict_as_json(verdict), FILE_DIGEST: file_digest(data)},
            score_hundredths=verdict.score_hundredths,
            finding_path=path,
            now=now,
        )
        summary = summary_of_finding(finding)
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
        incidents.heal(parts.db, "memory", now, voice=parts.voice)
        forget(parts, row)
        _tell(parts, row, reply, verdict, path, summary)
    return AssignmentEnd(row.item, "accepted")


def _tell(
    parts: SprintParts,
    row: AttemptRow,
    reply: Completion,
    verdict: Verdict,
    path: str,
    summary: str,
) -> None:
    """The digest's event; Notion hears of the finding from its own sync."""
    now = parts.clock.now()
    facts = {
        "title": row.prompt["title"],
        "criterion": row.prompt["criterion"],
        "path": path,
        "score_hundredths": verdict.score_hundredths,
        "summary": summary,
        "model": reply.model,
    }
    events.record(parts.db, "accepted", now, sprint_id=row.sprint_id, item=row.item, facts=facts)


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
