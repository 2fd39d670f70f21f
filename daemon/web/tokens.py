"""The daemon's token as people and programs send it, whichever way it comes."""

from __future__ import annotations

import hmac
import logging

from flask import current_app, request
from werkzeug.exceptions import TooManyRequests

from daemon.web.tries import Tries
from daemon.web.watch import Watch

_log = logging.getLogger(__name__)


def is_right_token(watch: Watch, sent: str) -> bool:
    """Whether it is the token of state/token; a wrong one is counted and logged.

    Ends the request with 429 where this address sent too many wrong ones. The right one always
    passes: behind a proxy all have one address, and whoever guesses there must not lock the owner
    out. Its 256 bits are what stands against guessing; the waiting spares the log and says so.
    """
    tries: Tries = current_app.extensions["sprintd-tries"]
    address, now = request.remote_addr or "", watch.services.clock.monotonic()
    if is_token(watch, sent):
        tries.right(address)
        return True
    wait = tries.wait_seconds(address, now)
    if wait:
        told = watch.services.phrases.text("page.too_many_tries", seconds=wait)
        raise TooManyRequests(told, retry_after=wait)
    tries.wrong(address, now)
    _log.warning("%s came with a wrong token from %s", request.path[:60], address)
    return False


def bearer_of_request() -> str:
    """What `Authorization: Bearer` carries; empty where there is none."""
    scheme, _, sent = request.headers.get("Authorization", "").partition(" ")
    return sent.strip() if scheme.lower() == "bearer" else ""


def is_token(watch: Watch, sent: str) -> bool:
    """Whether it is the token, of one who only reads: nothing is counted and nobody waits."""
    return hmac.compare_digest(sent.strip().encode(), watch.token.encode())
