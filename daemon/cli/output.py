"""What is written where: results on standard output, progress and errors on standard error."""

from __future__ import annotations

import io
import json
import shlex
import shutil
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from daemon.config.redaction import redact
from daemon.errors import SprintdError, WorkspaceInvalid
from daemon.reports.plain_text import NARROWEST, WIDEST, one_line, printable, wrap

_MOST_OF_A_LINE = 4_000


def width() -> int:
    """Columns to write for: the terminal's, but between 80 and 100."""
    return min(max(shutil.get_terminal_size((WIDEST, 24)).columns, NARROWEST), WIDEST)


def program_name() -> str:
    """What starts this program again from any folder: its name where the shell finds it, else
    its path."""
    started = Path(sys.argv[0])
    if started.name == "__main__.py":  # python -m daemon
        started = Path(sys.executable).with_name("sprintd")
    if started.name != "sprintd" or not started.exists():
        return "sprintd"
    found = shutil.which(started.name)
    if found and Path(found).samefile(started):
        return started.name
    return shlex.quote(str(started.absolute()))


def say(text: str) -> None:
    """The result, on standard output; whatever could move a cursor is taken out."""
    click.echo(printable(text))


def say_json(facts: Mapping[str, Any]) -> None:
    """The result as one JSON object; ASCII, so that no locale and no terminal can spoil it."""
    click.echo(json.dumps(facts, indent=2))


def progress(line: str) -> None:
    """One line of progress, on standard error."""
    click.echo(one_line(redact(line), _MOST_OF_A_LINE), err=True)


def say_error(error: SprintdError, *, as_json: bool) -> None:
    """The message on standard error and, for machines, as {"error": ...} on standard output."""
    message = redact(str(error))
    text = printable(f"sprintd: {message}")
    if sys.stderr.isatty():  # what a machine reads keeps its lines
        text = "\n".join(part for line in text.splitlines() for part in wrap(line, width()))
    click.echo(text, err=True)
    if as_json:
        with suppress(OSError):  # it may be standard output itself that failed
            say_json({"error": error_as_json(error)})


def error_as_json(error: SprintdError) -> dict[str, Any]:
    """`faults` is there only where files have faults."""
    facts: dict[str, Any] = {
        "kind": type(error).__name__,
        "message": redact(str(error)),
        "exit_code": error.exit_code,
    }
    if isinstance(error, WorkspaceInvalid):
        facts["faults"] = [vars(fault) for fault in error.faults]
    return facts


def safe_streams() -> None:
    """Let no locale turn a letter that it does not know into a crash."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
