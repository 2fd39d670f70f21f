"""What a form of another site cannot know or fake, so that it cannot act through a visitor."""

from __future__ import annotations

import hashlib
import hmac
import secrets

from flask import current_app, request, session


def csrf_token() -> str:
    """The secret of this visitor's forms, made from the id in the signed cookie.

    Another site can send a form here, but cannot read our pages, so it cannot know the value. Whoever
    did not log in gets an id with the first form; it is no session, and ends with the browser.
    """
    if "id" not in session:
        session["id"] = secrets.token_urlsafe(16)
    return _secret_of(str(session["id"]))


def has_csrf_token() -> bool:
    """Whether the form of this request is one of ours, made for this visitor."""
    visitor, sent = session.get("id", ""), request.form.get("csrf", "")
    return bool(visitor) and hmac.compare_digest(sent.encode(), _secret_of(visitor).encode())


def is_from_here() -> bool:
    """Whether the browser says that a page of this server sent the request.

    A program that is no browser says nothing and passes. Over plain HTTP on a network browsers leave
    Sec-Fetch-Site out, and Origin decides. One with http is not of this server where visitors come by
    TLS: whoever sits on the line could have made that page.
    """
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site in ("same-origin", "none")
    origin = request.headers.get("Origin")
    if origin is None:
        return True
    scheme, separator, place = origin.partition("://")
    allowed = ("https",) if comes_by_tls() else ("http", "https")
    return bool(separator) and scheme in allowed and place == request.environ.get("HTTP_HOST", "")


def comes_by_tls() -> bool:
    """Whether the visitor came by TLS: a proxy in front says so, or `web.address` does."""
    forwarded = request.headers.get("X-Forwarded-Proto", "")
    said = current_app.config["PREFERRED_URL_SCHEME"]
    return request.is_secure or "https" in (forwarded, said)


def _secret_of(visitor: str) -> str:
    key = str(current_app.secret_key).encode()
    return hmac.new(key, f"csrf:{visitor}".encode(), hashlib.sha256).hexdigest()
