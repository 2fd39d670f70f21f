"""A terminal that is drawn anew in place, and left as it was found."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import TextIO

from daemon.reports.watching_text import Line, Tone

_CODES: Mapping[Tone, str] = {
    "plain": "", "bold": "1", "dim": "2", "good": "32", "wait": "33", "bad": "31",
}  # fmt: skip
_ENTER = "\x1b[?1049h\x1b[?25l\x1b[2J"  # a screen of its own, without a cursor
_LEAVE = "\x1b[?25h\x1b[?1049l"
_BEGIN, _END = "\x1b[?2026h\x1b[H", "\x1b[J\x1b[?2026l"  # shown at once where that is known


class Screen:
    """Draws lines over those before. `colours` is False where people want none."""

    def __init__(
        self, stream: TextIO, size: Callable[[], tuple[int, int]], *, colours: bool
    ) -> None:
        self._stream, self.size, self._colours = stream, size, colours

    @contextmanager
    def held(self) -> Iterator[None]:
        """However it ends, what stood on the terminal before stands there again."""
        self._write(_ENTER)
        try:
            yield
        finally:
            self._write(_LEAVE)

    def draw(self, lines: Sequence[Line]) -> None:
        """One write, without wiping first, so that nothing flickers."""
        rows = "\r\n".join(f"{self._painted(line)}\x1b[K" for line in lines)
        self._write(f"{_BEGIN}{rows}{_END}")

    def _painted(self, line: Line) -> str:
        code = _CODES[line.tone] if self._colours else ""
        return f"\x1b[{code}m{line.text}\x1b[0m" if code and line.text else line.text

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def open_screen(environ: Mapping[str, str]) -> Screen | None:
    """Over standard output; None where that is no terminal that can be drawn on."""
    if not sys.stdout.isatty() or environ.get("TERM", "dumb") in ("", "dumb"):
        return None
    return Screen(sys.stdout, terminal_size, colours=not environ.get("NO_COLOR"))


def terminal_size() -> tuple[int, int]:
    """Columns and lines as they are now, whatever $COLUMNS said at the start."""
    try:
        size = os.get_terminal_size(sys.stdout.fileno())
    except (OSError, ValueError):
        return 80, 24
    return size.columns or 80, size.lines or 24


@contextmanager
def told_by_signals(stop: threading.Event, wake: threading.Event) -> Iterator[None]:
    """SIGINT and SIGTERM set both, another size of the terminal only `wake`. A second one ends at once."""

    def end(number: int, frame: FrameType | None) -> None:
        if stop.is_set():
            signal.default_int_handler(number, frame)
        stop.set()
        wake.set()

    def resized(_number: int, _frame: FrameType | None) -> None:
        wake.set()

    handlers = {signal.SIGINT: end, signal.SIGTERM: end, signal.SIGWINCH: resized}
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
