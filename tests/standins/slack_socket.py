"""A stand-in for Slack's Socket Mode on loopback: apps.connections.open, and a real WebSocket server.

with SlackLine() as slack:
    slack.say(pressed("E1", ...))          # to the newest connection, as Slack would
    assert slack.wait_for_acks("E1")

It rejects what Slack rejects: another token than the app-level one, a token in the query, a ticket that
was used before or that it did not give, an answer that acknowledges nothing it sent.
"""

from __future__ import annotations

import json
import logging
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Self

from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.server import ServerProtocol

from tests.standins.far_side import Answer, FarSide, Received

APP_TOKEN = "xapp-1-A0123456789-test"
LONGEST_WAIT_SECONDS = 60.0
_QUIET = logging.getLogger("tests.quiet")  # its lines are not ours
_QUIET.setLevel(logging.CRITICAL)


class Line:
    """One connection. `mute`: it is open, and nothing is answered on it any more."""

    def __init__(self, wire: socket.socket) -> None:
        self.wire = wire
        self.protocol = ServerProtocol(logger=_QUIET, max_size=None)
        self.mute = False
        self._lock = threading.Lock()

    def text(self, text: str) -> None:
        with self._lock:
            self.protocol.send_text(text.encode())
            self.flush()

    def binary(self, data: bytes) -> None:
        with self._lock:
            self.protocol.send_binary(data)
            self.flush()

    def raw(self, data: bytes) -> None:
        """Bytes that may be no frame at all."""
        with suppress(OSError):
            self.wire.sendall(data)

    def drop(self) -> None:
        """The connection is gone without a word."""
        with suppress(OSError):
            self.wire.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """As the protocol says."""
        with self._lock, suppress(Exception):
            self.protocol.send_close(1000, "bye")
            self.flush()

    def flush(self) -> None:
        for data in self.protocol.data_to_send():
            if data and not self.mute:
                with suppress(OSError):
                    self.wire.sendall(data)

    def receive(self, data: bytes) -> list[Any]:
        with self._lock:
            self.protocol.receive_data(data)
            self.flush()
            return self.protocol.events_received()


class SlackLine(FarSide):
    """One app. `greets` False: a connection is taken and no hello follows; `on_open` sees each line."""

    def __init__(self, *, token: str = APP_TOKEN) -> None:
        super().__init__()
        self.token = token
        self.lines: list[Line] = []
        self.acks: list[dict[str, Any]] = []
        self.wrong: list[str] = []
        self.greets = True
        self.on_open: Callable[[Line], None] = lambda line: None
        self._sent: set[str] = set()
        self._tickets: set[str] = set()
        self._given = 0
        self._news = threading.Condition()
        self._threads: list[threading.Thread] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._accepting = threading.Thread(target=self._accept)

    def __enter__(self) -> Self:
        super().__enter__()
        self._accepting.start()
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._accepting.join()
        for line in self.lines:
            line.drop()
        for thread in self._threads:
            thread.join()
        super().__exit__()
        assert not self.wrong, self.wrong

    @property
    def base_url(self) -> str:
        return f"http://{self.host}/api/"

    @property
    def acked(self) -> list[str]:
        """The envelopes that were acknowledged, in order."""
        return [ack["envelope_id"] for ack in self.acks]

    def act(self, request: Received) -> Answer:
        if request.path != "/api/apps.connections.open" or request.method != "POST":
            return Answer(200, {"ok": False, "error": "unknown_method"})
        if "token" in request.fields:
            return Answer(200, {"ok": False, "error": "token_in_the_open"})
        if request.headers.get("authorization") != f"Bearer {self.token}":
            return Answer(200, {"ok": False, "error": "invalid_auth"})
        with self._news:
            self._given += 1
            ticket = f"ticket-{self._given}"
            self._tickets.add(ticket)
        port = self._listener.getsockname()[1]
        url = f"ws://127.0.0.1:{port}/link/?ticket={ticket}&app_id=A0123456789"
        return Answer(200, {"ok": True, "url": url})

    def say(self, envelope: dict[str, Any], *, line: Line | None = None) -> None:
        """Send an envelope over the newest line, or the one that is named."""
        if "envelope_id" in envelope:
            self._sent.add(str(envelope["envelope_id"]))
        (line or self.lines[-1]).text(json.dumps(envelope))

    def wait_for_lines(self, count: int) -> bool:
        """Until so many connections were opened in all, and greeted."""
        return self.wait_until(lambda: len(self.lines) >= count)

    def wait_for_acks(self, *envelopes: str) -> bool:
        return self.wait_until(lambda: set(envelopes) <= set(self.acked))

    def wait_until(self, found: Callable[[], bool]) -> bool:
        with self._news:
            return self._news.wait_for(found, LONGEST_WAIT_SECONDS)

    def _accept(self) -> None:
        while True:
            try:
                wire, _ = self._listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(wire,))
            self._threads.append(thread)
            thread.start()

    def _serve(self, wire: socket.socket) -> None:
        line = Line(wire)
        with wire:
            while True:
                try:
                    data = wire.recv(65_536)
                except OSError:
                    return
                if not data:
                    return
                for event in line.receive(data):
                    if isinstance(event, Request):
                        self._greet(line, event)
                    elif isinstance(event, Frame) and event.opcode is Opcode.TEXT:
                        self._hear(bytes(event.data))

    def _greet(self, line: Line, request: Request) -> None:
        ticket = request.path.partition("ticket=")[2].partition("&")[0]
        if ticket not in self._tickets:
            self.wrong.append(f"a ticket that is none: {ticket}")
            line.drop()
            return
        self._tickets.discard(ticket)
        line.protocol.send_response(line.protocol.accept(request))
        line.flush()
        if self.greets:
            info = {"app_id": "A0123456789"}
            line.text(json.dumps({"type": "hello", "num_connections": 1, "connection_info": info}))
        self.on_open(line)
        with self._news:
            self.lines.append(line)
            self._news.notify_all()

    def _hear(self, data: bytes) -> None:
        ack = json.loads(data)
        with self._news:
            if ack.get("envelope_id") not in self._sent:
                self.wrong.append(f"acknowledged what was not sent: {ack}")
            self.acks.append(ack)
            self._news.notify_all()


def block_actions(
    *,
    user: str = "U0FOUNDER",
    action: str = "approval.approve",
    value: str = "",
    trigger: str = "1.2.abc",
    channel: str = "C0123456789",
    stamp: str = "1796032800.000100",
) -> dict[str, Any]:
    """A press as Slack tells of it; the message that it stands in comes along."""
    return {
        "type": "block_actions",
        "api_app_id": "A0123456789",
        "token": "verification-token-of-old",
        "trigger_id": trigger,
        "response_url": "https://hooks.slack.com/actions/T0/1/secret",
        "team": {"id": "T0123456789", "domain": "venture"},
        "user": {"id": user, "username": "ana", "team_id": "T0123456789"},
        "container": {"type": "message", "message_ts": stamp, "channel_id": channel},
        "channel": {"id": channel, "name": "founders"},
        "message": {"ts": stamp, "text": "A question", "blocks": []},
        "actions": [
            {
                "type": "button", "action_id": action, "block_id": "b1", "value": value,
                "action_ts": "1796032801.000200",
            }
        ],
    }  # fmt: skip


def pressed(envelope: str, **press: str) -> dict[str, Any]:
    """An envelope with a press."""
    return {
        "envelope_id": envelope,
        "type": "interactive",
        "accepts_response_payload": False,
        "payload": block_actions(**press),
    }


def slash(
    envelope: str, text: str, *, user: str = "U0FOUNDER", trigger: str = "9.9.x"
) -> dict[str, Any]:
    """An envelope with a slash command."""
    return {
        "envelope_id": envelope,
        "type": "slash_commands",
        "accepts_response_payload": True,
        "payload": {
            "token": "verification-token-of-old", "command": "/sprintd", "text": text,
            "user_id": user, "channel_id": "C0123456789", "team_id": "T0123456789",
            "api_app_id": "A0123456789", "trigger_id": trigger,
            "response_url": "https://hooks.slack.com/commands/T0/1/secret",
        },
    }  # fmt: skip


def mentioned(
    envelope: str, text: str, *, user: str = "U0FOUNDER", event: str = "Ev01", attempt: int = 0
) -> dict[str, Any]:
    """An envelope with a mention of the app; `attempt` above 0: Slack sends it again."""
    return {
        "envelope_id": envelope,
        "type": "events_api",
        "accepts_response_payload": False,
        "retry_attempt": attempt,
        "retry_reason": "timeout" if attempt else "",
        "payload": {
            "token": "verification-token-of-old", "team_id": "T0123456789",
            "api_app_id": "A0123456789", "type": "event_callback", "event_id": event,
            "event": {
                "type": "app_mention", "user": user, "text": f"<@U0BOT> {text}",
                "ts": "1796032900.000300", "channel": "C0123456789",
            },
        },
    }  # fmt: skip
