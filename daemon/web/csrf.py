"""What a form of another site cannot know or fake, so that it cannot act through a visitor."""

from __future__ import annotations

import hashlib
import hmac
from urllib.parse import urlsplit

from flask import current_app, request, session


def csrf_token() -> str:
    """The secret of this visitor's forms; of a visitor without a session, of this daemon.

    Another site can send a form here, but cannot read our pages, so it cannot know the value.
    """
    key = str(current_app.secret_key).encode()
    about = f"csrf:{session.get('id', '')}".encode()
    return hmac.new(key, about, hashlib.sha256).hexdigest()


def has_csrf_token() -> bool:
    """Whether the form of this request is one of ours, made for this visitor."""
    return hmac.compare_digest(request.form.get("csrf", "").encode(), csrf_token().encode())


def is_from_here() -> bool:
    """Whether the browser says that a page of this server sent the request.

    A program that is no browser says nothing and passes. `Origin: null` is what our own forms send
    too, because the pages give no referrer; there Sec-Fetch-Site decides, and without it nobody
    knows, so it is refused.
    """
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site in ("same-origin", "none")
    origin = request.headers.get("Origin")
    return origin is None or urlsplit(origin).netloc == request.environ.get("HTTP_HOST", "")
