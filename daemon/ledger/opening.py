"""Reading a log up to its end: at a start from the newest checkpoint on, later what is new."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from itertools import islice
from pathlib import Path

from daemon.errors import LedgerError
from daemon.ledger.chain import Chain
from daemon.ledger.checkpoint import Checkpoint, SavedFrontier, load_frontier, newest_checkpoint
from daemon.ledger.durable import make_folder
from daemon.ledger.entry import LONGEST_LINE, Draft
from daemon.ledger.keys import Signer, load_signer
from daemon.ledger.log_file import LOG_FILE, LogFile, lines_backwards, read_lines
from daemon.ledger.merkle import leaf_hash
from daemon.ledger.quarantine import list_pending, put_aside


def prepare(log_file: LogFile, ledger: Path, keys_folder: Path) -> None:
    """An empty log where there is none and never was one. Raises LedgerError."""
    try:
        if log_file.path.exists():
            return
    except OSError as error:
        raise LedgerError(f"{log_file.path}: cannot be read: {error.strerror}") from error
    known = newest_checkpoint(ledger) is not None or load_signer(keys_folder) is not None
    if known and not log_file.path.exists():  # else another process has begun it just now
        raise _gone(log_file.path)
    try:
        make_folder(ledger)
    except OSError as error:
        raise LedgerError(f"{ledger}: cannot be made: {error.strerror}") from error
    log_file.create()


def begin(
    log: int, ledger: Path, signer: Signer | None, waiting: Signer | None
) -> tuple[Chain, Checkpoint | None]:
    """The chain up to the newest checkpoint or further, and that checkpoint, if one is kept here.

    `waiting` is a key that is not in use yet. Raises LedgerError where log, checkpoints and key do
    not belong together.
    """
    newest, path = newest_checkpoint(ledger), ledger / LOG_FILE
    if not os.fstat(log).st_size and (newest or signer):
        raise _gone(path)
    if os.fstat(log).st_size and not (signer or waiting):
        raise LedgerError(
            f"{ledger.parent / 'keys'}: the key of this log is missing; put it back from a "
            "backup, or move the folder of the ledger away to begin a new log"
        )
    if newest and not any(key.signed(newest.text) for key in (signer, waiting) if key):
        raise LedgerError(
            f"{ledger}: the newest checkpoint is not signed with the key in use; put back the "
            "log and the key that belong together"
        )
    chain = _begin(log, load_frontier(ledger))
    if newest:
        chain.roots[newest.size] = newest.root
        _read(log, chain)
        _check_reached(path, chain, newest)
    return chain, newest


def catch_up(log: int, chain: Chain, ledger: Path) -> bool:
    """Take up what was appended since; an unfinished last line is put aside.

    Returns whether one was. Raises LedgerError, naming the line, where the log is damaged or was cut.
    """
    size = os.fstat(log).st_size
    if size == chain.offset:
        return False
    if size < chain.offset:
        raise LedgerError(
            f"log.jsonl: is shorter than it was ({size:,} bytes, {chain.offset:,} before): its end "
            "was cut off while it was in use; put the newest copy back (docs/ledger.md)"
        )
    tail = _read(log, chain)
    if tail:
        if len(tail) > LONGEST_LINE + 1:
            raise chain.damage(f"is {len(tail):,} bytes without an end")
        put_aside(ledger, tail, chain.size)
        os.ftruncate(log, chain.offset)
        os.fdatasync(log)
    return bool(tail)


def record_pending(
    log: int, chain: Chain, ledger: Path, write: Callable[[int, Draft], object]
) -> None:
    """One entry for each tail that was put aside and is not recorded. Raises LedgerError."""
    for tail in list_pending(ledger):
        if not _is_recorded(log, chain, tail.seq, tail.sha256):
            write(log, tail.draft())
        tail.settle()


def leaf_at(log: int, chain: Chain, seq: int) -> str:
    """The leaf of an entry that is there, in hexadecimal; read from the end of the log."""
    return leaf_hash(_line_at(log, chain, seq)).hex()


def _line_at(log: int, chain: Chain, seq: int) -> bytes:
    backwards = lines_backwards(log, chain.offset)
    return next(islice(backwards, chain.size - 1 - seq, None), b"")


def _is_recorded(log: int, chain: Chain, seq: int, sha256: str) -> bool:
    """Whether the entry at `seq`, or one of the few after it, tells of this digest."""
    found = (_line_at(log, chain, at) for at in range(seq, min(seq + 3, chain.size)))
    return any(f'"args_sha256":"{sha256}"'.encode() in line for line in found)


def _begin(log: int, saved: SavedFrontier | None) -> Chain:
    """At the newest checkpoint, or at the start of the log where that does not fit it."""
    if saved is None or not saved.frontier.size or not saved.offset:
        return Chain()
    if os.fstat(log).st_size < saved.offset or os.pread(log, 1, saved.offset - 1) != b"\n":
        return Chain()
    try:
        line = next(lines_backwards(log, saved.offset), b"")
        facts = json.loads(line)
        if facts["seq"] != saved.frontier.size - 1:
            return Chain()
        leaf = leaf_hash(line).hex()
        return Chain(str(facts["log"]), saved.frontier, saved.offset, leaf, str(facts["ts"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return Chain()


def _read(log: int, chain: Chain) -> bytes:
    """Take whole lines; returns what a crash left of the last one, or nothing.

    A line that is whole has no NUL; blocks that never reached the disk read as NULs.
    """
    for line, is_last in read_lines(log, chain.offset):
        if is_last and (not line.endswith(b"\n") or b"\0" in line):
            return line
        chain.take(line[:-1])
    return b""


def _gone(path: Path) -> LedgerError:
    return LedgerError(
        f"{path}: the log is gone or was emptied, but its key or its checkpoints are there; put "
        "the log back from a backup, or move ledger and keys away to begin a new one"
    )


def _check_reached(path: Path, chain: Chain, newest: Checkpoint) -> None:
    if chain.size < newest.size:
        raise LedgerError(
            f"{path}: has {chain.size:,} entries but {newest.size:,} were signed: its end was cut "
            "off, or an old copy was put back; put the newest copy back (docs/ledger.md)"
        )
