"""One HTTP exchange in a thread of its own, which can be ended at any moment."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from contextvars import copy_context
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")

# How long an aborted exchange may take to come to its end before it is left behind.
GRACE_SECONDS = 1.0


class AbortedError(Exception):
    """The exchange was told to end before it went on."""


class AbortableCall(Generic[Result]):
    """Runs an exchange under a total deadline.

    The timeouts of HTTP libraries hold for each read, so a reply that drips never ends; and
    closing a socket does not wake the thread that reads from it, but shutting it down does. The
    HTTP client tells `trace` which socket it opened (httpcore's trace extension).
    """

    def __init__(self) -> None:
        self.request_started = False
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._aborted = False
        self._finished = threading.Event()
        self._result: Result | None = None

    def run(self, exchange: Callable[[], Result], deadline_seconds: float) -> Result | None:
        """What the exchange returned, or None where the deadline came first or it was aborted.

        The deadline is in real seconds, as sockets are. A result that arrives while the exchange
        is being ended still counts, for it may have been paid for.
        """
        # In this thread's context, so that what is logged there says for which call.
        work, name = copy_context().run, "sprintd-model-call"
        threading.Thread(target=work, args=(self._work, exchange), name=name, daemon=True).start()
        try:
            if not self._finished.wait(deadline_seconds):
                self.abort()
                self._finished.wait(GRACE_SECONDS)
        except BaseException:
            self.abort()
            raise
        return self._result

    def abort(self) -> None:
        """End the exchange: what has not begun will not begin, what waits on the network fails."""
        with self._lock:
            self._aborted = True
            if self._socket is not None:
                with suppress(OSError):
                    # Not SSLSocket.shutdown: that takes the TLS state from under the reader.
                    socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

    @property
    def aborted(self) -> bool:
        return self._aborted

    def trace(self, event: str, facts: Mapping[str, Any]) -> None:
        """The trace extension of httpcore: told of each step of the exchange, in its thread."""
        with self._lock:
            if self._aborted:
                raise AbortedError
            if event.endswith(("connect_tcp.complete", "start_tls.complete")):
                self._socket = facts["return_value"].get_extra_info("socket")
            elif event.endswith("send_request_headers.started"):
                self.request_started = True

    def _work(self, exchange: Callable[[], Result]) -> None:
        try:
            self._result = exchange()
        finally:
            self._finished.set()
