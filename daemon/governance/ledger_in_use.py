"""The ledger as the daemon uses it: opened at the first action, anchored in the database.

The database keeps how long the log was and how it ended, so that a log that was cut, emptied or put back
from an old copy is noticed before anything is added to it. An outcome that could not be written is
written before the next entry.
"""

from __future__ import annotations

import json
import logging
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from daemon.clock import Clock, to_text
from daemon.errors import LedgerError, StoreError
from daemon.ledger.checkpoint import Checkpoint
from daemon.ledger.reading import entries_about, find_entry, read_raw
from daemon.ledger.writer import Anchor, Ledger, Receipt, open_ledger
from daemon.store import control
from daemon.store.database import Database

_ANCHOR, _CLOSED_UP_TO = "ledger.anchor", "ledger.closed_up_to"
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class KnownEnd:
    """How the log ended when it was last anchored; `note` is the signed checkpoint of that moment."""

    size: int
    leaf: str
    root: str
    note: str
    at: str


def known_end(db: Database) -> KnownEnd | None:
    """The newest anchor; None where nothing was anchored yet. Constant time. Raises StoreError."""
    kept = control.get(db, _ANCHOR)
    return KnownEnd(**kept) if kept else None


def accept_ledger(db: Database) -> KnownEnd | None:
    """Forget the anchor, as a person wants whose log is lost; what was forgotten, or None."""
    forgotten = known_end(db)
    with db.immediate():
        control.delete(db, _ANCHOR)
        control.delete(db, _CLOSED_UP_TO)
    return forgotten


class LedgerInUse:
    """One life's hold on the log in `state_dir`. Nothing is opened or made before the first entry."""

    def __init__(self, state_dir: Path, db: Database, clock: Clock) -> None:
        self._state_dir, self._db, self._clock = state_dir, db, clock
        self._mutex = threading.RLock()
        self._ledger: Ledger | None = None
        self._born = 0
        self._waiting: deque[dict[str, Any]] = deque()
        self._failed = False

    def append(self, type: str, **facts: Any) -> Receipt:  # noqa: A002  the key's name in the log
        """One entry, durable when this returns. Raises LedgerError: then nothing may be done."""
        with self._mutex:
            try:
                ledger = self._open()
                self._write_what_waits(ledger)
                receipt = ledger.append(type, **facts)
            except StoreError as error:
                self._failed = True
                raise _as_ledger_error(error) from error
            self._failed = False
            return receipt

    def settle(self, type: str, **facts: Any) -> None:  # noqa: A002
        """An entry about what happened already: where it cannot be written now, it is written
        before the next one, or a later life closes its decision. Raises nothing."""
        with self._mutex:
            self._waiting.append({"type": type, **facts})
            try:
                self._write_what_waits(self._open())
            except StoreError as error:
                self._failed = True
                _log.error("an outcome is not in the ledger yet: %s", error)

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Take the log before the database: who writes into both in one transaction would else wait
        for a checkpoint of another thread, which waits for that transaction."""
        with self._mutex:
            yield

    def entry(self, seq: int) -> dict[str, Any] | None:
        """The facts of one entry; None where there is no such one. Raises LedgerError."""
        return find_entry(self._state_dir / "ledger", seq)

    def about(self, name: str, *, after: int = -1) -> Iterator[dict[str, Any]]:
        """The entries behind number `after` that have this text as a value, the newest first. Raises
        LedgerError."""
        return entries_about(self._state_dir / "ledger", name, after=after)

    def checkpoint(self) -> Checkpoint:
        """Sign the log and anchor it in the database. Raises LedgerError."""
        with self._mutex:
            try:
                ledger = self._open()
                made, anchor = ledger.checkpoint(), ledger.anchor()
                at = self._clock.now()
                end = KnownEnd(anchor.size, anchor.leaf, made.root, made.text, to_text(at))
                control.put(self._db, _ANCHOR, vars(end), at)
            except StoreError as error:
                self._failed = True
                raise _as_ledger_error(error) from error
            self._failed = False
            return made

    def fault(self) -> LedgerError | None:
        """Why nothing can be written now, or None. After a failure it tries anew."""
        with self._mutex:
            try:
                self._open()
            except StoreError as error:
                return _as_ledger_error(error)
            if not self._failed:
                return None
            try:
                self.checkpoint()
            except LedgerError as error:
                return error
            return None

    def unfinished(self) -> list[tuple[int, dict[str, Any]]]:
        """Decisions of earlier lives that let something happen and say nothing of what came of it.

        Those of this life are under way. Raises LedgerError.
        """
        with self._mutex:
            try:
                self._open()
                return sorted(self._open_decisions().items())
            except StoreError as error:
                raise _as_ledger_error(error) from error

    def all_closed(self) -> None:
        """Everything before this life has its outcome, so no start need look there again."""
        with self._mutex:
            if control.get(self._db, _CLOSED_UP_TO) != self._born:
                control.put(self._db, _CLOSED_UP_TO, self._born, self._clock.now())

    def close(self) -> None:
        """Write what waits, sign, and let go; what cannot be written is told to the log only."""
        with self._mutex:
            ledger, self._ledger = self._ledger, None
            if ledger is None:
                return
            try:
                self._write_what_waits(ledger)
                ledger.close()
            except StoreError as error:
                _log.error("the ledger was not closed in order: %s", error)

    def _open(self) -> Ledger:
        if self._ledger is None:
            ledger = open_ledger(self._state_dir, clock=self._clock)
            end = known_end(self._db)
            if end is not None:
                ledger.check_anchor(Anchor(end.size, end.leaf))
            self._born = ledger.anchor().size
            self._ledger = ledger
        return self._ledger

    def _write_what_waits(self, ledger: Ledger) -> None:
        while self._waiting:
            facts = dict(self._waiting[0])
            ledger.append(facts.pop("type"), **facts)
            self._waiting.popleft()

    def _open_decisions(self) -> dict[int, dict[str, Any]]:
        start = int(control.get(self._db, _CLOSED_UP_TO) or 0)
        found: dict[int, dict[str, Any]] = {}
        for seq, facts in _entries(self._state_dir / "ledger", start):
            if facts["type"] == "decision" and facts["verdict"]["effect"] == "ALLOW":
                if seq < self._born:
                    found[seq] = facts
            elif facts["type"] in ("outcome", "recovery"):
                found.pop(facts["ref"], None)
        return found


def _entries(folder: Path, start: int) -> Iterator[tuple[int, dict[str, Any]]]:
    for seq, raw in enumerate(read_raw(folder)):
        if seq >= start:
            yield seq, json.loads(raw)


def _as_ledger_error(error: StoreError) -> LedgerError:
    return error if isinstance(error, LedgerError) else LedgerError(str(error))
