"""The daemon's token as people and programs send it; guesses are slowed, whichever way they come."""

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

    Ends the request with 429 where this address sent too many wrong ones.
    """
    tries: Tries = current_app.extensions["sprintd-tries"]
    address, now = request.remote_addr or "", watch.services.clock.monotonic()
    wait = tries.wait_seconds(address, now)
    if wait:
        told = watch.services.phrases.text("page.too_many_tries", seconds=wait)
        raise TooManyRequests(told, retry_after=wait)
    if not hmac.compare_digest(sent.strip().encode(), watch.token.encode()):
        tries.wrong(address, now)
        _log.warning("%s came with a wrong token from %s", request.path[:60], address)
        return False
    tries.right(address)
    return True
