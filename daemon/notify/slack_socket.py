"""Socket Mode: presses come in over a connection that this machine opened, without a public address.

The SDK speaks the protocol. What it would do by itself is taken from it, for it would: reconnect without
any pause between tries, sleep as long as a limit says while nobody can stop it, spin on a connection
whose far side is gone, read on in the middle of a frame that it could not take, and go to a port of
its own in the clear. So each connection is a client of its own; one that showed any fault is left.
"""

from __future__ import annotations

import errno
import json
import logging
import queue
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from slack_sdk.errors import SlackApiError
from slack_sdk.socket_mode import SocketModeClient

from daemon.config.addresses import host_of, is_this_machine
from daemon.errors import SendError, SendLater, SendRefused
from daemon.notify.exchange import told_to_wait, within
from daemon.notify.slack_app import SOCKET_CURES
from daemon.notify.slack_client import QuietClient

HELLO_SECONDS = 10.0
PING_SECONDS = 5.0
_RECEIVE_BYTES = 16_384
_MOST_BYTES = 4_194_304  # between two messages; the SDK copies all of a frame for each piece of it
_POLL_SECONDS = 0.2
_CLOSE_SECONDS = 2.0
Heard = Callable[["Connection", dict[str, Any]], None]


class Connection(SocketModeClient):
    """One connection, from its opening to its end; it never opens another by itself.

    `heard` gets every JSON object that arrives, in the SDK's thread. `greeted` says whether the far
    side's hello came; `begun` is set then, or when it never will. `over` is set when it must not be
    used any more, and `why` then says what was wrong.
    """

    def __init__(
        self, web: QuietClient, heard: Heard, *, direct: bool, ping_seconds: float
    ) -> None:
        self.begun, self.over = threading.Event(), threading.Event()
        self.greeted = False
        self.why = ""
        self._heard = heard
        self._wire: _Wire | None = None
        silent = logging.getLogger(f"{__name__}.sdk")  # it would write payloads and addresses
        silent.setLevel(logging.CRITICAL + 1)
        super().__init__(
            app_token=web.token or "",
            logger=silent,
            web_client=web,
            auto_reconnect_enabled=False,
            ping_interval=ping_seconds,
            receive_buffer_size=_RECEIVE_BYTES,
            concurrency=1,
            on_error_listeners=[self._failed],
            on_close_listeners=[lambda code, _reason: self.end(f"closed it ({code})")],
        )
        if direct:
            self.proxy = None

    def enqueue_message(self, message: str) -> None:
        """Instead of the library's queue, whose threads reconnect on their own."""
        if self._wire is not None:
            self._wire.read = 0
        with suppress(ValueError, RecursionError):
            found = json.loads(message)
            if isinstance(found, dict):
                self._heard(self, found)

    def open(self, address: str, seconds: float) -> None:
        """Connect. Raises SendLater where that does not work within so many seconds."""
        self.wss_uri = address
        host = host_of(address)
        within(seconds, self.connect, host)
        session = self.current_session
        if session is None or session.sock is None:
            raise SendLater(f"{host} takes no connection{f' ({self.why})' if self.why else ''}")
        self._wire = session.sock = _Wire(session.sock)  # type: ignore[assignment]  # all that the SDK asks of it

    def acknowledge(self, envelope: str, answer: str) -> None:
        """Say that an envelope arrived; `answer` is shown to who typed, empty: nothing is.

        A connection that ended meanwhile is no fault: the far side sends again, and it is known.
        """
        told = {"envelope_id": envelope, **({"payload": {"text": answer}} if answer else {})}
        with suppress(Exception):
            self.send_message(json.dumps(told))

    def end(self, why: str) -> None:
        self.why = self.why or why
        self.over.set()
        self.begun.set()

    def cut(self) -> None:
        """Close it at once, with its threads: the library alone would wait for a read to time out."""
        self.end("was closed here")
        self.closed = True
        self.current_session_state.terminated = True
        wire = self.current_session.sock if self.current_session else None
        if wire is not None:
            with suppress(OSError):
                wire.shutdown(socket.SHUT_RDWR)
        self.message_queue.put(None)  # wakes the library's thread that waits here
        with suppress(Exception):
            within(_CLOSE_SECONDS, self.close, "the connection")

    def _failed(self, error: Exception) -> None:
        self.end(f"broke it ({type(error).__name__})")


class _Wire:
    """The socket, so that an end is an error (the SDK takes it for silence), a send is whole and no
    frame without an end is read for ever. `read` counts the bytes since the last message."""

    def __init__(self, wire: Any) -> None:
        self._wire = wire
        self.read = 0

    def recv(self, size: int) -> bytes:
        found: bytes = self._wire.recv(size)
        if not found:
            raise ConnectionResetError(errno.ECONNRESET, "the far side is gone")
        self.read += len(found)
        if self.read > _MOST_BYTES:
            raise ConnectionAbortedError(errno.ECONNABORTED, "a message without an end")
        return found

    def send(self, data: bytes) -> int:
        self._wire.sendall(data)
        return len(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._wire, name)


class SlackSocket:
    """Opens connections to one app. `base_url` is empty for Slack itself.

    `envelopes` has what arrived, each with its connection, and None where only whoever takes them is
    woken. It is full where nobody takes it; the rest is then dropped unacknowledged, and comes again.
    """

    def __init__(
        self,
        *,
        app_token: str,
        base_url: str,
        read_seconds: float,
        hello_seconds: float = HELLO_SECONDS,
        ping_seconds: float = PING_SECONDS,
    ) -> None:
        self.envelopes: queue.Queue[tuple[Connection, dict[str, Any]] | None] = queue.Queue(1_000)
        self.host = host_of(base_url)
        self._direct = is_this_machine(urlsplit(base_url).hostname or "")
        self._web = QuietClient(app_token, base_url, read_seconds)
        self._seconds = read_seconds
        self._hello_seconds = hello_seconds
        self._ping_seconds = ping_seconds

    def connect(self) -> Connection:
        """A connection that was greeted. Raises SendLater or SendRefused."""
        address = self._ask_for_address()
        connection = Connection(
            self._web, self._hear, direct=self._direct, ping_seconds=self._ping_seconds
        )
        try:
            connection.open(address, self._hello_seconds)
            self._await_hello(connection)
        except BaseException:
            connection.cut()
            raise
        return connection

    def watch(self, connection: Connection, stop: threading.Event) -> None:
        """Return when it must be replaced, or at `stop`."""
        while not stop.is_set() and not connection.over.wait(_POLL_SECONDS):
            if not connection.is_connected():
                connection.end("does not answer any more")

    def wake(self) -> None:
        """Let whoever waits for envelopes look around."""
        with suppress(queue.Full):
            self.envelopes.put_nowait(None)

    def _await_hello(self, connection: Connection) -> None:
        connection.begun.wait(self._hello_seconds)
        if not connection.greeted:
            raise SendLater(f"{self.host} does not greet{_because(connection.why)}")

    def _hear(self, connection: Connection, message: dict[str, Any]) -> None:
        kind = message.get("type")
        if kind == "hello":
            connection.greeted = True
            connection.begun.set()
        elif kind == "disconnect":
            reason = message.get("reason")
            connection.end(reason if isinstance(reason, str) and reason.isidentifier() else "?")
        else:
            with suppress(queue.Full):
                self.envelopes.put_nowait((connection, message))

    def _ask_for_address(self) -> str:
        error: SendError
        try:
            answer = within(
                2 * self._seconds,
                lambda: self._web.apps_connections_open(app_token=self._web.token or ""),
                self.host,
            )
            return checked_address(answer.get("url"), self.host, direct=self._direct)
        except SendError:
            raise
        except SlackApiError as failure:
            error = _explain(failure.response, self.host)
        except Exception as failure:  # noqa: BLE001 - nothing was sent that could be lost
            error = SendLater(f"{self.host} cannot be reached ({type(failure).__name__})")
        raise error


def checked_address(address: object, host: str, *, direct: bool) -> str:
    """The address that `host` named, if what is said there is encrypted or stays on this machine.

    The SDK would go to any port but 443 in the clear, with the ticket in the address. Raises
    SendLater.
    """
    given = address if isinstance(address, str) else ""
    url = urlsplit(given)
    if direct and is_this_machine(url.hostname or ""):
        return given
    if url.scheme != "wss" or not url.hostname or (url.port or 443) != 443:
        raise SendLater(f"{host} names no address that is encrypted")
    return given


def _because(why: str) -> str:
    return f" ({why})" if why else ""


def _explain(answer: Any, host: str) -> SendError:
    said = answer.data.get("error") if isinstance(answer.data, dict) else None
    code = said if isinstance(said, str) and said.isidentifier() else str(answer.status_code)
    if code in SOCKET_CURES:
        return SendRefused(f"{host} opens no connection ({code}); {SOCKET_CURES[code]}")
    seconds = told_to_wait(answer.headers)
    return SendLater(f"{host} opens no connection now ({code})", retry_after_seconds=seconds)
