"""What the stand-ins for services that take messages share: a server on loopback with a script.

A request either takes effect or not, and then is answered, answered wrongly, answered late, or not
at all. The subclass has the service's own rules.
"""

from __future__ import annotations

import json
import threading
import traceback
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Received:
    """One request; header names in lower case, `fields` from a JSON or a form body and the query."""

    method: str
    path: str
    headers: Mapping[str, str]
    raw: bytes
    fields: Any

    @property
    def is_json(self) -> bool:
        return self.headers.get("content-type", "").split(";")[0].strip() == "application/json"


@dataclass(frozen=True)
class Answer:
    """What goes back; `body` as JSON."""

    status: int
    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Fault:
    """What happens to one request instead of the ordinary course.

    `acts`: whether the request takes effect. `answer` replaces the ordinary one; `raw` (bytes) too.
    `hold` is waited for before anything is answered; with `drops` the connection is closed instead.
    """

    acts: bool = False
    answer: Answer | None = None
    raw: bytes | None = None
    hold: threading.Event | None = None
    drops: bool = False


def drops(*, after_acting: bool) -> Fault:
    """The connection is closed without any answer."""
    return Fault(acts=after_acting, drops=True)


def holds(gate: threading.Event) -> Fault:
    """It takes effect at once; the answer waits for the gate (or the end of the stand-in)."""
    return Fault(acts=True, hold=gate)


class FarSide:
    """The running stand-in. `chance` may choose a fault for a request that has no script."""

    def __init__(self, chance: Callable[[Received], Fault | None] = lambda request: None) -> None:
        self.requests: list[Received] = []
        self.faults: list[str] = []
        self._chance = chance
        self._script: deque[Fault | None] = deque()
        self._gates: list[threading.Event] = []
        self._lock = threading.RLock()
        self._arrived = threading.Condition(self._lock)
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        for gate in self._gates:
            gate.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        assert not self.faults, self.faults

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self._server.server_port}"

    def script(self, *faults: Fault | None) -> None:
        """What the next requests get, in order; None is the ordinary course."""
        with self._lock:
            self._script.extend(faults)
            self._gates.extend(fault.hold for fault in faults if fault and fault.hold)

    def wait_for_requests(self, count: int, timeout_seconds: float = 10.0) -> bool:
        with self._arrived:
            return self._arrived.wait_for(lambda: len(self.requests) >= count, timeout_seconds)

    def act(self, request: Received) -> Answer:
        """The service's own rules; called once for a request that takes effect."""
        raise NotImplementedError

    def date(self) -> str | None:
        """What the header `Date` says; None: the machine's time."""
        return None

    def receive(self, request: Received) -> tuple[Fault, Answer]:
        with self._arrived:
            self.requests.append(request)
            self._arrived.notify_all()
            fault = self._script.popleft() if self._script else self._chance(request)
            fault = fault or Fault(acts=True)
            answer = self.act(request) if fault.acts else Answer(500, {})
        return fault, fault.answer or answer


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # so that server_close waits for the last handler
    block_on_close = True

    def __init__(self, far: FarSide) -> None:
        self.far = far
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        self.far.faults.append(traceback.format_exc())


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 5
    server: _Server

    def do_POST(self) -> None:
        self.close_connection = True
        with suppress(ConnectionError, TimeoutError):  # the caller may hang up, or be killed
            self._answer()

    def do_GET(self) -> None:
        self.do_POST()

    def do_PATCH(self) -> None:
        self.do_POST()

    def date_time_string(self, timestamp: float | None = None) -> str:
        return self.server.far.date() or super().date_time_string(timestamp)

    def log_message(self, *_: object) -> None:
        """Nothing: the requests are in `FarSide.requests`."""

    def _answer(self) -> None:
        size = int(self.headers.get("content-length", 0))
        raw = self.rfile.read(size)
        if len(raw) < size:
            return  # killed in the middle of its request
        url = urlsplit(self.path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Received(self.command, url.path, headers, raw, _fields(raw, headers, url.query))
        fault, answer = self.server.far.receive(request)
        if fault.hold is not None:
            fault.hold.wait()
        if fault.drops:
            return
        body = json.dumps(answer.body).encode() if fault.raw is None else fault.raw
        self.send_response(answer.status if fault.raw is None else 200)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(body)


def _fields(raw: bytes, headers: Mapping[str, str], query: str) -> Any:
    found: Any = {name: values[-1] for name, values in parse_qs(query).items()}
    if headers.get("content-type", "").startswith("application/json") and raw:
        with suppress(ValueError):
            body = json.loads(raw)
            return {**found, **body} if isinstance(body, dict) else body
    form = parse_qs(raw.decode("utf-8", "replace"))
    return {**found, **{name: values[-1] for name, values in form.items()}}
