"""The pages of approvals: what waits, what would be done, and a form for the answer.

There is no login, so the form takes the token of `state/token`. A page of another site cannot know
it, so it cannot answer in the name of whoever reads it.
"""

from __future__ import annotations

import hmac
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from flask import Flask, Response, redirect, render_template, request, url_for
from werkzeug.exceptions import BadRequest, Conflict, NotFound, ServiceUnavailable, Unauthorized
from werkzeug.wrappers import Response as AnyResponse

from daemon.errors import LedgerError
from daemon.governance.approval_words import end_line, payload_lines
from daemon.store import approvals as rows
from daemon.store.approvals import ApprovalRow
from daemon.web.watch import Watch

MOST_SHOWN = 100
_ANSWERS = {"approve": True, "reject": False}
_LONGEST_WHY = 500
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ApprovalView:
    """One approval; `end` says who decided and what came of it, empty while it waits."""

    name: str
    row: ApprovalRow
    payload: Sequence[str]
    end: str


def add_approval_routes(app: Flask, watch: Watch) -> None:
    """/approvals, and /approvals/<id> to look at one and to answer it."""

    @app.get("/approvals")
    def approvals_page() -> str:
        services = watch.services
        found = rows.list_newest(services.db, MOST_SHOWN)
        waiting = [row for row in found if row.state == "pending"]
        rest = [row for row in found if row.state != "pending"]
        name = services.config.daemon.name
        return render_template("approvals.html", name=name, waiting=waiting, rest=rest)

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
    end = "" if row.state == "pending" else end_line(row, services.phrases)
    return ApprovalView(services.config.daemon.name, row, payload_lines(row), end)


def _answer(watch: Watch, approval_id: str) -> Response | AnyResponse:
    """Take the answer of whoever knows the token. The page then shows what came of it."""
    services, form = watch.services, request.form
    if not hmac.compare_digest(form.get("token", "").strip().encode(), watch.token.encode()):
        _log.warning("an answer to %s came with a wrong token", approval_id[:40])
        raise Unauthorized(services.phrases.text("approval.page_wrong_token"))
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
