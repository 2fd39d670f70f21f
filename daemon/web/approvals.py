"""The pages of approvals: what waits, what would be done, and a form for the answer.

Whoever has not logged in gives the token of `state/token` with the answer, and is logged in by that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flask import Flask, Response, redirect, render_template, request, url_for
from werkzeug.exceptions import BadRequest, Conflict, NotFound, ServiceUnavailable
from werkzeug.wrappers import Response as AnyResponse

from daemon.config.phrases import Phrases
from daemon.errors import LedgerError
from daemon.governance.approval_standing import Standing, standing_of
from daemon.governance.approval_words import decided_by, payload_lines
from daemon.store import approvals as rows
from daemon.store.approvals import ApprovalRow
from daemon.web.login import check_token, is_known
from daemon.web.watch import Watch
from daemon.web.wording import when

MOST_SHOWN = 100
_ANSWERS = {"approve": True, "reject": False}
_LONGEST_WHY = 500


@dataclass(frozen=True)
class ApprovalView:
    """One approval; `end` says who decided and when, empty while it waits."""

    row: ApprovalRow
    payload: Sequence[str]
    end: str
    standing: Standing


def register(app: Flask, watch: Watch) -> None:
    """/approvals, and /approvals/<id> to look at one and to answer it."""

    @app.get("/approvals")
    def approvals_page() -> str:
        services = watch.services
        found = rows.list_newest(services.db, MOST_SHOWN)
        waiting = [row for row in found if row.state == "pending"]
        rest = [(row, standing_of(services.db, row)) for row in found if row.state != "pending"]
        return render_template("approvals.html", waiting=waiting, rest=rest)

    @app.get("/approvals/<approval>")
    def approval_page(approval: str) -> str:
        return render_template("approval.html", view=_view(watch, approval))

    @app.post("/approvals/<approval>")
    def answer_approval(approval: str) -> AnyResponse:
        return _answer(watch, approval)


def _view(watch: Watch, approval_id: str) -> ApprovalView:
    """Ends the request with 404 where there is none."""
    services = watch.services
    row = services.approvals.find(approval_id)
    if row is None:
        raise NotFound(services.phrases.text("approval.unknown", id=approval_id[:40]))
    standing = standing_of(services.db, row)
    return ApprovalView(row, payload_lines(row), _end(row, services.phrases), standing)


def _end(row: ApprovalRow, phrases: Phrases) -> str:
    if row.state == "pending":
        return ""
    at = when(row.decided_at or row.ended_at or row.asked_at)
    return f"{decided_by(row, phrases)}, {at}"


def _answer(watch: Watch, approval_id: str) -> Response | AnyResponse:
    """Take the answer of whoever knows the token. The page then shows what came of it."""
    services, form = watch.services, request.form
    if form.get("token") or not is_known(watch):
        check_token(watch, form.get("token", ""))
    answer = _ANSWERS.get(form.get("answer", ""))
    if answer is None:
        raise BadRequest(services.phrases.text("page.bad_body", problem="answer"))
    try:
        decision = services.approvals.decide(
            approval_id,
            approve=answer,
            by="",
            through="page",
            digest=form.get("digest", ""),
            why="" if answer else form.get("why", "")[:_LONGEST_WHY],
        )
    except LedgerError as error:
        raise ServiceUnavailable(services.phrases.text("page.store_broken", error=error)) from error
    if decision.outcome == "unknown":
        raise NotFound(decision.words)
    if decision.outcome not in ("approved", "rejected"):
        raise Conflict(decision.words)
    if answer:
        watch.after_reset()
    return redirect(url_for("approval_page", approval=approval_id), 303)
