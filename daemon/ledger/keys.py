"""The key that signs checkpoints: one file, for its owner only; and how a note is signed (C2SP).

The file holds one line, PRIVATE+KEY+name+hash+key, as golang.org/x/mod/sumdb/note writes it; the
public half is name+hash+key. `name` is the log's origin.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nacl.signing import SigningKey

from daemon.errors import LedgerError
from daemon.ledger.durable import create, make_folder, sync_folder

KEY_FILE = "ledger.key"
NEXT_KEY_FILE = "ledger.key.next"
_ED25519 = b"\1"
_PREFIX = "PRIVATE+KEY+"
_NAME = re.compile(r"[^\s+\x00-\x1f\x7f\ud800-\udfff]{1,200}")
_MOST_BYTES = 4_096


@dataclass(frozen=True)
class Signer:
    """A name and its key; the seed never shows."""

    name: str
    _key: SigningKey

    def __repr__(self) -> str:
        return f"Signer({self.vkey})"

    @property
    def vkey(self) -> str:
        """The public half, as checkers want it: name+hash+key."""
        public = _ED25519 + bytes(self._key.verify_key)
        return f"{self.name}+{self._id().hex()}+{base64.b64encode(public).decode()}"

    def signature_line(self, text: str) -> str:
        signature = self._id() + self._key.sign(text.encode()).signature
        return f"— {self.name} {base64.b64encode(signature).decode()}\n"

    def signed(self, note: str) -> bool:
        """Whether this key's signature is under the note; the same text has always the same one."""
        text, found, signatures = note.rpartition("\n\n")
        line = self.signature_line(f"{text}\n")
        return bool(found) and line in signatures.splitlines(keepends=True)

    def _id(self) -> bytes:
        public = _ED25519 + bytes(self._key.verify_key)
        return hashlib.sha256(self.name.encode() + b"\n" + public).digest()[:4]


def sign_note(text: str, signers: Sequence[Signer]) -> str:
    """A C2SP signed note; `text` ends with a line end."""
    return text + "\n" + "".join(signer.signature_line(text) for signer in signers)


def make_signer(folder: Path, name: str, seed: bytes) -> Signer:
    """A new key, stored as the next one. Raises LedgerError where one waits there already."""
    if not _NAME.fullmatch(name):
        raise LedgerError(
            f"{name!r} cannot name a log; it has no spaces, plus signs or control characters"
        )
    signer = Signer(name, SigningKey(seed))
    secret = base64.b64encode(_ED25519 + seed).decode()
    line = f"{_PREFIX}{name}+{signer._id().hex()}+{secret}\n"
    path = folder / NEXT_KEY_FILE
    try:
        make_folder(folder)
        for left in folder.glob(f".{NEXT_KEY_FILE}.*.part"):  # by a crash; nobody knows that key
            left.unlink()
        create(path, line.encode())
    except OSError as error:
        raise LedgerError(f"{path}: cannot be made: {error.strerror}") from error
    return signer


def load_signer(folder: Path, file: str = KEY_FILE) -> Signer | None:
    """The key in a file; None where there is no such file.

    Raises LedgerError, without a letter of the key, where others can reach it or it holds none.
    """
    path = folder / file
    try:
        _check_folder(folder)
        text = _read_private(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise LedgerError(
            f"{path}: cannot be read: {error.strerror}; put the key back from a backup"
        ) from error
    try:
        return _parse_signer(text)
    except ValueError:
        raise LedgerError(f"{path}: holds no key; put it back from a backup") from None


def promote(folder: Path, waiting: Signer) -> Signer:
    """Let the key that waits take the place of the one in use; returns it. Raises LedgerError."""
    try:
        (folder / NEXT_KEY_FILE).replace(folder / KEY_FILE)
        sync_folder(folder)
    except OSError as error:
        raise LedgerError(f"{folder}: the new key cannot be put in place: {error}") from error
    return waiting


def _check_folder(folder: Path) -> None:
    state = folder.stat()
    if state.st_uid != os.geteuid():
        raise LedgerError(f"{folder}: belongs to another user; run this as its owner")
    if stat.S_IMODE(state.st_mode) & 0o077:
        raise LedgerError(f"{folder}: others may reach the keys; run: chmod 700 {folder}")


def _read_private(path: Path) -> str:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    with os.fdopen(os.open(path, flags), "rb") as stream:
        state = os.fstat(stream.fileno())
        if not stat.S_ISREG(state.st_mode) or state.st_uid != os.geteuid():
            raise LedgerError(f"{path}: is no ordinary file of yours; put the key back as one")
        if stat.S_IMODE(state.st_mode) & 0o077:
            raise LedgerError(
                f"{path}: others may read the key; run: chmod 600 {path} and, where they may "
                "have read it: sprintd ledger rotate-key"
            )
        return stream.read(_MOST_BYTES).decode("utf-8", "replace")


def _parse_signer(text: str) -> Signer:
    """Raises ValueError."""
    name, _, rest = text.strip().removeprefix(_PREFIX).partition("+")
    stated, _, encoded = rest.partition("+")
    secret = base64.b64decode(encoded, validate=True)
    if not text.startswith(_PREFIX) or secret[:1] != _ED25519 or len(secret) != 33:
        raise ValueError("not a private key")
    signer = Signer(name, SigningKey(secret[1:]))
    if signer._id().hex() != stated or not _NAME.fullmatch(name):
        raise ValueError("not the key that it says")
    return signer
