"""A long text as a file in its message's thread, once; its name bears the message's key.

Bytes are put up before the message is posted, where nobody sees them: so it is known beforehand whether
the app may share files, and the message can say where the rest of it stands.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from daemon.config.visible import visible
from daemon.errors import SendError, SendLater, SendRefused, SendUncertain
from daemon.notify import message
from daemon.notify.slack_calls import NoScope, SlackCalls
from daemon.notify.slack_text import plain_text

_LONGEST_NAME = 200
_LONGEST_TITLE = 150
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Attachment:
    """`id` is Slack's name for bytes that were put up and not shared yet."""

    id: str
    name: str
    title: str


class SlackFiles:
    def __init__(self, calls: SlackCalls) -> None:
        self._calls = calls
        self._has_said = False
        self._refused: set[str] = set()

    def put_up(self, key: str, payload: Mapping[str, Any]) -> Attachment | None:
        """None where Slack does not let the app, which is logged once. Raises SendLater: nothing of
        it can be seen, so it may be done again."""
        name, data = file_name(key), visible(_text_of(payload)).encode()
        try:
            place = self._calls.ask(
                lambda: self._calls.client.files_getUploadURLExternal(
                    filename=name, length=len(data)
                )
            )
            self._calls.upload(str(place.get("upload_url") or ""), data)
        except SendRefused as error:  # the message itself may well be taken
            self._say_once(error)
            return None
        except SendUncertain as error:
            raise SendLater(str(error), retry_after_seconds=error.retry_after_seconds) from None
        file = payload.get("file") or {}
        title = str(file.get("name") or payload.get("title") or name)
        title = plain_text(title, _LONGEST_TITLE)["text"]
        return Attachment(str(place.get("file_id") or ""), name, title)

    def share(self, file: Attachment, channel: str, thread: str) -> bool:
        """Let it appear in a thread. What is not done then is in doubt, for the message is there.

        The first refusal too: bytes may have been lost on their way, so that they are put up once
        more. A second one is logged, and the message goes without its file: False.
        """
        try:
            self._calls.ask(
                lambda: self._calls.client.files_completeUploadExternal(
                    files=[{"id": file.id, "title": file.title}],
                    channel_id=channel,
                    thread_ts=thread,
                )
            )
        except SendError as error:
            if isinstance(error, SendRefused) and file.name in self._refused:
                self._refused.discard(file.name)
                _log.error("a message stays without its file %s: %s", file.name, error)
                return False
            if isinstance(error, SendRefused):
                self._refused.add(file.name)
            seconds = getattr(error, "retry_after_seconds", None)
            raise SendUncertain(
                f"the message's file is not there yet: {error}", retry_after_seconds=seconds
            ) from None
        return True

    def _say_once(self, error: SendRefused) -> None:
        if not self._has_said:
            cure = "give the app the scope files:write and install it again"
            why = cure if isinstance(error, NoScope) else str(error)
            _log.error("long messages go to Slack without their file: %s", why)
        self._has_said = True


def file_name(key: str) -> str:
    """The name that a message's file has, and no other's."""
    stem = re.sub(r"[^A-Za-z0-9]+", "-", key).strip("-")
    return f"{stem[-_LONGEST_NAME:]}.md"


def _text_of(payload: Mapping[str, Any]) -> str:
    file = payload.get("file")
    if file:
        return str(file["text"])
    if payload.get("parts"):
        return message.as_markdown(payload["parts"])
    title, text = str(payload.get("title") or ""), str(payload.get("text") or "")
    return text if text.startswith(title) else f"{title}\n\n{text}"
