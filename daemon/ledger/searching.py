"""Finding entries in a long log without reading all of it: by place, by day, by what they are about.

Lines stand in order of their number and (but for a clock that was set back) of their time, so a place
is found by halving. Nothing here checks anything; that is what `ledger verify` is for.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from daemon.errors import LedgerError
from daemon.ledger.entry import LONGEST_LINE
from daemon.ledger.log_file import LOG_FILE, lines_backwards

MOST_BYTES = 6_000_000
_SEQ = re.compile(rb'"seq":([0-9]{1,18}),')  # in a text its quotes would be escaped
_PLAIN = re.compile(r"[ !#-\[\]-~]+")
_TIME = re.compile(rb'"ts":"([0-9T:.-]{26}Z)"')


@dataclass(frozen=True)
class Wanted:
    """Which entries are looked for; empty fields and None do not narrow.

    `text` is looked for in targets, tool and reason, large and small letters alike.
    """

    actor: str = ""
    tool: str = ""
    effect: str = ""
    text: str = ""
    day: date | None = None

    @property
    def is_narrow(self) -> bool:
        return self != Wanted()


@dataclass(frozen=True)
class Hits:
    """The newest first. `next_before` is where the search would go on, None where it is at its end;
    `read_all`: False where it stopped because it had read enough, not because it had found enough."""

    entries: tuple[dict[str, Any], ...]
    next_before: int | None
    read_all: bool


@dataclass(frozen=True)
class LogEnd:
    """How long the log is: its entries and its bytes, without an unfinished last line."""

    entries: int
    bytes: int


def log_end(ledger: Path) -> LogEnd:
    """Looks at the last line alone. Raises LedgerError where there is no log, or it ends in no entry."""
    with _Log(ledger) as log:
        return LogEnd(log.seq_of(log.line_before(log.end)) + 1 if log.end else 0, log.end)


def entry_bytes(ledger: Path, seq: int) -> bytes | None:
    """The stored bytes of one entry, None where there is none; reads some twenty lines of any log.

    Raises LedgerError where there is no log or a line that it looks at is no entry.
    """
    with _Log(ledger) as log:
        line = log.line_at(log.first_place(lambda one: log.seq_of(one) >= seq))
        return line if line and log.seq_of(line) == seq else None


def search(
    ledger: Path,
    wanted: Wanted,
    *,
    most: int,
    before: int | None = None,
    most_bytes: int = MOST_BYTES,
) -> Hits:
    """The newest `most` entries like that among those before number `before` (None: all).

    Reads at most about `most_bytes` of the log. Raises LedgerError.
    """
    with _Log(ledger) as log:
        end = log.end if before is None else log.first_place(lambda one: log.seq_of(one) >= before)
        if wanted.day:
            after = (wanted.day + timedelta(days=1)).isoformat().encode()
            end = min(end, log.first_place(lambda one: log.time_of(one) >= after))
        return _look(log, wanted, end, most, most_bytes)


def _look(log: _Log, wanted: Wanted, end: int, most: int, most_bytes: int) -> Hits:
    marks, words = _marks(wanted), _words(wanted.text)
    since = wanted.day.isoformat().encode() if wanted.day else b""
    found: list[dict[str, Any]] = []
    seen, last = 0, b""
    for raw in lines_backwards(log.descriptor, end):
        if since and log.time_of(raw) < since:
            return Hits(tuple(found), None, read_all=True)
        if len(found) == most or seen > most_bytes:
            return Hits(tuple(found), log.seq_of(last), read_all=seen <= most_bytes)
        seen, last = seen + len(raw), raw
        if _may_be(raw, marks, words):
            facts = log.facts_of(raw)
            if _is_wanted(facts, wanted):
                found.append(facts)
    return Hits(tuple(found), None, read_all=True)


def _may_be(raw: bytes, marks: list[bytes], words: list[bytes]) -> bool:
    """So that most lines need not be read as JSON."""
    if not all(mark in raw for mark in marks):
        return False
    return not words or all(map(raw.lower().__contains__, words))


def _marks(wanted: Wanted) -> list[bytes]:
    """What a line must have as it stands."""
    named = {"actor": wanted.actor, "tool": wanted.tool, "effect": wanted.effect}
    return [f'"{key}":{json.dumps(value)}'.encode() for key, value in named.items() if value]


def _words(text: str) -> list[bytes]:
    """The parts of a text that a line has as they are, but for large letters: letters that are not
    ASCII are escaped there."""
    return [part.lower().encode() for part in _PLAIN.findall(text)]


def _is_wanted(facts: dict[str, Any], wanted: Wanted) -> bool:
    if not wanted.text:
        return True
    action, verdict = facts["action"], facts["verdict"]
    said = [*map(str, action["targets"]), str(action.get("tool")), str(verdict.get("reason"))]
    return wanted.text.casefold() in "\n".join(said).casefold()


class _Log:
    """A log that is open for reading; `end` is behind the last whole line."""

    def __init__(self, ledger: Path) -> None:
        self._path = ledger / LOG_FILE
        self.descriptor = -1
        self.end = 0

    def __enter__(self) -> _Log:
        try:
            self.descriptor = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            raise LedgerError(
                f"{self._path}: there is no ledger yet: nothing was decided here"
            ) from None
        except OSError as error:
            raise LedgerError(f"{self._path}: cannot be read: {error.strerror}") from error
        self.end = self._line_start(os.fstat(self.descriptor).st_size, 0)
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.descriptor)

    def first_place(self, holds: Callable[[bytes], bool]) -> int:
        """Where the first line begins of which `holds` is true; it must be so for all behind it too."""
        low, high = 0, self.end
        while low < high:
            start = self._line_start((low + high) // 2, low)
            line = self.line_at(start)
            if holds(line):
                high = start
            else:
                low = start + len(line) + 1
        return low

    def line_at(self, start: int) -> bytes:
        """The line that begins there, without its end; empty at the end of the log."""
        if start >= self.end:
            return b""
        raw = os.pread(self.descriptor, LONGEST_LINE + 1, start)
        end = raw.find(b"\n")
        if end < 0:
            raise self._no_entry()
        return raw[:end]

    def line_before(self, end: int) -> bytes:
        return self.line_at(self._line_start(end - 1, 0))

    def seq_of(self, line: bytes) -> int:
        found = _SEQ.search(line)
        if not found:
            raise self._no_entry()
        return int(found[1])

    def time_of(self, line: bytes) -> bytes:
        found = _TIME.search(line)
        if not found:
            raise self._no_entry()
        return found[1]

    def facts_of(self, line: bytes) -> dict[str, Any]:
        try:
            facts = json.loads(line)
            if isinstance(facts["action"]["targets"], list) and isinstance(facts["verdict"], dict):
                return dict(facts)
        except (ValueError, KeyError, TypeError, RecursionError):
            pass
        raise self._no_entry()

    def _line_start(self, place: int, least: int) -> int:
        """Where the line begins that `place` stands in; `least` is the beginning of an earlier one."""
        start = max(least, place - LONGEST_LINE - 1)
        found = os.pread(self.descriptor, place - start, start).rfind(b"\n")
        if found < 0 and start > least:
            raise self._no_entry()
        return start + found + 1 if found >= 0 else least

    def _no_entry(self) -> LedgerError:
        return LedgerError(f"{self._path}: has a line that is no entry; run: sprintd ledger verify")
