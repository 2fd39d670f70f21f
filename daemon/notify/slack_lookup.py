"""Looks through a channel, or a thread, for what one of our sendings left there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Any, Literal

from daemon.errors import SendLater, SendRefused
from daemon.notify.slack_calls import HEADERS, CursorGone, SlackCalls

EVENT_TYPE = "sprintd_message"
PAGE = 200
MOST_PAGES = 200  # 40,000 messages
MOST_PAUSES = 10  # so often a look-up waits for the limit of calls; then it ends
_CLOCK_SLACK = timedelta(minutes=1)
_CLOCK_DOUBT = timedelta(days=1)  # our clock and theirs may differ, and ours may have jumped


@dataclass(frozen=True)
class Wanted:
    """The message that bears a key, or the one that a file of that name came with; in the thread of
    the message `thread`, or among the channel's own (None)."""

    channel: str
    name: str
    since: datetime
    kind: Literal["key", "file"] = "key"
    thread: str | None = None


class SlackLookup:
    """A look-up that has to wait goes on at its page when it is asked for again. One that takes too
    long is refused, so that the channel's other messages are not held up."""

    def __init__(self, calls: SlackCalls) -> None:
        self._calls = calls
        # One of a thread and one of the channel itself: looking through both goes on with both.
        self._searches: dict[bool, _Search] = {}

    def find(self, wanted: Wanted) -> str | None:
        """The message's `ts`, or None. Raises SendError; MessageGone where the thread is gone."""
        place, oldest = wanted.thread is None, (wanted.since - _CLOCK_DOUBT).timestamp()
        search = self._searches.get(place)
        if search is None or search.wanted != wanted:
            search = self._searches[place] = _Search(wanted, max(0.0, oldest))
        before = search.pages
        try:
            found = self._look_through(search)
        except SendLater:
            search.pauses += search.pages > before
            if search.pauses < MOST_PAUSES:
                raise
            del self._searches[place]
            raise self._too_long(search) from None
        except SendRefused:
            del self._searches[place]
            raise
        del self._searches[place]
        return found

    def _look_through(self, search: _Search) -> str | None:
        while search.pages < MOST_PAGES:
            try:
                answer = self._calls.ask(partial(self._page, search))
            except CursorGone:
                search.cursor, search.pages = None, 0
                raise
            search.pages += 1
            for message in answer.get("messages") or ():
                if _is_wanted(message, search.wanted):
                    return str(message["ts"])
            search.cursor = (answer.get("response_metadata") or {}).get("next_cursor") or None
            if search.cursor is None:
                if search.oldest == 0 or not _is_ahead(search.wanted.since, answer.get(HEADERS)):
                    return None
                search.oldest = 0.0  # our clock was ahead: all of the history may have it
        raise self._too_long(search)

    def _too_long(self, search: _Search) -> SendRefused:
        return SendRefused(
            f"{self._calls.host} has too many messages to find one among them ({search.pages} pages "
            "were looked through); look for it in the channel, then retry it or drop it"
        )

    def _page(self, search: _Search) -> Any:
        wanted, client = search.wanted, self._calls.client
        asked: dict[str, Any] = {
            "channel": wanted.channel,
            "oldest": f"{search.oldest:.6f}",
            "include_all_metadata": True,
            "limit": PAGE,
            "cursor": search.cursor,
        }
        if wanted.thread is None:
            return client.conversations_history(**asked)
        return client.conversations_replies(ts=wanted.thread, **asked)


@dataclass
class _Search:
    """A look-up that may have to wait between two pages. `oldest` is a Unix time; 0: all.

    `pauses` counts the waits for the limit of calls that came after at least one more page.
    """

    wanted: Wanted
    oldest: float
    cursor: str | None = None
    pages: int = 0
    pauses: int = 0


def _is_wanted(message: Mapping[str, Any], wanted: Wanted) -> bool:
    if wanted.kind == "file":
        return wanted.name in [file.get("name") for file in message.get("files") or ()]
    metadata = message.get("metadata") or {}
    if metadata.get("event_type") != EVENT_TYPE:
        return False
    return bool((metadata.get("event_payload") or {}).get("key") == wanted.name)


def _is_ahead(since: datetime, headers: Any) -> bool:
    """Whether a moment is still to come by the far side's clock; False where it does not say."""
    said = {name.lower(): value for name, value in dict(headers or {}).items()}.get("date", "")
    try:
        there = parsedate_to_datetime(said)
    except (ValueError, TypeError):
        return False
    return there.tzinfo is not None and since > there + _CLOCK_SLACK
