"""Messages to whoever watches the daemon's standard output (a terminal, or the journal).

Showing them is a courtesy: every message is in the store and the outbox too. So a stream that is
gone, or that nobody reads, neither fails what is told nor holds it up.
"""

from __future__ import annotations

import io
import logging
import os
import select
import threading
from collections import deque
from typing import Literal, Protocol, TextIO

from daemon.config.phrases import Phrases
from daemon.config.visible import visible

_messages = logging.getLogger("daemon.messages")
_messages.setLevel(logging.INFO)  # a message is shown however few log lines are asked for
_log = logging.getLogger(__name__)

_MOST_WAITING = 100
_LOOK_SECONDS = 0.2  # how soon a writer that waits for a reader sees that it should end
# A pipe that can be written to takes so much without blocking.
_CHUNK_BYTES = select.PIPE_BUF


class Notifier(Protocol):
    """Shows messages to whoever watches the daemon's output."""

    def post(self, text: str) -> None:
        """Show one message, now or soon; never raises for the output."""

    def close(self, drain_seconds: float) -> None:
        """Show what waits, for so long at most; nothing is shown afterwards."""


def notifier_for(
    form: Literal["text", "json"], stream: TextIO | None, phrases: Phrases | None = None
) -> Notifier:
    """Blocks of text on `stream` (None: there is none), or for machines one log line a message."""
    return LogNotifier() if form == "json" else ConsoleNotifier(stream, phrases or Phrases("en"))


def write_line(stream: TextIO | None, line: str, *, wait_seconds: float) -> bool:
    """Write a line where that takes no longer than about `wait_seconds`; whether it was written."""
    try:
        return stream is not None and _write(stream, _encoded(stream, line + "\n"), wait_seconds)
    except (OSError, ValueError):  # the terminal is gone, or the stream was closed
        return False


class ConsoleNotifier:
    """Writes each message as a block of its own, in order, from a thread that nothing waits for.

    Letters that the stream's encoding does not know come out as "?", and characters that nobody sees
    as their numbers: a message holds titles and reasons that other people and models wrote. Of more than 100
    that wait for a reader the oldest are dropped, and their number is told.
    """

    def __init__(self, stream: TextIO | None, phrases: Phrases) -> None:
        self._stream, self._phrases = stream, phrases
        self._waiting: deque[str] = deque()
        self._dropped = 0
        self._changed = threading.Condition()
        self._closing = self._given_up = self._is_gone = False
        self._thread: threading.Thread | None = None

    def post(self, text: str) -> None:
        """Queue a message; the thread begins with the first one."""
        if self._stream is None:
            return
        with self._changed:
            if self._closing:
                return
            self._waiting.append(text)
            if len(self._waiting) > _MOST_WAITING:
                self._waiting.popleft()
                self._dropped += 1
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, args=(self._stream,), name="sprintd-console", daemon=True
                )
                self._thread.start()
            self._changed.notify()

    def close(self, drain_seconds: float) -> None:
        """Show what waits, for so long at most, and end the thread."""
        with self._changed:
            self._closing = True
            self._changed.notify()
            thread = self._thread
        if thread is not None:
            thread.join(drain_seconds)
            self._given_up = True
            thread.join(2 * _LOOK_SECONDS)

    def _run(self, stream: TextIO) -> None:
        while (text := self._next()) is not None and not self._given_up:
            self._show(stream, text)

    def _next(self) -> str | None:
        """The text to show, waited for; None at the end."""
        with self._changed:
            while not self._waiting and not self._closing:
                self._changed.wait()
            if self._dropped:
                number, self._dropped = self._dropped, 0
                return self._phrases.text("console.not_shown", number=number)
            return self._waiting.popleft() if self._waiting else None

    def _show(self, stream: TextIO, text: str) -> None:
        shown = "\n".join(map(visible, text.expandtabs(4).splitlines()))
        try:
            data = _encoded(stream, f"\n{shown}\n\n")
            while data and not self._given_up:
                data = _write_some(stream, data, _LOOK_SECONDS)
            self._is_gone = False
        except (OSError, ValueError) as error:
            if not self._is_gone:
                _log.warning("messages are not shown on the standard output: %s", error)
            self._is_gone = True


class LogNotifier:
    """Each message is one record of the log, so that every line of the output is an object."""

    def post(self, text: str) -> None:
        """Log a message whole, its line ends kept in the object."""
        _messages.info("%s", text)

    def close(self, drain_seconds: float) -> None:
        """Nothing waits."""


def _encoded(stream: TextIO, text: str) -> bytes:
    return text.encode(stream.encoding or "utf-8", "replace")


def _write(stream: TextIO, data: bytes, wait_seconds: float) -> bool:
    while data:
        left = _write_some(stream, data, wait_seconds)
        if len(left) == len(data):
            return False
        data = left
    return True


def _write_some(stream: TextIO, data: bytes, wait_seconds: float) -> bytes:
    """Write what the stream takes now, or wait so long for that; what is left. Raises OSError.

    Past the stream's own buffer, whose lock a write that hangs would keep to the very end.
    """
    try:
        descriptor = stream.fileno()
    except io.UnsupportedOperation:  # a stream in memory
        stream.write(data.decode(stream.encoding or "utf-8"))
        stream.flush()
        return b""
    ready = select.poll()
    ready.register(descriptor, select.POLLOUT)
    if not ready.poll(wait_seconds * 1000):
        return data
    return data[os.write(descriptor, data[:_CHUNK_BYTES]) :]
