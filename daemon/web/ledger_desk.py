"""Checks and proofs of the ledger that take long: in a program of their own, one at a time, so that no
page and no sprint waits for them. What the last check found is kept over restarts."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from daemon.clock import Clock, from_text, to_text
from daemon.errors import LedgerError, StoreError
from daemon.ledger.proofs import Prover
from daemon.store import control
from daemon.store.database import Database

LONGEST_SECONDS = 3_600
# A log up to here is gone through while the page waits: some milliseconds.
AT_ONCE_BYTES = 2_000_000
PAUSE_SECONDS = 60
_KEPT = "ledger.checked"
_MOST_PROOFS = 20
_MOST_OUTPUT = 2_000_000
_CHECK = "from daemon.ledger.verify_main import main; raise SystemExit(main())"
_PROVE = (
    "import json, sys; from pathlib import Path; from daemon.ledger.proofs import Prover; "
    "print(json.dumps(Prover(Path(sys.argv[1])).prove_inclusion(int(sys.argv[2]))))"
)
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Checked:
    """What a check found: `kind` is a word of `ledger verify`, or "failed" where it could not be done."""

    kind: str
    message: str
    entries: int
    signed: int
    at: datetime
    seconds: float


class LedgerDesk:
    """Starts what was asked for and remembers what came of it. Safe to use from many threads."""

    def __init__(self, ledger: Path, db: Database, clock: Clock) -> None:
        self._ledger, self._db, self._clock = ledger, db, clock
        self._lock = threading.Lock()
        self._running = ""
        self._since: datetime | None = None
        self._checked: Checked | None = None
        self._proofs: OrderedDict[int, Mapping[str, Any] | str] = OrderedDict()

    @property
    def checking_since(self) -> datetime | None:
        """When the check began that is under way; None where none is."""
        with self._lock:
            return self._since if self._running == "check" else None

    def is_proving(self, seq: int) -> bool:
        with self._lock:
            return self._running == f"proof {seq}"

    def last_check(self) -> Checked | None:
        """Of this life or an earlier one; None where nobody asked for one. Raises StoreError."""
        kept = self._checked or control.get(self._db, _KEPT)
        if kept is None or isinstance(kept, Checked):
            return kept
        return Checked(**{**kept, "at": from_text(kept["at"])})

    def check_again_at(self) -> datetime | None:
        """Before when no check is begun, so that clicks do not keep a processor busy; None for now.

        A pause of a minute, or ten times what the last one took. Raises StoreError.
        """
        last, now = self.last_check(), self._clock.now()
        if last is None or last.kind == "failed" or last.at > now:
            return None
        at = last.at + timedelta(seconds=max(PAUSE_SECONDS, 10 * last.seconds))
        return at if at > now else None

    def start_check(self) -> bool:
        """False where something is under way already, or the last check was a moment ago."""
        return self.check_again_at() is None and self._start("check", self._check)

    def start_proof(self, seq: int) -> bool:
        """False where something is under way already."""
        return self._start(f"proof {seq}", lambda: self._prove(seq))

    def proof_of(self, seq: int, log_bytes: int) -> Mapping[str, Any] | str | None:
        """The proof, or why there can be none; None where it was not made yet and takes long."""
        with self._lock:
            found = self._proofs.get(seq)
        if isinstance(found, Mapping) or log_bytes > AT_ONCE_BYTES:
            return found
        try:
            return Prover(self._ledger).prove_inclusion(seq)
        except LedgerError as error:
            return str(error)

    def _start(self, name: str, work: Callable[[], None]) -> bool:
        with self._lock:
            if self._running:
                return False
            self._running, self._since = name, self._clock.now()
        threading.Thread(target=self._run, args=(work,), name="ledger-desk", daemon=True).start()
        return True

    def _run(self, work: Callable[[], None]) -> None:
        try:
            work()
        except Exception:  # noqa: BLE001  a thread's last frame: nobody else would ever say it
            _log.exception("the ledger could not be looked at")
        finally:
            with self._lock:
                self._running, self._since = "", None

    def _check(self) -> None:
        began = self._clock.monotonic()
        try:
            found = json.loads(_outside(_CHECK, str(self._ledger), "--json"))
            told = (str(found["kind"]), str(found["message"]))
            counts = (int(found["entries"]), int(found["signed"]))
        except (OSError, ValueError, KeyError, TypeError, subprocess.SubprocessError) as error:
            told, counts = ("failed", str(error)[:500]), (0, 0)
        took = round(self._clock.monotonic() - began, 1)
        self._checked = checked = Checked(*told, *counts, self._clock.now(), took)
        try:
            kept = {**vars(checked), "at": to_text(checked.at)}
            control.put(self._db, _KEPT, kept, checked.at)
        except StoreError as error:
            _log.warning(
                "what the check of the ledger found is known until the next start: %s", error
            )

    def _prove(self, seq: int) -> None:
        found: Mapping[str, Any] | str
        try:
            found = json.loads(_outside(_PROVE, str(self._ledger), str(seq)))
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            found = str(error)[:500]
        with self._lock:
            self._proofs[seq] = found
            while len(self._proofs) > _MOST_PROOFS:
                self._proofs.popitem(last=False)


def _outside(program: str, *arguments: str) -> str:
    """What a program of our own says, run by this interpreter, and politely towards the sprints.

    A check that finds something says so with its exit code; that is no failure.
    """
    package = str(Path(__file__).parents[2])
    command = [sys.executable, "-c", f"import os; os.nice(10); {program}", *arguments]
    environ = {"PYTHONPATH": package, "PATH": os.defpath, "LC_ALL": "C.UTF-8"}
    done = subprocess.run(  # noqa: S603  nothing in it comes from a visitor but a number
        command,
        capture_output=True,
        timeout=LONGEST_SECONDS,
        check=False,
        cwd="/",
        env=environ,
        stdin=subprocess.DEVNULL,
    )
    said = done.stdout[:_MOST_OUTPUT].decode("utf-8", "replace")
    if not said.strip():
        last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise ValueError(" ".join(last) or f"it ended with {done.returncode}")
    return said
