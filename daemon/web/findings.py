"""The pages of findings: all of them, and one with the passages that bear it out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flask import Flask, abort, render_template, request, url_for

from daemon.clock import from_text, to_text
from daemon.llm.provider import OFFLINE_MODEL
from daemon.reports.verdict_text import ClaimWords, VerdictWords
from daemon.store import attempts, findings
from daemon.store.attempts import AttemptRow
from daemon.store.findings import FindingRow
from daemon.web.finding_text import FindingText, read_finding
from daemon.web.judged import verdict_of
from daemon.web.watch import Watch
from daemon.web.wording import number_of

MOST_ON_PAGE = 30
_LONGEST_FILTER = 200


@dataclass(frozen=True)
class FindingsView:
    """`criteria` are the filter's choices, id and name. `quoted` has the attempts whose findings the
    offline writer only quoted. `newest` and `older` are addresses, or empty."""

    rows: tuple[FindingRow, ...]
    criterion: str
    agent: str
    criteria: tuple[tuple[str, str], ...]
    agents: tuple[str, ...]
    quoted: frozenset[int]
    newest: str
    older: str


@dataclass(frozen=True)
class FindingView:
    """`passages` are the claims that stand in a note, with the place; `doubted` those that do not.

    `attempt` is None only where the database lost it.
    """

    row: FindingRow
    text: FindingText
    attempt: AttemptRow | None
    verdict: VerdictWords | None
    passages: tuple[ClaimWords, ...]
    doubted: tuple[ClaimWords, ...]
    is_quoted: bool


def register(app: Flask, watch: Watch) -> None:
    """/findings, and /findings/<attempt> for one."""

    @app.get("/findings")
    def findings_page() -> str:
        return render_template("findings.html", view=findings_view(watch, request.args))

    @app.get("/findings/<int:attempt>")
    def finding_page(attempt: int) -> str:
        return render_template("finding.html", view=finding_view(watch, attempt))


def findings_view(watch: Watch, asked: Mapping[str, str]) -> FindingsView:
    """`asked` may have `criterion`, `agent`, and `before` (moment and attempt of a row)."""
    db, workspace = watch.services.db, watch.services.source.latest
    criterion, agent = (asked.get(name, "")[:_LONGEST_FILTER] for name in ("criterion", "agent"))
    before = _place(asked.get("before", ""))
    found = findings.list_page(
        db, MOST_ON_PAGE + 1, criterion=criterion, agent=agent, before=before
    )
    rows = tuple(found[:MOST_ON_PAGE])
    filters: dict[str, Any] = {"criterion": criterion or None, "agent": agent or None}
    is_cut = len(found) > MOST_ON_PAGE
    older = f"{to_text(rows[-1].created_at)},{rows[-1].attempt_id}" if is_cut else ""
    return FindingsView(
        rows=rows,
        criterion=criterion,
        agent=agent,
        criteria=tuple((one.id, one.name) for one in workspace.criteria) if workspace else (),
        agents=tuple(findings.list_agents(db)),
        quoted=findings.attempts_by(db, rows, OFFLINE_MODEL),
        newest=url_for("findings_page", **filters) if before else "",
        older=url_for("findings_page", before=older, **filters) if older else "",
    )


def finding_view(watch: Watch, attempt_id: int) -> FindingView:
    """Ends the request with 404 where no finding is of this attempt."""
    services = watch.services
    row = findings.find_by_attempt(services.db, attempt_id) if attempt_id < 2**62 else None
    if row is None:
        abort(404, services.phrases.text("findings.unknown", id=attempt_id))
    attempt = attempts.find_attempt(services.db, attempt_id)
    verdict = verdict_of(watch, attempt) if attempt else None
    claims = verdict.claims if verdict else ()
    return FindingView(
        row=row,
        text=read_finding(services.root, row.path),
        attempt=attempt,
        verdict=verdict,
        passages=tuple(one for one in claims if one.status in ("supported", "derived")),
        doubted=tuple(one for one in claims if one.status in ("weak", "absent")),
        is_quoted=attempt is not None and attempt.model == OFFLINE_MODEL,
    )


def _place(text: str) -> tuple[datetime, int] | None:
    """Moment and attempt of the row that the page before ended with; None for anything else."""
    moment, _, attempt = text.rpartition(",")
    number = number_of(attempt)
    try:
        return None if number is None else (from_text(moment), number)
    except ValueError:
        return None
