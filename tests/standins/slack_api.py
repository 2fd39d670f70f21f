"""A stand-in for Slack's Web API on loopback: strict about the documented limits, scripted.

with SlackApi() as slack:
    slack.script(rate_limited(30), drops(after_acting=True))
    SlackSender(token=slack.token, channel=slack.channel, base_url=slack.base_url, ...)
    assert slack.keys == [...]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email.utils import format_datetime
from typing import Any

from daemon.clock import Clock, SystemClock
from tests.standins.far_side import Answer, FarSide, Fault, Received

MOST_BLOCKS = 50
SECTION_CHARACTERS = 3_000
HEADER_CHARACTERS = 150
ALL_BLOCKS_CHARACTERS = 13_200  # of no document; from users who met it
TEXT_CHARACTERS = 40_000
PAGE = 999


@dataclass(frozen=True)
class Posted:
    """One message that stands in the channel."""

    ts: str
    body: dict[str, Any]

    @property
    def key(self) -> str:
        return str(self.body.get("metadata", {}).get("event_payload", {}).get("key", ""))

    @property
    def text(self) -> str:
        """All that a reader sees, still escaped."""
        blocks = self.body.get("blocks") or []
        return "".join(block["text"]["text"] for block in blocks) or str(self.body.get("text"))


def rate_limited(seconds: int | None) -> Fault:
    headers = {} if seconds is None else {"Retry-After": str(seconds)}
    return Fault(answer=Answer(429, {"ok": False, "error": "ratelimited"}, headers))


def not_ok(error: str) -> Fault:
    """HTTP 200 and `ok: false`; nothing was posted."""
    return Fault(answer=Answer(200, {"ok": False, "error": error}))


def fails(status: int, *, after_acting: bool = False) -> Fault:
    """An answer of a server in trouble, which may have posted or not."""
    return Fault(acts=after_acting, answer=Answer(status, {}), raw=None)


class SlackApi(FarSide):
    """One workspace with one channel, which the app is in."""

    def __init__(
        self,
        *,
        token: str = "xoxb-test-0123456789",
        channel: str = "C0123456789",
        clock: Clock | None = None,
        chance: Callable[[Received], Fault | None] = lambda request: None,
    ) -> None:
        super().__init__(chance)
        self.token, self.channel = token, channel
        self.posted: list[Posted] = []
        self._clock = clock or SystemClock()

    @property
    def base_url(self) -> str:
        return f"http://{self.host}/api/"

    @property
    def keys(self) -> list[str]:
        """The keys of all messages in the order of the channel, without the workspace's mark."""
        return [message.key.partition("#")[0] for message in self.posted]

    def calls(self, method: str) -> list[Received]:
        return [request for request in self.requests if request.path == f"/api/{method}"]

    def date(self) -> str:
        return format_datetime(self._clock.now(), usegmt=True)

    def act(self, request: Received) -> Answer:
        error = self._complaint(request)
        if error:
            return Answer(404 if error == "unknown_path" else 200, {"ok": False, "error": error})
        if request.path == "/api/chat.postMessage":
            return self._post(request)
        return self._history(request)

    def _complaint(self, request: Received) -> str | None:
        known = ("/api/chat.postMessage", "/api/conversations.history")
        if request.path not in known:
            return "unknown_method" if request.path.startswith("/api/") else "unknown_path"
        sent = request.headers.get("authorization")
        if sent is None:
            return "not_authed"
        if sent != f"Bearer {self.token}":
            return "invalid_auth"
        if not isinstance(request.fields, dict):
            return "invalid_json"
        return None if request.fields.get("channel") == self.channel else "channel_not_found"

    def _post(self, request: Received) -> Answer:
        body = request.fields
        error = "invalid_post_type" if not request.is_json else next(_post_faults(body), None)
        if error:
            return Answer(200, {"ok": False, "error": error})
        # Two messages never share a ts.
        ts = f"{self._clock.now().timestamp():.3f}{len(self.posted):03d}"
        kept = {**body, "text": str(body.get("text", ""))[:TEXT_CHARACTERS]}
        self.posted.append(Posted(ts, kept))
        answer = {"ok": True, "channel": self.channel, "ts": ts, "message": kept}
        return Answer(200, answer)

    def _history(self, request: Received) -> Answer:
        """Newest first, in pages; metadata only where it is asked for."""
        asked = request.fields
        limit = min(int(asked.get("limit", 100)), PAGE)
        start = int(asked.get("cursor") or 0)
        found = [m for m in reversed(self.posted) if float(m.ts) > float(asked.get("oldest", 0))]
        with_metadata = str(asked.get("include_all_metadata", "0")) in ("1", "true", "True")
        page = [
            {"type": "message", "ts": m.ts, "text": m.body["text"]}
            | ({"metadata": m.body.get("metadata", {})} if with_metadata else {})
            for m in found[start : start + limit]
        ]
        more = start + limit < len(found)
        cursor = {"next_cursor": str(start + limit) if more else ""}
        return Answer(
            200, {"ok": True, "messages": page, "has_more": more, "response_metadata": cursor}
        )


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _post_faults(body: dict[str, Any]) -> Iterator[str]:
    blocks = body.get("blocks")
    if not blocks and not str(body.get("text") or "").strip():
        yield "no_text"
    if blocks is not None and (not isinstance(blocks, list) or len(blocks) > MOST_BLOCKS):
        yield "invalid_blocks"
        return
    for block in blocks or ():
        if not _is_sound(block):
            yield "invalid_blocks"
            return
    if sum(_units(block["text"]["text"]) for block in blocks or ()) > ALL_BLOCKS_CHARACTERS:
        yield "msg_blocks_too_long"
    metadata = body.get("metadata", {})
    if metadata and not (
        isinstance(metadata.get("event_type"), str)
        and isinstance(metadata.get("event_payload"), dict)
    ):
        yield "invalid_metadata_format"


def _is_sound(block: Any) -> bool:
    kinds = {
        "section": (("mrkdwn", "plain_text"), SECTION_CHARACTERS),
        "header": (("plain_text",), HEADER_CHARACTERS),
    }
    if not isinstance(block, dict) or block.get("type") not in kinds:
        return False
    types, limit = kinds[block["type"]]
    text = block.get("text")
    return (
        isinstance(text, dict)
        and text.get("type") in types
        and isinstance(text.get("text"), str)
        and 1 <= _units(text["text"]) <= limit
    )
