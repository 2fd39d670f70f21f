"""No secret in any output: log lines, tracebacks, and whatever a log call carries along.

The redaction sits where records are made (`logging.setLogRecordFactory`), so every handler is
behind it: the ones there now, the ones that a library adds later, and queues to other processes.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
import traceback
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Any, TextIO

from daemon.config.log_lines import Form, current_ids, goes_to_journal, line_format
from daemon.config.redactor import MASK, Redactor, is_secret_name

__all__ = ["MASK", "Redactor", "configure_logging", "log_uncaught", "redact"]


def configure_logging(
    *,
    level: str,
    secrets: Iterable[str],
    stream: TextIO,
    form: Form = "text",
    environ: Mapping[str, str] = os.environ,
) -> None:
    """One line per record on `stream`: time (UTC), level, room, message; then its traceback.

    `form` "json": one object a line, with the ids of sprint, item and call. Where systemd reads the
    stream, each line has its priority. Calling it again replaces all this, and leaves other
    handlers alone.
    """
    _Active.redactor = Redactor(secrets)
    logging.setLogRecordFactory(_Record)
    handler = logging.StreamHandler(stream)
    journal = goes_to_journal(stream, environ)
    handler.setFormatter(line_format(form, redact, journal=journal))
    root = logging.getLogger()
    if _Active.handler is not None:
        root.removeHandler(_Active.handler)
    _Active.handler = handler
    root.addHandler(handler)
    root.setLevel(level)


def log_uncaught() -> None:
    """Send what nobody catches, in any thread, through the log instead of bare to stderr."""
    sys.excepthook = _uncaught
    threading.excepthook = _uncaught_in_thread


def redact(text: str) -> str:
    """The text without secrets, for every output that is not a log line."""
    return _Active.redactor.redact(text)


class _Active:
    """What this process uses; before `configure_logging` only the patterns are known."""

    redactor = Redactor()
    handler: logging.Handler | None = None


class _Fields(dict[str, Any]):
    """A record's attributes: what `extra` puts in after the record was made is redacted too."""

    def __setitem__(self, name: str, value: Any) -> None:
        super().__setitem__(name, _clean(value))

    def update(self, other: Any = (), **more: Any) -> None:  # type: ignore[override]
        for name, value in dict(other, **more).items():
            self[name] = value


class _Record(logging.LogRecord):
    """A record that holds no secret from its first moment: no arguments, no live exception."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.msg = redact(_message(self))
        self.args = None
        if self.exc_info:
            self.exc_text = redact(_traceback(self.exc_info))
            self.exc_info = None
        if self.stack_info:
            self.stack_info = redact(self.stack_info)
        self.ids = dict(current_ids())
        self.__dict__ = _Fields(self.__dict__)


def _message(record: logging.LogRecord) -> str:
    """Never raises: a log call with a wrong format must not end the work it reports on."""
    try:
        return record.getMessage()
    except Exception as error:  # noqa: BLE001 - any __str__ or format may be at fault
        return f"{record.msg!s} (arguments not shown: {type(error).__name__})"


def _traceback(exc_info: Any) -> str:
    try:
        return "".join(traceback.format_exception(*exc_info)).rstrip("\n")
    except Exception as error:  # noqa: BLE001 - an exception whose own text raises
        return f"(traceback not shown: {type(error).__name__})"


def _clean(value: Any) -> Any:
    """The value without secrets; what cannot be looked into is replaced only if its text tells."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, Mapping):
        return {_clean(name): _clean_entry(name, inner) for name, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_clean(inner) for inner in value]
    texts = _texts(value)
    return value if redact(texts) == texts else redact(texts.partition("\0")[0])


def _clean_entry(name: Any, value: Any) -> Any:
    if isinstance(name, str) and isinstance(value, str | bytes) and is_secret_name(name):
        return MASK
    return _clean(value)


def _texts(value: Any) -> str:
    try:
        return f"{value}\0{value!r}"
    except Exception as error:  # noqa: BLE001 - any __str__ may be at fault
        return f"({type(value).__name__} not shown: {type(error).__name__})"


def _uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
        return
    log = logging.getLogger("daemon.uncaught")
    log.critical("an error that nobody expected", exc_info=(kind, error, trace))


def _uncaught_in_thread(args: threading.ExceptHookArgs) -> None:
    if args.exc_value is not None and not issubclass(args.exc_type, SystemExit):
        _uncaught(args.exc_type, args.exc_value, args.exc_traceback)
