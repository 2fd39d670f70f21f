"""Who may read the pages: on this machine anybody, from elsewhere whoever has the daemon's token.

Whoever logs in gets a signed cookie. Its key is made from the token, so a new token ends every
session. On loopback nobody has to log in to read; to decide something everybody has to.
"""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from flask import Flask, current_app, g, redirect, render_template, request, session, url_for
from flask.sessions import SecureCookieSessionInterface
from werkzeug.exceptions import Forbidden, TooManyRequests, Unauthorized
from werkzeug.wrappers import Response as AnyResponse

from daemon.clock import from_text, to_text
from daemon.config.sections import WebSection
from daemon.web.csrf import comes_by_tls, has_csrf_token, is_from_here
from daemon.web.ended import EndedSessions
from daemon.web.hosts import host_name, is_loopback
from daemon.web.tokens import bearer_of_request, is_right_token, is_token
from daemon.web.tries import Tries
from daemon.web.watch import Watch

SESSION_DAYS = 14
# Machines prove themselves in their own way, or are told nothing secret.
FOR_MACHINES = ("/health", "/metrics", "/reset-failures")
_OPEN_TO_ALL = ("/slack/", "/static/")
# How the headers begin that proxies and the services in front of them add to what they pass on.
_FORWARDED = (
    *("forwarded", "via", "x-forwarded", "x-original-", "x-real-ip", "x-scheme", "x-proxy"),
    *("client-ip", "true-client-ip", "x-client-ip", "x-cluster-client-ip", "x-remote-"),
    *("cdn-loop", "cf-", "fastly-", "fly-", "tailscale-", "x-amzn-", "x-azure-", "x-envoy-"),
)


def add_login(app: Flask, watch: Watch) -> None:
    """/login and /logout; every page asks who is there, and every form where it comes from."""
    app.secret_key = hashlib.sha256(f"session:{watch.token}".encode()).hexdigest()
    app.session_interface = _Cookie()
    address = watch.services.config.web.address
    app.config.update(
        PREFERRED_URL_SCHEME="https" if address.startswith("https:") else "http",
        SESSION_COOKIE_NAME=f"sprintd-{watch.services.config.web.port}",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Strict",
        SESSION_REFRESH_EACH_REQUEST=False,
        PERMANENT_SESSION_LIFETIME=timedelta(days=SESSION_DAYS),
    )
    app.extensions["sprintd-tries"] = Tries()
    app.extensions["sprintd-ended"] = EndedSessions(watch.services.db)
    app.jinja_env.globals.update(is_known=lambda: is_known(watch))
    app.before_request(lambda: _look(watch))
    _add_routes(app, watch)


def is_known(watch: Watch) -> bool:
    """Whether this visitor logged in, and the session is not over. Raises StoreError."""
    until = _session_until()
    if until is None or watch.services.clock.now() >= until:
        return False
    ended: EndedSessions = current_app.extensions["sprintd-ended"]
    return not ended.has(str(session.get("id")))


def may_see_all(watch: Watch) -> bool:
    """Of an address for programs: whether everything may be told to this one. It may on this machine,
    and to whoever sends the token."""
    at_home = not needs_login(watch.services.config.web)
    return at_home or is_token(watch, bearer_of_request())


def check_token(watch: Watch, sent: str) -> None:
    """Begin a session. Ends the request with 401 for a wrong token, 429 after too many of them."""
    if not is_right_token(watch, sent):
        raise Unauthorized(watch.services.phrases.text("approval.page_wrong_token"))
    _begin(watch.services.clock.now())


def needs_login(section: WebSection) -> bool:
    """Whether this request could come from another machine, as far as can be seen.

    It must be meant for loopback in every respect: where the server listens, what its address and
    its other names are said to be, the name that was asked for and who asks; and no proxy may have
    passed it on. One that says nothing gives itself away by HTTP/1.0, in which nginx passes on unless it
    is told otherwise and no browser asks.
    """
    said = (section.host, section.address and urlsplit(section.address).netloc)
    names = (
        *said,
        *section.allowed_hosts,
        request.environ.get("HTTP_HOST", ""),
        request.remote_addr or "",
    )
    if any(name and not is_loopback(host_name(name)) for name in names):
        return True
    if request.environ.get("SERVER_PROTOCOL") == "HTTP/1.0":
        return True
    return any(name.lower().startswith(_FORWARDED) for name, _ in request.headers)


class _Cookie(SecureCookieSessionInterface):
    """Secure wherever the visitor came by TLS, though the proxy speaks to us without."""

    def get_cookie_secure(self, app: Flask) -> bool:  # noqa: ARG002 - Flask gives it
        return comes_by_tls()


def _add_routes(app: Flask, watch: Watch) -> None:
    @app.get("/login")
    def login_page() -> str:
        return _login_page()

    @app.post("/login")
    def login() -> AnyResponse | tuple[str, int, dict[str, str]]:
        try:
            check_token(watch, request.form.get("token", ""))
        except (Unauthorized, TooManyRequests) as refused:
            wait = getattr(refused, "retry_after", None)
            headers = {"Retry-After": str(wait)} if wait else {}
            return _login_page(str(refused.description)), refused.code, headers
        return redirect(_inside(request.form.get("next", "")), 303)

    @app.post("/logout")
    def logout() -> AnyResponse:
        ended: EndedSessions = current_app.extensions["sprintd-ended"]
        until = _session_until()
        if until is not None:
            ended.add(str(session.get("id")), until, watch.services.clock.now())
        session.clear()
        return redirect(url_for("page"), 303)


def _login_page(problem: str = "") -> str:
    after = _inside(request.values.get("next", ""))
    return render_template("login.html", problem=problem, after=after)


def _look(watch: Watch) -> AnyResponse | None:
    """Before each request: who is there, and whether a form was made here."""
    if request.path in FOR_MACHINES or request.path.startswith(_OPEN_TO_ALL):
        return None
    _note_visitor(watch)
    if request.method == "POST" and request.routing_exception is None:
        _check_form(watch)
        _note_visitor(watch)  # a form with the token begins a session
    if not g.is_stranger or request.path == "/login":
        return None
    if request.method not in ("GET", "HEAD"):
        raise Unauthorized(watch.services.phrases.text("page.log_in_first"))
    return redirect(url_for("login_page", next=request.full_path.rstrip("?")), 303)


def _note_visitor(watch: Watch) -> None:
    g.may_log_out = is_known(watch)
    g.is_stranger = not g.may_log_out and needs_login(watch.services.config.web)


def _check_form(watch: Watch) -> None:
    """Whether a form was made here. One that has the token itself can be no other site's: programs
    send such, and prove themselves by it."""
    say, token = watch.services.phrases.text, request.form.get("token", "")
    if not is_from_here():
        raise Forbidden(say("page.form_from_elsewhere"))
    if has_csrf_token():
        return
    if not token:
        raise Forbidden(say("page.form_too_old"))
    check_token(watch, token)


def _session_until() -> datetime | None:
    """When this visitor's session ends by itself; None where there is none."""
    until = session.get("until")
    try:
        return None if until is None else from_text(str(until))
    except ValueError:
        return None


def _begin(now: datetime) -> None:
    session.clear()
    session.permanent = True
    session["id"] = secrets.token_urlsafe(16)
    session["until"] = to_text(now + timedelta(days=SESSION_DAYS))


def _inside(address: str) -> str:
    """A path of this server; / for any other address, so that nobody is led away after the login."""
    plain = address.startswith("/") and not address.startswith("//") and "\\" not in address
    return address if plain and address.isprintable() else url_for("page")
