"""Reading a log for people and for proofs; nothing here can change it, and nothing here is locked out."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from daemon.errors import LedgerError
from daemon.ledger.log_file import LOG_FILE, lines_backwards

_PLACE = re.compile(rb'"seq":([0-9]{1,18}),')  # in a text its quotes would be escaped


def read_raw(ledger: Path, *, first: int | None = None) -> Iterator[bytes]:
    """The stored bytes of each whole line, at most `first` of them (None: all).

    Raises LedgerError where there is no log.
    """
    with _opened(ledger / LOG_FILE) as stream:
        for number, line in enumerate(stream):
            if number == first or not line.endswith(b"\n"):
                return
            yield line[:-1]


def newest_entries(
    ledger: Path, number: int, *, actor: str | None = None, sprint: int | None = None
) -> list[dict[str, Any]]:
    """The last `number` entries, oldest first, of one actor or sprint alone (None: of all).

    Reads from the end. An unfinished last line is left out. Raises LedgerError where a line is no
    entry or there is no log.
    """
    chosen = (
        facts
        for facts in _read_backwards(ledger / LOG_FILE)
        if (actor is None or facts.get("actor") == actor)
        and (sprint is None or facts.get("sprint") == sprint)
    )
    return list(islice(chosen, number))[::-1]


def find_entry(ledger: Path, seq: int) -> dict[str, Any] | None:
    """The entry at this place, None where there is none; quick for a new one, for it reads from the
    end. Raises LedgerError where a line is no entry or there is no log."""
    newer = (facts for facts in _read_backwards(ledger / LOG_FILE) if facts.get("seq", 0) <= seq)
    found = next(newer, None)
    return found if found and found.get("seq") == seq else None


def entries_about(ledger: Path, name: str, *, after: int = -1) -> Iterator[dict[str, Any]]:
    """The entries behind number `after` in which this text is a whole value (a target, a digest, a
    tool), the newest first. Raises LedgerError where a line is no entry or there is no log.

    A line without it is not read as JSON, so that a long log is looked through quickly.
    """
    wanted = json.dumps(name).encode("ascii")
    with _opened(ledger / LOG_FILE) as stream:
        descriptor = stream.fileno()
        for raw in lines_backwards(descriptor, os.fstat(descriptor).st_size):
            place = _PLACE.search(raw)
            if place and int(place[1]) <= after:
                return
            if wanted in raw:
                yield _facts_of(raw, ledger / LOG_FILE)


def announced_keys(ledger: Path, *, first: int | None = None) -> list[str]:
    """The public keys that the log makes known, oldest first. Raises LedgerError."""
    marked = (raw for raw in read_raw(ledger, first=first) if b'"type":"key"' in raw)
    found = (_facts_of(raw, ledger / LOG_FILE) for raw in marked)
    return [
        str(target)
        for facts in found
        if facts.get("type") == "key"
        for target in facts["action"]["targets"][:1]
    ]


def _read_backwards(path: Path) -> Iterator[dict[str, Any]]:
    with _opened(path) as stream:
        descriptor = stream.fileno()
        for raw in lines_backwards(descriptor, os.fstat(descriptor).st_size):
            yield _facts_of(raw, path)


def _facts_of(raw: bytes, path: Path) -> dict[str, Any]:
    """Raises LedgerError where it has not the form that its readers count on."""
    try:
        facts = json.loads(raw)
        if isinstance(facts["action"]["targets"], list) and isinstance(facts["verdict"], dict):
            return dict(facts)
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    raise LedgerError(f"{path}: has a line that is no entry; run: sprintd ledger verify")


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        with path.open("rb") as stream:
            yield stream
    except FileNotFoundError:
        raise LedgerError(f"{path}: there is no ledger yet: nothing was decided here") from None
    except OSError as error:
        raise LedgerError(f"{path}: cannot be read: {error.strerror}") from error
