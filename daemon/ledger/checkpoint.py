"""Checkpoints: how large the log was and the root of its tree, signed (C2SP tlog-checkpoint).

Each is a file of its own, named by its size, that can be copied anywhere. Beside them stands the
frontier of the newest, so that a start need not read the log again.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from daemon.errors import LedgerError
from daemon.ledger.durable import make_folder, read_small, replace
from daemon.ledger.keys import Signer, sign_note
from daemon.ledger.merkle import Frontier

FOLDER = "checkpoints"
FRONTIER_FILE = "frontier.json"
_TOO_MANY = 10**12  # no name of a file has room for it
_NAME = re.compile(r"([0-9]{12})\.txt")


@dataclass(frozen=True)
class Checkpoint:
    """`text` is the signed note, to be kept elsewhere; `root` is in hexadecimal."""

    text: str
    size: int
    root: str


@dataclass(frozen=True)
class SavedFrontier:
    """The tree at a checkpoint and how many bytes of the log it stands for."""

    frontier: Frontier
    offset: int


def sign_checkpoint(origin: str, frontier: Frontier, signers: Sequence[Signer]) -> Checkpoint:
    root = frontier.root()
    text = f"{origin}\n{frontier.size}\n{base64.b64encode(root).decode()}\n"
    return Checkpoint(sign_note(text, signers), frontier.size, root.hex())


def parse_checkpoint(note: str) -> Checkpoint:
    """Without looking at its signatures. Raises LedgerError."""
    try:
        _, size, root = note.split("\n")[:3]
        return Checkpoint(note, int(size), base64.b64decode(root, validate=True).hex())
    except ValueError:
        raise LedgerError(
            "this is no checkpoint; one begins with the log's name, a size and a root"
        ) from None


def save_checkpoint(ledger: Path, made: Checkpoint, frontier: Frontier, offset: int) -> None:
    """On the disk when this returns; the frontier is a convenience and comes after it.

    Raises LedgerError.
    """
    folder = ledger / FOLDER
    try:
        make_folder(folder)
        replace(folder / f"{made.size:012d}.txt", made.text.encode())
        facts = {
            "size": frontier.size,
            "offset": offset,
            "hashes": [h.hex() for h in frontier.hashes],
        }
        replace(ledger / FRONTIER_FILE, json.dumps(facts).encode())
    except OSError as error:
        raise LedgerError(
            f"{folder}: a checkpoint cannot be written: {error.strerror}; make room on the disk, or "
            "make it writable again"
        ) from error


def list_sizes(ledger: Path) -> list[int]:
    """Of the checkpoints that are kept, smallest first. Raises LedgerError."""
    folder = ledger / FOLDER
    try:
        found = [_NAME.fullmatch(path.name) for path in folder.iterdir()]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise LedgerError(
            f"{folder}: cannot be read: {error.strerror}; put it back from a backup"
        ) from error
    return sorted(int(match[1]) for match in found if match)


def load_checkpoint(ledger: Path, size: int) -> Checkpoint | None:
    """None where none of that size is kept. Raises LedgerError where it is damaged."""
    path = ledger / FOLDER / f"{size:012d}.txt"
    try:
        made = parse_checkpoint(read_small(path).decode())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, LedgerError) as error:
        raise LedgerError(f"{path}: is damaged; put it back from a backup ({error})") from error
    if made.size != size:
        raise LedgerError(f"{path}: is of size {made.size}; put it back from a backup")
    return made


def newest_checkpoint(ledger: Path) -> Checkpoint | None:
    """None where none is kept. Raises LedgerError."""
    sizes = list_sizes(ledger)
    return load_checkpoint(ledger, sizes[-1]) if sizes else None


def load_frontier(ledger: Path) -> SavedFrontier | None:
    """None where it is absent or does not fit its checkpoint: then the log is read instead.

    Raises LedgerError where the checkpoint that it belongs to is damaged.
    """
    try:
        facts = json.loads(read_small(ledger / FRONTIER_FILE))
        hashes = [bytes.fromhex(text) for text in facts["hashes"]]
        size, offset = facts["size"], facts["offset"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    if not all(type(one) is int and 0 <= one < _TOO_MANY for one in (size, offset)):
        return None
    found = SavedFrontier(Frontier(size, hashes), offset)
    made = load_checkpoint(ledger, found.frontier.size) if found.frontier.is_whole() else None
    if made is None or made.root != found.frontier.root().hex():
        return None
    return found
