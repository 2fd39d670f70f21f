"""A stand-in for the Messages API on loopback: strict about requests, scripted in its answers.

with MessagesApi(reply=lambda request: "text") as api:
    api.script(overloaded(), garbage_json())      # for the next two requests
    ClaudeProvider(api_key=api.api_key, base_url=api.base_url, ...)
    assert api.requests[0].body["model"] == ...
"""

from __future__ import annotations

import json
import threading
import traceback
from collections import deque
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.standins.messages_rules import Complaint, body_complaint, header_complaint

BYTES_A_TOKEN = 3.5
DEFAULT_TEXT = "The stand-in has read the question and has nothing to add to it."
MODELS = ("claude-sonnet-5-5", "claude-haiku-5-5")


@dataclass(frozen=True)
class Received:
    """One request as it came in; header names are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    raw: bytes
    body: Any


@dataclass(frozen=True)
class Served:
    """One reply that the stand-in would put on the bill."""

    model: str
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True)
class Step:
    """What happens to one request instead of the ordinary answer.

    `changes` replace fields of the ordinary message; `body` (bytes) replaces all of it. With
    `hold`, the answer waits for that event (or for the end of the stand-in). `sent` says how much
    of the answer goes out before the connection is closed; None is all of it.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    body: bytes | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)
    text: str | None = None
    hold: threading.Event | None = None
    sent: int | None = None


def error(status: int, kind: str, message: str, **headers: str) -> Step:
    """An error in the service's own form; `retry_after="7"` becomes the header retry-after."""
    return Step(
        status=status,
        headers={name.replace("_", "-"): value for name, value in headers.items()},
        body=_error_body(Complaint(status, kind, message)),
    )


def overloaded() -> Step:
    return error(529, "overloaded_error", "Overloaded")


def garbage_json() -> Step:
    return Step(body=b'{"id": "msg_1", "content": [{{{')


def plain_text() -> Step:
    return Step(body=b"<html>a proxy says hello</html>", content_type="text/html")


def cut_after(sent: int) -> Step:
    """Only so many bytes of the body go out; 0 closes the connection without any answer."""
    return Step(sent=sent)


def held(gate: threading.Event, **changes: Any) -> Step:
    return Step(hold=gate, changes=changes)


def changed(**changes: Any) -> Step:
    """The ordinary message with some fields replaced: stop_reason, usage, model, content."""
    return Step(changes=changes)


def says(text: str, **changes: Any) -> Step:
    return Step(text=text, changes=changes)


def asks(*calls: tuple[str, Any], text: str = "") -> Step:
    """A reply that asks for tools: each call is a tool's name and its arguments."""
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    for number, (name, given) in enumerate(calls, 1):
        blocks.append({"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": given})
    return Step(text="", changes={"content": blocks, "stop_reason": "tool_use"})


class MessagesApi:
    """The running stand-in. `reply` gets the request's body and returns the text of the answer."""

    def __init__(
        self,
        reply: Callable[[dict[str, Any]], str] = lambda request: DEFAULT_TEXT,
        *,
        api_key: str = "sk-ant-test-0123456789",
        models: Collection[str] = MODELS,
        thinks: bool = False,
        tools_allowed: bool = False,
    ) -> None:
        self.api_key = api_key
        self.models = set(models)
        self.requests: list[Received] = []
        self.served: list[Served] = []
        self.faults: list[str] = []
        self._reply, self._thinks, self._tools_allowed = reply, thinks, tools_allowed
        self._steps: deque[Step] = deque()
        self._lock = threading.Lock()
        self._arrived = threading.Condition(self._lock)
        self._gates: list[threading.Event] = []
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    def __enter__(self) -> MessagesApi:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            gates = list(self._gates)
        for gate in gates:
            gate.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        assert not self.faults, self.faults

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def usage_served(self) -> tuple[int, int]:
        """Input and output tokens of all replies, by the stand-in's own count."""
        with self._lock:
            return (
                sum(one.input_tokens for one in self.served),
                sum(one.output_tokens for one in self.served),
            )

    def script(self, *steps: Step) -> None:
        """What the next requests get, in order; after them, the ordinary answer again."""
        with self._lock:
            self._steps.extend(steps)
            self._gates.extend(step.hold for step in steps if step.hold is not None)

    def wait_for_requests(self, count: int, timeout_seconds: float = 5.0) -> bool:
        """Whether so many requests have come in, waiting for them if need be."""
        with self._arrived:
            return self._arrived.wait_for(lambda: len(self.requests) >= count, timeout_seconds)

    def receive(self, request: Received) -> Step:
        """Note the request and decide its answer as a Step with a whole body."""
        with self._arrived:
            self.requests.append(request)
            number = len(self.requests)
            self._arrived.notify_all()
            complaint = self._complaint(request)
            step = self._steps.popleft() if self._steps and complaint is None else Step()
        headers = {"request-id": f"req_{number:04d}", **step.headers}
        if complaint is not None:
            return Step(complaint.status, headers, body=_error_body(complaint))
        body = step.body
        if body is None:
            body = json.dumps(self._message(request.body, step, number)).encode()
        return Step(step.status, headers, step.content_type, body, hold=step.hold, sent=step.sent)

    def _complaint(self, request: Received) -> Complaint | None:
        if request.path != "/v1/messages":
            return Complaint(404, "not_found_error", "Not found")
        if request.method != "POST":
            return Complaint(405, "invalid_request_error", "Method not allowed")
        return header_complaint(request.headers, self.api_key) or body_complaint(
            request.body, self.models, tools_allowed=self._tools_allowed
        )

    def _message(self, request: dict[str, Any], step: Step, number: int) -> dict[str, Any]:
        text = self._reply(request) if step.text is None else step.text
        text, stop_reason = _cut_to(text, request["max_tokens"])
        thinking = {"type": "thinking", "thinking": "", "signature": "c2lnbmVk"}
        served = Served(request["model"], tokens_of(_prompt_text(request)), tokens_of(text))
        with self._lock:
            self.served.append(served)
        return {
            "id": f"msg_{number:04d}",
            "type": "message",
            "role": "assistant",
            "model": request["model"],
            "content": [*([thinking] if self._thinks else []), {"type": "text", "text": text}],
            "stop_reason": stop_reason,
            "stop_sequence": None,
            "usage": {"input_tokens": served.input_tokens, "output_tokens": served.output_tokens},
            **step.changes,
        }


def tokens_of(text: str) -> int:
    """The stand-in's own count: one token for each 3.5 bytes, rounded up."""
    return -int(-len(text.encode("utf-8", "surrogatepass")) // BYTES_A_TOKEN)


def _cut_to(text: str, max_tokens: int) -> tuple[str, str]:
    """The text cut in mid-word where it is longer than the limit, and the stop reason."""
    if tokens_of(text) <= max_tokens:
        return text, "end_turn"
    return text.encode()[: int(max_tokens * BYTES_A_TOKEN)].decode("utf-8", "ignore"), "max_tokens"


def _prompt_text(request: dict[str, Any]) -> str:
    parts = {
        name: request[name] for name in ("system", "messages", "output_config") if name in request
    }
    return json.dumps(parts, ensure_ascii=False)


def _error_body(complaint: Complaint) -> bytes:
    body = {"type": complaint.kind, "message": complaint.message}
    return json.dumps({"type": "error", "error": body}).encode()


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # so that server_close waits for the last handler
    block_on_close = True

    def __init__(self, api: MessagesApi) -> None:
        self.api = api
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        self.api.faults.append(traceback.format_exc())


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 5
    server: _Server

    def do_POST(self) -> None:
        self.close_connection = True
        with suppress(ConnectionError):  # the caller may hang up
            self._answer()

    def do_GET(self) -> None:
        self.do_POST()

    def log_message(self, *_: object) -> None:
        """Nothing: the requests are in `MessagesApi.requests`."""

    def _answer(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        try:
            body = json.loads(raw)
        except ValueError:
            body = None
        headers = {name.lower(): value for name, value in self.headers.items()}
        step = self.server.api.receive(Received(self.command, self.path, headers, raw, body))
        if step.hold is not None:
            step.hold.wait()
        if step.sent == 0:
            return
        assert step.body is not None
        self.send_response(step.status)
        for name, value in step.headers.items():
            self.send_header(name, value)
        self.send_header("content-type", step.content_type)
        self.send_header("content-length", str(len(step.body)))
        self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(step.body[: step.sent])
