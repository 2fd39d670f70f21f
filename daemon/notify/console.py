"""Messages to whoever watches the daemon's standard output (a terminal, or the journal)."""

from __future__ import annotations

import logging
from typing import Literal, Protocol, TextIO

_messages = logging.getLogger("daemon.messages")
_messages.setLevel(logging.INFO)  # a message is shown however few log lines are asked for


class Notifier(Protocol):
    """Shows messages to whoever watches the daemon's output."""

    def post(self, text: str) -> None:
        """Show one message."""


def notifier_for(form: Literal["text", "json"], stream: TextIO) -> Notifier:
    """Blocks of text on `stream`, or for machines one log line a message."""
    return LogNotifier() if form == "json" else ConsoleNotifier(stream)


class ConsoleNotifier:
    """Writes each message as a block of its own, at once.

    Letters that the stream's encoding does not know come out as "?", and control characters as
    blanks: a message holds titles and reasons that other people and models wrote.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def post(self, text: str) -> None:
        """Write a message; raises OSError where the stream is gone."""
        shown = "".join(c if c.isprintable() or c == "\n" else " " for c in text)
        encoding = self._stream.encoding or "utf-8"
        self._stream.write(f"\n{shown}\n\n".encode(encoding, "replace").decode(encoding))
        self._stream.flush()


class LogNotifier:
    """Each message is one record of the log, so that every line of the output is an object."""

    def post(self, text: str) -> None:
        """Log a message whole, its line ends kept in the object."""
        _messages.info("%s", text)
