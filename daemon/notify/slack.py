"""Posts to one Slack channel, once per key; edits what it posted, and answers in its thread.

What a payload holds is said in notify/message.py; the outbox adds `_edits_ts` and `_thread_ts`, the
names of earlier messages. The key travels in the message's metadata, where `find` looks for it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Any

from daemon.config.phrases import Phrases
from daemon.errors import SendHeld, SendRefused
from daemon.notify.channels import SLACK_UNFURLS
from daemon.notify.exchange import Busy
from daemon.notify.slack_app import SHUT_CHANNEL, SHUT_OUT
from daemon.notify.slack_blocks import Block, Drawn, brief_of, draw, plain_of, where_it_stands
from daemon.notify.slack_buttons import Look
from daemon.notify.slack_calls import (
    BlocksRefused,
    MessageGone,
    NoScope,
    SlackCalls,
    SlackRefused,
)
from daemon.notify.slack_files import Attachment, SlackFiles, file_name
from daemon.notify.slack_lookup import EVENT_TYPE, SlackLookup, Wanted

BASE_URL = "https://slack.com/api/"
READ_SECONDS = 15.0
_log = logging.getLogger(__name__)


class SlackSender:
    """`base_url` is empty for Slack itself. `read_seconds` is the longest silence of an answer, and
    twice that the longest exchange. `look` says how messages look, and where their links lead."""

    def __init__(
        self,
        *,
        token: str,
        channel: str,
        look: Look | None = None,
        base_url: str = "",
        read_seconds: float = READ_SECONDS,
        busy: Busy | None = None,
    ) -> None:
        self._channel = channel
        self._look = look or Look(Phrases("en"))
        self._calls = SlackCalls(token, base_url or BASE_URL, read_seconds, busy)
        self._lookup = SlackLookup(self._calls)
        self._files = SlackFiles(self._calls)

    def send(self, key: str, payload: Mapping[str, Any]) -> str:
        """Post a message, or put it in the place of an earlier one; the message's `ts`.

        1. Put up its file, where it has one: nobody sees it yet.
        2. Post or edit, with blocks; where Slack refuses their form, once more as plain text.
        3. Share the file in the thread.
        """
        with _told_apart(payload):
            return self._send(key, payload)

    def find(self, key: str, payload: Mapping[str, Any], *, since: datetime) -> str | None:
        """The message's `ts`, its file shared first where it is missing; or None.

        An edit is not looked for: to make it again changes nothing.
        """
        if payload.get("_edits_ts"):
            return None
        with _told_apart(payload):
            ts = self._find(key, payload, since, payload.get("_thread_ts"))
            if ts is not None:
                self._finish(key, payload, ts)
            return ts

    def close(self) -> None:
        """There is nothing to give up: each request has its own connection."""

    def _send(self, key: str, payload: Mapping[str, Any]) -> str:
        payload, drawn = self._drawn(key, payload)
        file, blocks = None, drawn.blocks
        if drawn.left_out or payload.get("file"):
            file = self._files.put_up(key, payload)
            if drawn.left_out or file is None:
                blocks = [*blocks, where_it_stands(self._look, file=file is not None)]
        ts = self._place(key, payload, blocks)
        if file:
            self._share_once(file, key, payload, ts)
        return ts

    def _finish(self, key: str, payload: Mapping[str, Any], ts: str) -> None:
        """Share the file of a message that is there, where it needs one and has none."""
        payload, drawn = self._drawn(key, payload)
        needs_file = payload.get("file") or drawn.left_out
        if needs_file and not self._has_named(file_name(key), payload, ts):
            file = self._files.put_up(key, payload)
            self._share(file, key, payload, ts)

    def _drawn(self, key: str, payload: Mapping[str, Any]) -> tuple[Mapping[str, Any], Drawn]:
        """Where a fault of ours is in its parts, a message goes as its text: something arrives."""
        try:
            return payload, draw(payload, self._look)
        except Exception as error:  # noqa: BLE001 - whatever is wrong with them, the text is there
            _log.error("%s goes without its parts, for they cannot be drawn: %r", key, error)
        told = {**payload, "parts": ()}
        return told, draw(told, self._look)

    def _place(self, key: str, payload: Mapping[str, Any], blocks: list[Block]) -> str:
        edited = payload.get("_edits_ts")
        try:
            if edited:
                return self._in_form(key, payload, blocks, {"ts": str(edited)})
            thread = payload.get("_thread_ts")
            return self._in_form(key, payload, blocks, {"thread_ts": thread} if thread else {})
        except MessageGone as gone:
            _log.warning("%s is posted as a message of its own: %s", key, gone)
        if edited:  # an earlier try may have come as far as this
            since = datetime.fromtimestamp(float(edited), UTC)
            found = self._find(key, payload, since, None)
            if found:
                return found
        return self._in_form(key, payload, blocks, {})

    def _in_form(
        self, key: str, payload: Mapping[str, Any], blocks: list[Block], place: Mapping[str, str]
    ) -> str:
        """Post, or edit where the place is a `ts`; as plain text where the blocks are refused."""
        said = {"channel": self._channel_of(payload), "parse": "none", "link_names": False, **place}
        try:
            return self._write(key, {**said, "text": brief_of(payload), "blocks": blocks})
        except BlocksRefused as refusal:
            _log.warning("%s is posted as plain text: %s", key, refusal)
        # No blocks at all: an edit without any word of them would keep the old ones.
        empty: dict[str, Any] = {"blocks": []} if "ts" in place else {}
        return self._write(key, {**said, "text": plain_of(payload, self._look), **empty})

    def _write(self, key: str, said: dict[str, Any]) -> str:
        try:
            return self._written(key, said)
        except NoScope as error:  # of a look-up it concerns that message alone
            raise SendHeld(str(error)) from None

    def _written(self, key: str, said: dict[str, Any]) -> str:
        client = self._calls.client
        if "ts" in said:  # its metadata stays as it was, and so it is still found by its own key
            self._calls.ask(lambda: client.chat_update(**said))
            return str(said["ts"])
        answer = self._calls.ask(
            lambda: client.chat_postMessage(
                mrkdwn=False,
                unfurl_links=SLACK_UNFURLS,
                unfurl_media=SLACK_UNFURLS,
                metadata={"event_type": EVENT_TYPE, "event_payload": {"key": key}},
                **said,
            )
        )
        return str(answer.get("ts") or "")

    def _find(
        self, key: str, payload: Mapping[str, Any], since: datetime, thread: str | None
    ) -> str | None:
        """In the thread, and in the channel: there it stands where the thread took no answer."""
        channel, found = self._channel_of(payload), None
        if thread:
            with suppress(MessageGone):
                found = self._lookup.find(Wanted(channel, key, since, thread=thread))
        return found or self._lookup.find(Wanted(channel, key, since))

    def _share_once(self, file: Attachment, key: str, payload: Mapping[str, Any], ts: str) -> None:
        """A message that was just posted has no file yet; one that is edited may have it."""
        if not payload.get("_edits_ts") or not self._has_named(file.name, payload, ts):
            self._share(file, key, payload, ts)

    def _share(
        self, file: Attachment | None, key: str, payload: Mapping[str, Any], ts: str
    ) -> None:
        """Where the file is refused for good, the message says so instead of promising it."""
        if file and self._files.share(file, self._channel_of(payload), _root(payload, ts)):
            return
        blocks = [*draw(payload, self._look).blocks, where_it_stands(self._look, file=False)]
        try:
            self._in_form(key, payload, blocks, {"ts": ts})
        except SendRefused as error:
            _log.warning("%s promises a file that is not there: %s", key, error)

    def _has_named(self, name: str, payload: Mapping[str, Any], ts: str) -> bool:
        root = _root(payload, ts)
        since = datetime.fromtimestamp(float(root), UTC)
        wanted = Wanted(self._channel_of(payload), name, since, kind="file", thread=root)
        return self._lookup.find(wanted) is not None

    def _channel_of(self, payload: Mapping[str, Any]) -> str:
        """Another place than the founders' only with a permit, which the outbox has looked at."""
        to = payload.get("to")
        if to and not payload.get("approval"):
            raise SendRefused("a message to another place needs an approval, and has none")
        return str(to or self._channel)


@contextmanager
def _told_apart(payload: Mapping[str, Any]) -> Iterator[None]:
    """A refusal that every message of the founders' channel would meet holds the channel. What was for
    another place may be wrong about that place alone."""
    try:
        yield
    except SlackRefused as error:
        shut = SHUT_OUT if payload.get("to") else SHUT_OUT | SHUT_CHANNEL
        if error.code in shut:
            raise SendHeld(str(error)) from None
        raise


def _root(payload: Mapping[str, Any], ts: str) -> str:
    """The message that a thread hangs on; a thread has no threads."""
    return str(payload.get("_thread_ts") or ts)
