"""The HTTP face: routes, who may ask, and how errors look."""

from __future__ import annotations

import logging
from functools import partial
from typing import Any

from flask import Flask, Response, jsonify, render_template, request, url_for
from werkzeug.datastructures import WWWAuthenticate
from werkzeug.exceptions import (
    BadHost,
    Forbidden,
    HTTPException,
    InternalServerError,
    MethodNotAllowed,
    RequestEntityTooLarge,
    ServiceUnavailable,
    Unauthorized,
)
from werkzeug.exceptions import NotFound as NoSuchAddress

from daemon.clock import to_text
from daemon.errors import StoreError
from daemon.reports.backlog import reason_in_words
from daemon.web.body import read_body
from daemon.web.control import reset_failures
from daemon.web.csrf import csrf_token
from daemon.web.health import health_as_json, take_health
from daemon.web.hosts import is_served
from daemon.web.judged import is_quoted, reasons_of, stop_in_words
from daemon.web.login import FOR_MACHINES, add_login, may_see_all
from daemon.web.markdown import render_markdown
from daemon.web.pages import add_pages
from daemon.web.shell import add_shell
from daemon.web.slack import add_slack_routes
from daemon.web.watch import Watch
from daemon.web.wording import (
    as_shown,
    brief,
    figure_text,
    opening,
    pieces,
    shortened,
    span_of,
    when,
)

MAX_BODY_BYTES = 16_384
_FOR_SLACK = "/slack/"
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
        "img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_log = logging.getLogger(__name__)


def create_app(watch: Watch) -> Flask:
    """The WSGI application: the routes, whom each answers, and how its errors look."""
    app = Flask(__name__)
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY_BYTES
    app.jinja_options = {"finalize": as_shown}
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.filters.update(brief=brief, pieces=pieces, figure=figure_text, opening=opening)
    app.jinja_env.globals.update(
        say=watch.services.phrases.text,
        language=watch.services.phrases.language,
        inbound=watch.services.inbound,
        when=when,
        span_of=span_of,
        is_quoted=is_quoted,
        reason_in_words=partial(reason_in_words, phrases=watch.services.phrases),
        shortened=shortened,
        reasons_of=reasons_of,
        stop_in_words=partial(stop_in_words, phrases=watch.services.phrases),
        csrf_token=csrf_token,
        markdown=partial(
            render_markdown, as_written=watch.services.phrases.text("page.as_written")
        ),
    )
    add_shell(app, watch)
    app.before_request(lambda: _check_host(watch))
    app.before_request(lambda: _take_body(watch))
    add_login(app, watch)
    app.after_request(_add_headers)
    _add_routes(app, watch)
    add_slack_routes(app, watch)
    add_pages(app, watch)
    _add_errors(app, watch)
    return app


def _add_routes(app: Flask, watch: Watch) -> None:
    @app.get("/health")
    def health() -> tuple[Response, int]:
        found = take_health(watch)
        if may_see_all(watch):
            told = health_as_json(watch, found)
        else:  # a monitor somewhere needs no more
            told = {"ok": not found.problems, "at": to_text(watch.services.clock.now())}
        return jsonify(told), 503 if found.problems else 200

    @app.get("/metrics")
    def metrics() -> Response:
        # Imported here: whoever builds no page (tests, a start that fails) need not load it.
        from daemon.web.metrics import CONTENT_TYPE, render_metrics

        if not may_see_all(watch):
            raise Unauthorized(
                watch.services.phrases.text("page.token_wrong"),
                www_authenticate=WWWAuthenticate("bearer"),
            )
        return Response(render_metrics(watch), content_type=CONTENT_TYPE)

    @app.post("/reset-failures")
    def reset() -> Response:
        return reset_failures(watch)


def _add_errors(app: Flask, watch: Watch) -> None:
    say = watch.services.phrases.text

    @app.errorhandler(StoreError)
    def broken_store(error: StoreError) -> Response:
        watch.services.probe.note(error)  # /health shows it until the next trial goes well
        return refused(ServiceUnavailable(say("page.store_broken", error=error)))

    @app.errorhandler(HTTPException)
    def refused(error: HTTPException) -> Response:
        return _as_response(watch, error)

    @app.errorhandler(Exception)
    def unexpected(error: Exception) -> Response:
        _log.error("%s %s failed", request.method, request.path, exc_info=error)
        return refused(InternalServerError(say("page.unexpected")))


def _as_response(watch: Watch, error: HTTPException) -> Response:
    """The refusal as JSON for machines and as a plain page for people; its headers stay."""
    message = _in_words(watch, error)
    response: Any = error.get_response()
    if request.path in FOR_MACHINES or request.path.startswith(_FOR_SLACK):
        response.data = jsonify(error=message).data
        response.content_type = "application/json"
    elif isinstance(request.routing_exception, BadHost):  # no page can be made for such a name
        response.data = message
        response.content_type = "text/plain; charset=utf-8"
    else:
        response.data = render_template(
            "message.html", code=error.code, message=message, again=_question(error)
        )
        response.content_type = "text/html; charset=utf-8"
    return response  # type: ignore[no-any-return]


def _question(error: HTTPException) -> str:
    """Where the question is that an answer was refused for; empty where there is none."""
    if request.endpoint != "answer_approval" or error.code == NoSuchAddress.code:
        return ""
    return url_for("approval_page", **(request.view_args or {}))


def _in_words(watch: Watch, error: HTTPException) -> str:
    """What the library says is English and general; what we raise has its own description."""
    say = watch.services.phrases.text
    if isinstance(error, MethodNotAllowed):
        return say("page.method_not_allowed", method=request.method)
    if isinstance(error, RequestEntityTooLarge):
        return say("page.body_too_large", limit=request.max_content_length)
    if isinstance(error, NoSuchAddress) and error.description == NoSuchAddress.description:
        return say("page.not_found")
    return error.description or say("page.unexpected")


def _check_host(watch: Watch) -> None:
    host = request.environ.get("HTTP_HOST", "")
    if not is_served(host, watch.services.config.web):
        raise Forbidden(watch.services.phrases.text("page.host_refused", host=repr(host[:200])))


def _take_body(watch: Watch) -> None:
    if not request.path.startswith(_FOR_SLACK):  # larger ones are taken there
        read_body(watch.services.phrases.text("page.body_broken"))


def _add_headers(response: Response) -> Response:
    response.headers.update(_HEADERS)
    return response
