"""Posts to one Slack channel, once per key.

A payload is `{"text": Markdown, "title": a line of plain text (may be missing)}`. The key travels in
the message's metadata, where `find` looks for it. Text is made inert: whoever wrote it, a model or a
stranger, mentions nobody, links nothing and unfurls nothing.
"""

from __future__ import annotations

import logging
import re
import socket
import ssl
import urllib.error
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Any

from slack_sdk.errors import SlackApiError

from daemon.config.addresses import host_of
from daemon.errors import SendError, SendLater, SendRefused, SendUncertain
from daemon.notify.channels import SLACK_UNFURLS
from daemon.notify.exchange import Busy, told_to_wait, within
from daemon.notify.slack_blocks import Note, blocks_of, brief_of, plain_of
from daemon.notify.slack_client import QuietClient

BASE_URL = "https://slack.com/api/"
EVENT_TYPE = "sprintd_message"
READ_SECONDS = 15.0
PAGE = 200
MOST_PAGES = 200  # 40,000 messages
MOST_PAUSES = 10  # so often a look-up waits for the limit of calls; then it ends
_CLOCK_SLACK = timedelta(minutes=1)
_CLOCK_DOUBT = timedelta(days=1)  # our clock and theirs may differ, and ours may have jumped

_HEADERS = "http_headers"

_LATER = ("ratelimited", "rate_limited", "service_unavailable", "team_added_to_org")
_UNCERTAIN = ("fatal_error", "internal_error", "request_timeout")  # parts may have succeeded
_BLOCKS_REFUSED = ("invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long")
_TOKEN = "put a valid bot token into the secret slack_bot_token and restart"  # noqa: S105
_CURES = {
    "invalid_auth": _TOKEN,
    "not_authed": _TOKEN,
    "account_inactive": _TOKEN,
    "token_revoked": _TOKEN,
    "token_expired": _TOKEN,
    "missing_scope": "give the app the scopes chat:write and channels:history (groups:history for "
    "a private channel) and install it again",
    "channel_not_found": "correct slack.channel (an id such as C0123456789) and invite the app",
    "not_in_channel": "invite the app to the channel of slack.channel",
    "is_archived": "name a channel that is not archived in slack.channel",
}
_log = logging.getLogger(__name__)


class SlackSender:
    """`base_url` is empty for Slack itself. `read_seconds` is the longest silence of an answer, and
    twice that the longest exchange. `note` says that so many characters were left out."""

    def __init__(
        self,
        *,
        token: str,
        channel: str,
        note: Note,
        base_url: str = "",
        read_seconds: float = READ_SECONDS,
        busy: Busy | None = None,
    ) -> None:
        base_url = base_url or BASE_URL
        self._channel = channel
        self._note = note
        self._host = host_of(base_url)
        self._longest = 2 * read_seconds
        self._busy = busy
        self._client = QuietClient(token, base_url, read_seconds)
        self._search: _Search | None = None

    def send(self, key: str, payload: Mapping[str, Any]) -> str:
        """Post with blocks; where Slack refuses their form, once more as plain text."""
        blocks = blocks_of(payload, self._note)
        try:
            return self._post(key, brief_of(payload), blocks)
        except _BlocksRefused as refusal:
            _log.warning("%s is posted as plain text: %s", key, refusal)
            return self._post(key, plain_of(payload, self._note), None)

    def find(self, key: str, payload: Mapping[str, Any], *, since: datetime) -> str | None:  # noqa: ARG002
        """The message's `ts` in the channel's history, or None.

        A look-up that has to wait goes on at its page when it is asked for again. One that takes
        too long is refused, so that the channel's other messages are not held up.
        """
        if self._search is None or (self._search.key, self._search.since) != (key, since):
            self._search = _Search(key, since, max(0.0, (since - _CLOCK_DOUBT).timestamp()))
        search, before = self._search, self._search.pages
        try:
            found = self._look_through(search)
        except SendLater:
            search.pauses += search.pages > before
            if search.pauses < MOST_PAUSES:
                raise
            self._search = None
            raise self._too_long(search) from None
        except SendRefused:
            self._search = None
            raise
        self._search = None
        return found

    def close(self) -> None:
        """There is nothing to give up: each request has its own connection."""

    def _post(self, key: str, text: str, blocks: list[dict[str, Any]] | None) -> str:
        answer = self._call(
            lambda: self._client.chat_postMessage(
                channel=self._channel,
                text=text,
                blocks=blocks,
                mrkdwn=False,
                parse="none",
                link_names=False,
                unfurl_links=SLACK_UNFURLS,
                unfurl_media=SLACK_UNFURLS,
                metadata={"event_type": EVENT_TYPE, "event_payload": {"key": key}},
            )
        )
        return str(answer.get("ts") or "")

    def _look_through(self, search: _Search) -> str | None:
        while search.pages < MOST_PAGES:
            try:
                answer = self._call(partial(self._page, search.oldest, search.cursor))
            except _CursorGone:
                search.cursor, search.pages = None, 0
                raise
            search.pages += 1
            for message in answer.get("messages") or ():
                if _key_of(message) == search.key:
                    return str(message["ts"])
            search.cursor = (answer.get("response_metadata") or {}).get("next_cursor") or None
            if search.cursor is None:
                if search.oldest == 0 or not _is_ahead(search.since, answer.get(_HEADERS)):
                    return None
                search.oldest = 0.0  # our clock was ahead: all of the history may have it
        raise self._too_long(search)

    def _too_long(self, search: _Search) -> SendRefused:
        return SendRefused(
            f"{self._host} has too many messages to find one among them ({search.pages} pages were "
            "looked through); look for it in the channel, then retry it or drop it"
        )

    def _page(self, oldest: float, cursor: str | None) -> Any:
        return self._client.conversations_history(
            channel=self._channel,
            oldest=f"{oldest:.6f}",
            include_all_metadata=True,
            limit=PAGE,
            cursor=cursor,
        )

    def _call(self, call: Callable[[], Any]) -> Mapping[str, Any]:
        """The answer's fields. An error of the library becomes one of ours, without its chain."""
        error: SendError
        try:
            answer = within(self._longest, call, self._host, self._busy)
            return {**answer.data, _HEADERS: answer.headers}
        except SendError:
            raise
        except SlackApiError as failure:
            error = _explain_answer(failure.response, self._host)
        except Exception as failure:  # noqa: BLE001 - whatever comes, it may have arrived
            error = _explain_transport(failure, self._host)
        raise error


class _BlocksRefused(SendRefused):
    """Slack did not take the form of the blocks."""


class _CursorGone(SendUncertain):
    """Slack no longer knows the place in the history where a look-up waited."""


@dataclass
class _Search:
    """A look-up that may have to wait between two pages. `oldest` is a Unix time; 0: all.

    `pauses` counts the waits for the limit of calls that came after at least one more page.
    """

    key: str
    since: datetime
    oldest: float
    cursor: str | None = None
    pages: int = 0
    pauses: int = 0


def _key_of(message: Mapping[str, Any]) -> str | None:
    """The key that one of our messages bears; None for everything else."""
    metadata = message.get("metadata") or {}
    if metadata.get("event_type") != EVENT_TYPE:
        return None
    return (metadata.get("event_payload") or {}).get("key")


def _is_ahead(since: datetime, headers: Any) -> bool:
    """Whether a moment is still to come by the far side's clock; False where it does not say."""
    said = {name.lower(): value for name, value in dict(headers or {}).items()}.get("date", "")
    try:
        there = parsedate_to_datetime(said)
    except (ValueError, TypeError):
        return False
    return there.tzinfo is not None and since > there + _CLOCK_SLACK


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
        return _CursorGone(f"{host} failed ({code})")
    if not code:
        return SendRefused(f"there is no Slack API at {host} ({status}); correct slack.base_url")
    if code in _BLOCKS_REFUSED:
        return _BlocksRefused(f"{host} refuses the message's form ({code})")
    cure = _CURES.get(code)
    return SendRefused(f"{host} refuses the message ({code})" + (f"; {cure}" if cure else ""))


def _explain_transport(error: Exception, host: str) -> SendError:
    """A failure below HTTP. Only one that surely came before the request is no cause for doubt."""
    reason = error.reason if isinstance(error, urllib.error.URLError) else None
    never_connected = (ConnectionRefusedError, socket.gaierror, ssl.SSLCertVerificationError)
    if isinstance(reason, never_connected):
        why = getattr(reason, "strerror", None) or type(reason).__name__
        return SendLater(f"{host} cannot be reached ({why})")
    cause = reason if isinstance(reason, Exception) else error
    return SendUncertain(f"the exchange with {host} broke ({type(cause).__name__})")
