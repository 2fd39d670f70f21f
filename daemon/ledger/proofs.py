"""Proofs about a log for whoever has a checkpoint of it and not the log."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

from daemon.errors import LedgerError
from daemon.ledger.checkpoint import Checkpoint, newest_checkpoint, parse_checkpoint
from daemon.ledger.merkle import consistency_proof, inclusion_proof, leaf_hash, root_of
from daemon.ledger.reading import announced_keys, read_raw


class Prover:
    """The log up to its newest checkpoint, read once.

    Raises LedgerError where there is no checkpoint, or the log is not the one that was signed.
    """

    def __init__(self, ledger: Path) -> None:
        self._ledger = ledger
        self.newest = _newest(ledger)
        self._leaves = [leaf_hash(line) for line in read_raw(ledger, first=self.newest.size)]
        if len(self._leaves) != self.newest.size or root_of(self._leaves).hex() != self.newest.root:
            raise LedgerError("the log is not the one that was signed; run: sprintd ledger verify")
        self.keys = announced_keys(ledger, first=self.newest.size)

    def prove_inclusion(self, seq: int) -> dict[str, Any]:
        """That an entry is among those that the newest checkpoint stands for. Raises LedgerError."""
        if not 0 <= seq < self.newest.size:
            raise LedgerError(
                f"there is no entry {seq} among those that are signed (0..{self.newest.size - 1}); "
                "sign later ones with: sprintd ledger checkpoint"
            )
        line = next(islice(read_raw(self._ledger), seq, None))
        proof = inclusion_proof(self._leaves, seq)
        return {"kind": "inclusion", "seq": seq, "line": line.decode(), **self._signed(proof)}

    def prove_consistency(self, older_note: str) -> dict[str, Any]:
        """That the log of the newest checkpoint grew out of the one of an older checkpoint.

        Raises LedgerError where it did not, or where the older one is of no entries or the newer.
        """
        older = parse_checkpoint(older_note)
        if not 1 <= older.size <= self.newest.size:
            raise LedgerError(
                f"a checkpoint of {older.size} entries cannot be followed to the newest, of "
                f"{self.newest.size}; give one that is of 1 entry or more, and not newer"
            )
        if root_of(self._leaves[: older.size]).hex() != older.root:
            raise LedgerError(
                f"the first {older.size} entries here are not the ones that the older checkpoint "
                "was signed over: the log was rewritten (docs/ledger.md)"
            )
        proof = consistency_proof(self._leaves, older.size)
        return {"kind": "consistency", "older_checkpoint": older.text, **self._signed(proof)}

    def _signed(self, proof: list[bytes]) -> dict[str, Any]:
        hexadecimal = [one.hex() for one in proof]
        return {"proof": hexadecimal, "checkpoint": self.newest.text, "keys": self.keys}


def _newest(ledger: Path) -> Checkpoint:
    newest = newest_checkpoint(ledger)
    if newest is None:
        raise LedgerError(f"{ledger}: there is no checkpoint; run: sprintd ledger checkpoint")
    return newest
