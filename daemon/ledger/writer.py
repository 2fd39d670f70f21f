"""The ledger: an entry is on the disk before `append` returns, or `append` raises.

One append, under the lock of the log:
1. Take up what other processes appended since; put an unfinished last line aside.
2. Write the entry in one piece and wait for the disk.
3. Every 64 entries and every 60 seconds sign a checkpoint.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from daemon.clock import Clock, to_text
from daemon.errors import LedgerError
from daemon.ledger import keys
from daemon.ledger.chain import Chain
from daemon.ledger.checkpoint import (
    Checkpoint,
    load_checkpoint,
    newest_checkpoint,
    save_checkpoint,
    sign_checkpoint,
)
from daemon.ledger.entry import Draft, draft_entry, render_entry
from daemon.ledger.keys import Signer
from daemon.ledger.log_file import LOG_FILE, LogFile, append_durably
from daemon.ledger.merkle import leaf_hash
from daemon.ledger.opening import begin, catch_up, leaf_at, prepare, record_pending

CHECKPOINT_ENTRIES = 64
CHECKPOINT_SECONDS = 60.0
OWN_TYPES = frozenset({"key", "clock"})
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Receipt:
    """Where an entry stands; `leaf` is its hash in the tree, in hexadecimal."""

    seq: int
    leaf: str


@dataclass(frozen=True)
class Anchor:
    """How many entries there are and the leaf of the last, to be kept outside of the ledger."""

    size: int
    leaf: str


class Ledger:
    """One log, as this process appends to it; safe in threads, and beside other processes.

    Make one with `open_ledger`.
    """

    def __init__(self, folder: Path, keys_folder: Path, clock: Clock) -> None:
        self.folder = folder
        self._keys_folder = keys_folder
        self._clock = clock
        self._log_file = LogFile(folder / LOG_FILE)
        self._mutex = threading.RLock()
        self._chain = Chain()
        self._signer: Signer | None = None
        self._signed_size = 0
        self._signed_at = clock.monotonic()
        self._closed = False

    @property
    def origin(self) -> str:
        """The log's name, which its keys and checkpoints carry."""
        return self._chain.origin

    @property
    def vkey(self) -> str:
        """The public key in use, for checkers."""
        return self._key().vkey

    def append(
        self,
        type: str,  # noqa: A002  the key's name in the log
        *,
        actor: str,
        tool: str = "",
        args_sha256: str = "",
        targets: Sequence[str] = (),
        verdict: Mapping[str, Any] | None = None,
        policy: Mapping[str, Any] | None = None,
        sprint: int | None = None,
        ref: int | None = None,
    ) -> Receipt:
        """One entry, durable when this returns.

        `ref` is the seq of the entry that this one belongs to. Raises LedgerError where the entry
        is not in the log; then nothing may be done that needs it.
        """
        if type in OWN_TYPES:
            raise LedgerError(f"type: {type!r} is the ledger's own; choose another")
        draft = draft_entry(
            type,
            actor=actor,
            tool=tool,
            args_sha256=args_sha256,
            targets=targets,
            verdict=verdict,
            policy=policy,
            sprint=sprint,
            ref=ref,
        )
        with self._settled() as log:
            receipt = self._write(log, draft)
            self._sign_if_due()
            return receipt

    def checkpoint(self) -> Checkpoint:
        """Sign the log as it is now, what other processes appended included. Raises LedgerError."""
        with self._settled():
            return self._sign([self._key()])

    def latest(self) -> Checkpoint | None:
        """The newest checkpoint that is kept here. Raises LedgerError where it is damaged."""
        return newest_checkpoint(self.folder)

    def anchor(self) -> Anchor:
        """The end of the log, to be kept elsewhere. Raises LedgerError."""
        with self._settled():
            return Anchor(self._chain.size, self._chain.leaf)

    def check_anchor(self, anchor: Anchor) -> None:
        """Raises LedgerError where the log does not begin with what an earlier anchor saw."""
        with self._settled() as log:
            size = self._chain.size
            if size < anchor.size:
                raise LedgerError(
                    f"the log has {size:,} entries but had {anchor.size:,}: its end was cut off, or "
                    "an old copy was put back; put the newest copy back (docs/ledger.md)"
                )
            if anchor.size and leaf_at(log, self._chain, anchor.size - 1) != anchor.leaf:
                raise LedgerError(
                    f"log.jsonl:{anchor.size}: is not the entry that was written there: the log was "
                    "rewritten; put the true copy back (docs/ledger.md)"
                )

    def rotate_key(self, *, actor: str) -> Checkpoint:
        """Announce a new key and sign with both; from then on the new one alone signs.

        A crash in the middle is finished by whoever opens or appends next. Raises LedgerError.
        """
        with self._settled() as log:
            (self._keys_folder / keys.NEXT_KEY_FILE).unlink(missing_ok=True)  # never announced
            new = keys.make_signer(self._keys_folder, self.origin, os.urandom(32))
            self._write(log, _key_entry(new, actor, "rotate"))
            return self._change_key()

    def close(self) -> None:
        """Sign what is not signed yet and take no more entries. Raises LedgerError."""
        with self._mutex:
            if self._closed:
                return
            try:
                if self._signed_size < self._chain.size:
                    self.checkpoint()
            finally:
                self._closed = True

    def open(self, origin: str | None) -> None:
        """Read up to the end of the log, or begin it; for `open_ledger`. Raises LedgerError."""
        prepare(self._log_file, self.folder, self._keys_folder)
        with self._log_file.locked() as log:
            self._signer = keys.load_signer(self._keys_folder)
            waiting = keys.load_signer(self._keys_folder, keys.NEXT_KEY_FILE)
            self._chain, newest = begin(log, self.folder, self._signer, waiting)
            if newest:
                self._signed_size = newest.size
                if waiting and waiting.signed(newest.text):  # a change of keys lacks its last step
                    self._signer = keys.promote(self._keys_folder, waiting)
            catch_up(log, self._chain, self.folder)
            if not self._chain.size:
                self._write_first(log, waiting, origin)
            self._follow_key()
            record_pending(log, self._chain, self.folder, self._write)
        if origin is not None and origin != self.origin:
            raise LedgerError(
                f"this log is named {self.origin!r}, not {origin!r}; a log keeps its name"
            )

    def _write_first(self, log: int, waiting: Signer | None, origin: str | None) -> None:
        """The entry that makes the first key known; a key that waits is of a start cut short."""
        name = f"sprintd/{os.urandom(8).hex()}" if origin is None else origin
        waiting = waiting or keys.make_signer(self._keys_folder, name, os.urandom(32))
        self._chain.origin = waiting.name
        self._write(log, _key_entry(waiting, "ledger", "create"))

    @contextmanager
    def _settled(self) -> Iterator[int]:
        """The locked log, with everything taken up that happened to it since."""
        with self._mutex:
            if self._closed:
                raise LedgerError("this ledger is closed; open it again")
            with self._log_file.locked() as log:
                torn = catch_up(log, self._chain, self.folder)
                self._follow_key()
                if torn:
                    record_pending(log, self._chain, self.folder, self._write)
                yield log

    def _write(self, log: int, draft: Draft) -> Receipt:
        chain, ts = self._chain, to_text(self._clock.now())
        drafts = [draft]
        if ts < chain.ts:  # never silent: the set-back is an entry of its own
            why = f"the clock was set back from {chain.ts} to {ts}"
            drafts.insert(0, draft_entry("clock", actor="ledger", verdict={"reason": why}))
        lines, leaf = [], chain.leaf
        for number, one in enumerate(drafts):
            seq = chain.size + number
            lines.append(render_entry(one, log=chain.origin, seq=seq, ts=ts, prev=leaf))
            leaf = leaf_hash(lines[-1]).hex()
        append_durably(log, b"".join(line + b"\n" for line in lines), chain.offset)
        for line, one in zip(lines, drafts, strict=True):
            facts = {"log": chain.origin, "ts": ts, "type": one.type, "action": one.action}
            chain.add(line, facts)
        return Receipt(chain.size - 1, leaf)

    def _sign_if_due(self) -> None:
        """The entry is safe; where a checkpoint fails, the next append tries again."""
        late = self._clock.monotonic() - self._signed_at >= CHECKPOINT_SECONDS
        size = self._chain.size
        if late or size % CHECKPOINT_ENTRIES == 0 or size - self._signed_size >= CHECKPOINT_ENTRIES:
            try:
                self._sign([self._key()])
            except LedgerError as error:
                _log.warning("the ledger's checkpoint is late: %s", error)

    def _sign(self, signers: Sequence[Signer]) -> Checkpoint:
        chain = self._chain
        made = sign_checkpoint(chain.origin, chain.frontier, signers)
        kept = load_checkpoint(self.folder, chain.size)
        if kept and kept.root == made.root and all(one.signed(kept.text) for one in signers):
            made = kept  # it may have a second signature: the one that signs a new key in
        save_checkpoint(self.folder, made, chain.frontier, chain.offset)
        self._signed_size, self._signed_at = made.size, self._clock.monotonic()
        return made

    def _key(self) -> Signer:
        if self._signer is None:
            raise LedgerError(f"{self._keys_folder}: the key is missing; put it back from a backup")
        return self._signer

    def _follow_key(self) -> None:
        """Use the key that the log announced last, finishing a change that was cut short."""
        announced = self._chain.announced
        if not announced or (self._signer and self._signer.vkey == announced):
            return
        stored = keys.load_signer(self._keys_folder)
        if stored and stored.vkey == announced:
            self._signer = stored
            return
        self._change_key()

    def _change_key(self) -> Checkpoint:
        waiting = keys.load_signer(self._keys_folder, keys.NEXT_KEY_FILE)
        if waiting is None or waiting.vkey != self._chain.announced:
            raise LedgerError(
                f"{self._keys_folder}: holds no key that belongs to this log "
                f"({self._chain.announced}); put the key back from a backup"
            )
        before = keys.load_signer(self._keys_folder)  # ours may be older, where others changed it
        made = self._sign([*([before] if before else []), waiting])
        self._signer = keys.promote(self._keys_folder, waiting)
        return made


def open_ledger(state_dir: Path, *, clock: Clock, origin: str | None = None) -> Ledger:
    """The log in state/ledger, begun on first use with a new key in state/keys.

    `origin` names a new log (None: a name at random) and is compared with that of an old one.
    Raises LedgerError, with the cure, where log, checkpoints and key do not belong together.
    """
    ledger = Ledger(state_dir / "ledger", state_dir / "keys", clock)
    ledger.open(origin)
    return ledger


def _key_entry(signer: Signer, actor: str, tool: str) -> Draft:
    return draft_entry("key", actor=actor, tool=tool, targets=[signer.vkey])
