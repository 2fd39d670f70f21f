"""What a crash left of an unfinished line: put aside, and recorded.

A file is `.pending` until the entry that records it is on the disk; then it is `.bin`.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from daemon.errors import LedgerError
from daemon.ledger.durable import make_folder, read_small, replace, sync_folder
from daemon.ledger.entry import Draft, draft_entry

FOLDER = "quarantine"
TOOL = "quarantine"


@dataclass(frozen=True)
class PutAside:
    """A tail that is not recorded yet; `seq` is the entry that took, or takes, its place."""

    path: Path
    seq: int
    size: int
    sha256: str

    def draft(self) -> Draft:
        return draft_entry(
            "recovery",
            actor="ledger",
            tool=TOOL,
            args_sha256=self.sha256,
            targets=[f"{FOLDER}/{self.path.stem}.bin"],
            verdict={"reason": f"{self.size} bytes of an unfinished line were put aside"},
        )

    def settle(self) -> None:
        """It is recorded. Raises LedgerError."""
        try:
            self.path.rename(self.path.with_suffix(".bin"))
            sync_folder(self.path.parent)
        except OSError as error:
            raise LedgerError(f"{self.path}: cannot be renamed: {error.strerror}") from error


def put_aside(ledger: Path, tail: bytes, seq: int) -> None:
    """On the disk when this returns; doing it twice is harmless. Raises LedgerError."""
    sha256 = hashlib.sha256(tail).hexdigest()
    path = ledger / FOLDER / f"{seq:012d}-{sha256[:16]}.pending"
    try:
        make_folder(path.parent)
        replace(path, tail)
    except OSError as error:
        raise LedgerError(f"{path}: cannot be written: {error.strerror}") from error


def list_pending(ledger: Path) -> list[PutAside]:
    """What no entry records yet, oldest first. Raises LedgerError."""
    found = []
    for path in sorted((ledger / FOLDER).glob("*.pending")):
        try:
            tail = read_small(path)
            seq = int(path.name.split("-")[0])
        except (OSError, ValueError) as error:
            raise LedgerError(f"{path}: cannot be read; move it out of the folder") from error
        found.append(PutAside(path, seq, len(tail), hashlib.sha256(tail).hexdigest()))
    return found
