"""Reading a log for people and for proofs; nothing here can change it, and nothing here is locked out."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from daemon.errors import LedgerError
from daemon.ledger.log_file import LOG_FILE


@dataclass(frozen=True)
class Line:
    """One stored entry: its bytes without their end, and what they say."""

    raw: bytes
    facts: dict[str, Any]


def read_log(ledger: Path, *, first: int | None = None) -> Iterator[Line]:
    """Whole entries from the oldest on, at most `first` of them (None: all).

    An unfinished last line is left out. Raises LedgerError, naming a line that is no entry.
    """
    path = ledger / LOG_FILE
    for number, raw in enumerate(read_raw(ledger, first=first), 1):
        try:
            facts = json.loads(raw)
        except ValueError:
            facts = None
        if not isinstance(facts, dict):
            raise LedgerError(f"{path}:{number}: is no entry; run: sprintd ledger verify")
        yield Line(raw, facts)


def read_raw(ledger: Path, *, first: int | None = None) -> Iterator[bytes]:
    """The stored bytes of each whole line. Raises LedgerError where there is no log."""
    path = ledger / LOG_FILE
    try:
        with path.open("rb") as stream:
            for number, line in enumerate(stream):
                if number == first or not line.endswith(b"\n"):
                    return
                yield line[:-1]
    except FileNotFoundError:
        raise LedgerError(f"{path}: there is no ledger yet: nothing was decided here") from None
    except OSError as error:
        raise LedgerError(f"{path}: cannot be read: {error.strerror}") from error


def newest_entries(
    ledger: Path, number: int, *, actor: str | None = None, sprint: int | None = None
) -> list[Line]:
    """The last `number` entries, oldest first, of one actor or sprint alone (None: of all)."""
    chosen = (
        line
        for line in read_log(ledger)
        if (actor is None or line.facts.get("actor") == actor)
        and (sprint is None or line.facts.get("sprint") == sprint)
    )
    return list(deque(chosen, maxlen=number))


def announced_keys(ledger: Path, *, first: int | None = None) -> list[str]:
    """The public keys that the log makes known, oldest first."""
    marked = (raw for raw in read_raw(ledger, first=first) if b'"type":"key"' in raw)
    found = (json.loads(raw) for raw in marked)
    return [facts["action"]["targets"][0] for facts in found if facts["type"] == "key"]
