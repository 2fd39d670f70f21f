"""Messages to whoever watches the daemon's standard output (a terminal, or the journal)."""

from __future__ import annotations

from typing import TextIO


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
