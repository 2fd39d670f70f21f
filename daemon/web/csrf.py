"""What a form of another site cannot know or fake, so that it cannot act through a visitor."""

from __future__ import annotations

import hashlib
import hmac

from flask import current_app, session


def csrf_token() -> str:
    """The secret of this visitor's forms; of a visitor without a session, of this daemon.

    Another site can send a form here, but cannot read our pages, so it cannot know the value.
    """
    key = str(current_app.secret_key).encode()
    about = f"csrf:{session.get('id', '')}".encode()
    return hmac.new(key, about, hashlib.sha256).hexdigest()
