"""A stand-in for Slack's Web API on loopback: strict about the documented limits, scripted.

with SlackApi() as slack:
    slack.script(rate_limited(30), drops(after_acting=True))
    SlackSender(token=slack.token, channel=slack.channel, base_url=slack.base_url, ...)
    assert slack.keys == [...]
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from email.utils import format_datetime
from typing import Any

from daemon.clock import Clock, SystemClock
from tests.standins.far_side import Answer, FarSide, Fault, Received
from tests.standins.slack_rules import message_faults, texts_of

TEXT_CHARACTERS = 40_000
PAGE = 999
_POSTED = {
    "channel", "text", "blocks", "metadata", "mrkdwn", "parse", "link_names", "unfurl_links",
    "unfurl_media", "thread_ts", "reply_broadcast",
}  # fmt: skip
_UPDATED = {"channel", "ts", "text", "blocks", "metadata", "parse", "link_names"}


@dataclass(frozen=True)
class Posted:
    """One message that stands in the channel."""

    ts: str
    body: dict[str, Any]
    thread: str | None = None
    files: tuple[dict[str, str], ...] = ()

    @property
    def key(self) -> str:
        return str(self.body.get("metadata", {}).get("event_payload", {}).get("key", ""))

    @property
    def text(self) -> str:
        """All that a reader sees, still escaped."""
        return "".join(texts_of(self.body.get("blocks") or [])) or str(self.body.get("text"))


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
    """One workspace with one channel, which the app is in. `scopes` are the app's rights."""

    def __init__(
        self,
        *,
        token: str = "xoxb-test-0123456789",
        channel: str = "C0123456789",
        clock: Clock | None = None,
        chance: Callable[[Received], Fault | None] = lambda request: None,
        scopes: tuple[str, ...] = ("chat:write", "channels:history", "files:write"),
    ) -> None:
        super().__init__(chance)
        self.token, self.channel, self.scopes = token, channel, scopes
        self.posted: list[Posted] = []
        self.uploads: dict[str, Upload] = {}
        self.archived = False
        self._clock = clock or SystemClock()

    @property
    def base_url(self) -> str:
        return f"http://{self.host}/api/"

    @property
    def keys(self) -> list[str]:
        """The keys of all messages in the order of the channel, without the workspace's mark."""
        return [message.key.partition("#")[0] for message in self.posted if message.key]

    def calls(self, method: str) -> list[Received]:
        return [request for request in self.requests if request.path == f"/api/{method}"]

    def answers(self, ts: str) -> list[Posted]:
        """What stands in the thread of a message."""
        return [message for message in self.posted if message.thread == ts]

    def file_text(self, name: str) -> str:
        """What the file of this name holds that was shared."""
        (found,) = (one for one in self.uploads.values() if one.name == name and one.shared)
        return (found.data or b"").decode()

    def date(self) -> str:
        return format_datetime(self._clock.now(), usegmt=True)

    def act(self, request: Received) -> Answer:
        if request.path.startswith("/upload/"):
            return self._take_bytes(request)
        error = self._complaint(request)
        if error:
            return Answer(404 if error == "unknown_path" else 200, {"ok": False, "error": error})
        return self._methods()[request.path.removeprefix("/api/")](request)

    def _methods(self) -> dict[str, Callable[[Received], Answer]]:
        return {
            "chat.postMessage": self._post,
            "chat.update": self._update,
            "conversations.history": self._history,
            "conversations.replies": self._replies,
            "files.getUploadURLExternal": self._offer_upload,
            "files.completeUploadExternal": self._share,
        }

    def _complaint(self, request: Received) -> str | None:
        method = request.path.removeprefix("/api/")
        if method not in self._methods():
            return "unknown_method" if request.path.startswith("/api/") else "unknown_path"
        sent = request.headers.get("authorization")
        if sent is None:
            return "not_authed"
        if sent != f"Bearer {self.token}":
            return "invalid_auth"
        if not isinstance(request.fields, dict):
            return "invalid_json"
        scope = {"ch": "chat:write", "co": "channels:history", "fi": "files:write"}[method[:2]]
        if scope not in self.scopes:
            return "missing_scope"
        name = "channel_id" if method == "files.completeUploadExternal" else "channel"
        if method == "files.getUploadURLExternal" or request.fields.get(name) == self.channel:
            return "is_archived" if self.archived and method.startswith("chat.") else None
        return "channel_not_found"

    def _post(self, request: Received) -> Answer:
        body = request.fields
        error = _form_fault(request, _POSTED)
        thread = body.get("thread_ts")
        if not error and thread and (root := self._message(str(thread))) is not None:
            thread = root.thread or thread
        elif thread:
            error = error or "thread_not_found"
        if error:
            return _refused(error)
        kept = {**body, "text": str(body.get("text", ""))[:TEXT_CHARACTERS]}
        ts = self._put(kept, thread)
        answer = {"ok": True, "channel": self.channel, "ts": ts, "message": kept}
        return Answer(200, answer)

    def _put(
        self, body: dict[str, Any], thread: str | None, files: tuple[dict[str, str], ...] = ()
    ) -> str:
        """Two messages never share a ts."""
        ts = f"{self._clock.now().timestamp():.3f}{len(self.posted):03d}"
        self.posted.append(Posted(ts, body, thread, files))
        return ts

    def _update(self, request: Received) -> Answer:
        """What is not named stays: blocks and metadata too. `parse` is `client` where not named."""
        body = request.fields
        found = self._message(str(body.get("ts")))
        if found is None:
            return _refused("message_not_found")
        if not found.key:
            return _refused("cant_update_message")
        error = _form_fault(request, _UPDATED)
        if error:
            return _refused(error)
        changed = {name: body[name] for name in body if name not in ("channel", "ts")}
        at = self.posted.index(found)
        self.posted[at] = replace(found, body={**found.body, "parse": "client", **changed})
        return Answer(200, {"ok": True, "channel": self.channel, "ts": found.ts})

    def _message(self, ts: str) -> Posted | None:
        return next((message for message in self.posted if message.ts == ts), None)

    def _history(self, request: Received) -> Answer:
        """Newest first, in pages, without the threads; metadata only where it is asked for."""
        return _in_pages(request, [m for m in reversed(self.posted) if m.thread is None])

    def _replies(self, request: Received) -> Answer:
        """The thread's head, then its answers, the oldest first."""
        ts = str(request.fields.get("ts"))
        head = self._message(ts)
        if head is None:
            return _refused("thread_not_found")
        return _in_pages(request, [head, *self.answers(ts)])

    def _offer_upload(self, request: Received) -> Answer:
        name, length = request.fields.get("filename"), request.fields.get("length", "")
        if not name or not str(length).isdigit() or int(length) == 0:
            return _refused("invalid_arguments")
        name_of_it = f"F{len(self.uploads):05d}"
        self.uploads[name_of_it] = Upload(str(name), int(length))
        url = f"http://{self.host}/upload/{name_of_it}"
        return Answer(200, {"ok": True, "upload_url": url, "file_id": name_of_it})

    def _take_bytes(self, request: Received) -> Answer:
        """No token may come here, and exactly as many bytes as were told."""
        upload = self.uploads.get(request.path.removeprefix("/upload/"))
        if upload is None or "authorization" in request.headers:
            return Answer(403, {})
        if len(request.raw) != upload.length:
            return Answer(400, {})
        upload.data = request.raw
        return Answer(200, {})

    def _share(self, request: Received) -> Answer:
        """Each upload once; it appears as a message with the file, which has no metadata."""
        asked = json.loads(request.fields.get("files") or "[]")
        uploads = [self.uploads.get(one.get("id")) for one in asked]
        if not uploads or any(one is None or one.data is None or one.shared for one in uploads):
            return _refused("file_not_found")
        files = []
        for one, upload in zip(asked, uploads, strict=True):
            assert upload is not None
            upload.shared = True
            files.append({"id": one["id"], "name": upload.name, "title": one.get("title", "")})
        self._put({"text": ""}, request.fields.get("thread_ts"), tuple(files))
        return Answer(200, {"ok": True, "files": files})


@dataclass
class Upload:
    """A file that was offered; `data` is None before it came."""

    name: str
    length: int
    data: bytes | None = None
    shared: bool = False


def _form_fault(request: Received, known: set[str]) -> str | None:
    """Slack would pass over an argument that it does not know; we never send one."""
    if not request.is_json:
        return "invalid_post_type"
    if set(request.fields) - known:
        return "invalid_arguments"
    return next(message_faults(request.fields), None)


def _refused(error: str) -> Answer:
    return Answer(200, {"ok": False, "error": error})


def _in_pages(request: Received, messages: list[Posted]) -> Answer:
    asked = request.fields
    limit, start = min(int(asked.get("limit", 100)), PAGE), int(asked.get("cursor") or 0)
    head = messages[:1] if request.path.endswith("replies") else []
    found = [m for m in messages if m in head or float(m.ts) > float(asked.get("oldest", 0))]
    with_metadata = str(asked.get("include_all_metadata", "0")) in ("1", "true", "True")
    page = [
        {"type": "message", "ts": m.ts, "text": m.body["text"]}
        | ({"files": list(m.files)} if m.files else {})
        | ({"metadata": m.body.get("metadata", {})} if with_metadata else {})
        for m in found[start : start + limit]
    ]
    more = start + limit < len(found)
    cursor = {"next_cursor": str(start + limit) if more else ""}
    return Answer(200, {"ok": True, "messages": page, "has_more": more,
                        "response_metadata": cursor})  # fmt: skip
