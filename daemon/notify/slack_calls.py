"""One call of Slack's Web API: under a total deadline, and what came of it in our words."""

from __future__ import annotations

import re
import socket
import ssl
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from slack_sdk.errors import SlackApiError

from daemon.config.addresses import host_of, is_this_machine
from daemon.errors import SendError, SendHeld, SendLater, SendRefused, SendUncertain
from daemon.notify.exchange import Busy, told_to_wait, within
from daemon.notify.slack_app import CURES
from daemon.notify.slack_client import QuietClient

HEADERS = "http_headers"

_LATER = ("ratelimited", "rate_limited", "service_unavailable", "team_added_to_org")
_UNCERTAIN = ("fatal_error", "internal_error", "request_timeout")  # parts may have succeeded
_BLOCKS_REFUSED = (
    "invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "block_mismatch",
)  # fmt: skip
_GONE = (
    "message_not_found", "cant_update_message", "edit_window_closed", "update_failed",
    "thread_not_found", "cannot_reply_to_message", "restricted_action_thread_locked",
)  # fmt: skip


class SlackRefused(SendRefused):
    """Slack said no; `code` is its own word for why."""

    code = ""


class BlocksRefused(SlackRefused):
    """Slack did not take the form of the blocks."""


class MessageGone(SlackRefused):
    """The message that was to be edited or answered cannot be, now or ever."""


class NoScope(SlackRefused):
    """The app was not given the right to do this."""


class CursorGone(SendUncertain):
    """Slack no longer knows the place in the history where a look-up waited."""


class SlackCalls:
    """`read_seconds` is the longest silence of an answer, and twice that the longest exchange."""

    def __init__(
        self, token: str, base_url: str, read_seconds: float, busy: Busy | None = None
    ) -> None:
        self.client = QuietClient(token, base_url, read_seconds)
        self.host = host_of(base_url)
        self._base_url = base_url
        self._read_seconds = read_seconds
        self._busy = busy

    def ask(self, call: Callable[[], Any]) -> Mapping[str, Any]:
        """The answer's fields, its headers under HEADERS. Raises SendError, without a chain."""
        error: SendError
        try:
            answer = within(2 * self._read_seconds, call, self.host, self._busy)
            return {**answer.data, HEADERS: answer.headers}
        except SendError:
            raise
        except SlackApiError as failure:
            error = _explain_answer(failure.response, self.host)
        except Exception as failure:  # noqa: BLE001 - whatever comes, it may have arrived
            error = _explain_transport(failure, self.host)
        raise error

    def upload(self, url: str, data: bytes) -> None:
        """Put bytes where Slack said, without the token. Raises SendError."""
        parts = urlsplit(url)
        near = parts.netloc == urlsplit(self._base_url).netloc and is_this_machine(
            parts.hostname or ""
        )
        if parts.scheme != "https" and not near:
            raise SendRefused(f"{self.host} names an address for files that is not https://")
        request = urllib.request.Request(  # noqa: S310 - its scheme was looked at
            url, data=data, method="POST", headers={"Content-Type": "application/octet-stream"}
        )
        error: SendError
        try:
            within(2 * self._read_seconds, lambda: self.client.send_bytes(request), self.host,
                   self._busy)  # fmt: skip
            return
        except SendError:
            raise
        except Exception as failure:  # noqa: BLE001 - the same
            error = _explain_transport(failure, self.host)
        raise error


def _explain_answer(answer: Any, host: str) -> SendError:
    """What an answer that is not ok means: refused, later, or in doubt."""
    status = int(answer.status_code)
    said = answer.data.get("error") if isinstance(answer.data, dict) else None
    code = said if isinstance(said, str) and re.fullmatch(r"[a-z0-9_-]{1,80}", said) else ""
    if status == 429 or code in _LATER:
        seconds = told_to_wait(answer.headers)
        return SendLater(f"{host} asks to post less often", retry_after_seconds=seconds)
    if status >= 500 or status == 408 or code in _UNCERTAIN or (status == 200 and not code):
        return SendUncertain(f"{host} failed ({code or status})")
    if code == "invalid_cursor":
        return CursorGone(f"{host} failed ({code})")
    if not code:
        return SendHeld(f"there is no Slack API at {host} ({status}); correct slack.base_url")
    return _explain_refusal(code, host)


def _explain_refusal(code: str, host: str) -> SlackRefused:
    cure = CURES.get(code)
    words = f"{host} refuses the message ({code})" + (f"; {cure}" if cure else "")
    error: SlackRefused
    if code in _BLOCKS_REFUSED:
        error = BlocksRefused(f"{host} refuses the message's form ({code})")
    elif code in _GONE:
        error = MessageGone(words)
    else:
        error = NoScope(words) if code == "missing_scope" else SlackRefused(words)
    error.code = code
    return error


def _explain_transport(error: Exception, host: str) -> SendError:
    """A failure below HTTP. Only one that surely came before the request is no cause for doubt."""
    reason = error.reason if isinstance(error, urllib.error.URLError) else None
    never_connected = (ConnectionRefusedError, socket.gaierror, ssl.SSLCertVerificationError)
    if isinstance(reason, never_connected):
        why = getattr(reason, "strerror", None) or type(reason).__name__
        return SendLater(f"{host} cannot be reached ({why})")
    cause = reason if isinstance(reason, Exception) else error
    return SendUncertain(f"the exchange with {host} broke ({type(cause).__name__})")
