"""What a log line looks like, and the ids that it carries: sprint, item and call."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Literal, TextIO

Form = Literal["text", "json"]
Clean = Callable[[str], str]

# sd-daemon(3): a line that begins with <N> is kept by the journal under that priority.
_PRIORITIES = ((logging.CRITICAL, 2), (logging.ERROR, 3), (logging.WARNING, 4), (logging.INFO, 6))
_DEBUG_PRIORITY = 7
_ids: ContextVar[Mapping[str, int | str]] = ContextVar("log_ids", default={})  # noqa: B039 - never changed


@contextmanager
def log_ids(**ids: int | str | None) -> Iterator[None]:
    """What is logged inside carries these ids too; None adds none."""
    known = {name: value for name, value in ids.items() if value is not None}
    token = _ids.set({**_ids.get(), **known})
    try:
        yield
    finally:
        _ids.reset(token)


def current_ids() -> Mapping[str, int | str]:
    """The ids of what is going on here."""
    return _ids.get()


def goes_to_journal(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Whether systemd reads the stream: it leaves the stream's device and inode (systemd.exec(5))."""
    try:
        found = os.fstat(stream.fileno())
    except (OSError, ValueError, AttributeError):
        return False
    return environ.get("JOURNAL_STREAM", "") == f"{found.st_dev}:{found.st_ino}"


def line_format(form: Form, clean: Clean, *, journal: bool) -> logging.Formatter:
    """The formatter of a form; `clean` takes secrets out of what a formatter itself makes."""
    formatter: logging.Formatter = JsonLine(clean) if form == "json" else TextLine(clean)
    return JournalLines(formatter) if journal else formatter


class TextLine(logging.Formatter):
    """2026-11-30T09:00:00.000Z WARNING governance: 80 % of today's cap is spent"""

    def __init__(self, clean: Clean) -> None:
        super().__init__()
        self._clean = clean

    def format(self, record: logging.LogRecord) -> str:
        first = f"{_time(record)} {record.levelname} {_room(record.name)}: "
        lines = [first + _one_line(record.getMessage())]
        for block in _blocks(record, self):
            lines.extend("    " + _one_line(line) for line in block.splitlines())
        return "\n".join(lines)

    def formatException(self, ei: Any) -> str:  # noqa: N802 - logging's name
        return self._clean(super().formatException(ei))


class JsonLine(TextLine):
    """One object a line, in ASCII: at, level, room, message, the ids that are known, traceback."""

    def format(self, record: logging.LogRecord) -> str:
        facts: dict[str, Any] = {
            "at": _time(record),
            "level": record.levelname,
            "room": _room(record.name),
            "message": record.getMessage(),
            **getattr(record, "ids", {}),
        }
        blocks = list(_blocks(record, self))
        if blocks:
            facts["traceback"] = "\n".join(blocks)
        return json.dumps(facts)


class JournalLines(logging.Formatter):
    """Another formatter's lines, each with its priority, so that `journalctl -p warning` works."""

    def __init__(self, formatter: logging.Formatter) -> None:
        super().__init__()
        self._formatter = formatter

    def format(self, record: logging.LogRecord) -> str:
        found = (number for level, number in _PRIORITIES if record.levelno >= level)
        priority = next(found, _DEBUG_PRIORITY)
        lines = self._formatter.format(record).split("\n")
        return "\n".join(f"<{priority}>{line}" for line in lines)


def _time(record: logging.LogRecord) -> str:
    at = datetime.fromtimestamp(record.created, UTC)
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"


def _blocks(record: logging.LogRecord, formatter: logging.Formatter) -> Iterator[str]:
    if record.exc_info and not record.exc_text:
        record.exc_text = formatter.formatException(record.exc_info)
    yield from (block for block in (record.exc_text, record.stack_info) if block)


def _room(logger: str) -> str:
    """daemon.governance.budget -> governance; a library's logger -> its first word."""
    first, _, rest = logger.partition(".")
    return rest.partition(".")[0] if first == "daemon" and rest else first


def _one_line(text: str) -> str:
    """Line ends and control characters as escapes: nobody forges a line or moves a cursor."""
    if text.isprintable():
        return text
    shown = (char if char.isprintable() or char == "\t" else _escape(char) for char in text)
    return "".join(shown)


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
