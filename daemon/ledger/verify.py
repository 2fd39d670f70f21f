"""Check a ledger: its lines, its tree, its checkpoints, its keys.

It shares no line with what writes the ledger, and needs Python and PyNaCl alone. The exit code of
what is found says what is wrong: see EXIT_CODES.
"""

from __future__ import annotations

import base64
import hashlib
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

from daemon.ledger.verify_log import Walk, Wrong, root_of, walk_log

EXIT_CODES = {
    "intact": 0,  # nothing is wrong
    "missing": 10,  # there is no log, or no entry in it
    "damaged": 11,  # a line was changed, added, taken out or moved
    "cut": 12,  # there are fewer entries than were signed
    "rewritten": 13,  # the entries are not the ones that were signed
    "unsigned": 14,  # a signature or a key is not the right one
    "torn": 15,  # only: the last line has no end, as after a crash
    "unreadable": 16,  # a checkpoint, key or proof is none
}


MOST_BYTES = 1_000_000  # of a checkpoint, a key or a proof


@dataclass(frozen=True)
class Report:
    """What was found; `kind` is a key of EXIT_CODES, `line` counts from 1 and is 0 for no line.

    `signed` and `anchored` are how many of the entries the newest checkpoint here, and the one kept
    elsewhere, stand for; `unanchored_since` is the moment of the first entry after the latter.
    """

    kind: str
    message: str
    line: int = 0
    entries: int = 0
    root: str = ""
    key: str = ""
    signed: int = 0
    anchored: int = 0
    unanchored_since: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.kind]


@dataclass(frozen=True)
class Note:
    """A checkpoint as it was found; `place` is where, for messages."""

    place: str
    text: str
    origin: str
    size: int
    root: bytes


def verify(folder: Path, *, checkpoint: str | None = None, public_key: str | None = None) -> Report:
    """Check the log in `folder` against itself, its checkpoints, and what was kept elsewhere.

    `checkpoint` is the text of a signed note, `public_key` a key that is trusted (name+hash+key).
    """
    walk, notes = Walk({0}), []
    try:
        notes = _notes_in(folder / "checkpoints")
        kept = None if checkpoint is None else read_note("the checkpoint given", checkpoint)
        walk.sizes.update(note.size for note in [*notes, *([kept] if kept else [])])
        walk_log(folder / "log.jsonl", walk)
        notes += _signed_in_meanwhile(folder / "checkpoints", walk, notes)
        if not walk.size and not walk.sizes - {0}:
            raise Wrong("missing", "the log holds no entry", 0)
        _check_notes(walk, notes, kept, public_key)
        kind, message, line = _torn(walk) if walk.torn else ("intact", "nothing was changed", 0)
    except Wrong as wrong:
        kind, message, line = wrong.args
        kept = None
    except OSError as error:
        kind, message, line, kept = "missing", f"{error.filename}: {error.strerror}", 0, None
    return _report(walk, notes, kept, public_key, (kind, message, line))


def signers_of(text: str, vkeys: Iterable[str]) -> set[str]:
    """Those of the keys whose signature is under a note (C2SP signed-note).

    Raises ValueError for what is no note, no key, or where one of the keys signed another text.
    """
    body, blank, signatures = text.rpartition("\n\n")
    if not blank or not signatures.endswith("\n") or any(c < " " and c != "\n" for c in text):
        raise ValueError("is no signed note")
    found = set()
    known = {(name, number): (vkey, key) for vkey in vkeys for name, number, key in [_key(vkey)]}
    for line in signatures[:-1].split("\n"):
        parts = re.fullmatch(r"— ([^\s+]+) ([A-Za-z0-9+/=]+)", line)
        raw = base64.b64decode(parts[2], validate=True) if parts else b""
        if not parts or len(raw) < 5:
            raise ValueError("has a line that is no signature")
        vkey, key = known.get((parts[1], raw[:4]), ("", b""))
        if not vkey:
            continue  # of a key that nobody asked about
        try:
            VerifyKey(key).verify((body + "\n").encode(), raw[4:])
        except (BadSignatureError, ValueError):
            raise ValueError(f"has a false signature of {vkey}") from None
        found.add(vkey)
    return found


def read_note(place: str, given: str | bytes) -> Note:
    """A checkpoint; its signatures are not looked at. Raises Wrong."""
    try:
        text = given.decode() if isinstance(given, bytes) else given
        origin, size, root = text.split("\n")[:3]
        if not re.fullmatch(r"0|[1-9]\d{0,17}", size) or text.count("\n\n") < 1:
            raise ValueError("no size")
        return Note(place, text, origin, int(size), base64.b64decode(root, validate=True))
    except ValueError:
        raise Wrong("unreadable", f"{place}: is no checkpoint", 0) from None


def _notes_in(folder: Path) -> list[Note]:
    try:
        names = sorted(p for p in folder.iterdir() if re.fullmatch(r"[0-9]{12}\.txt", p.name))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise Wrong("unreadable", f"{folder.name}: {error.strerror}", 0) from None
    return [_note_at(path) for path in names]


def _note_at(path: Path) -> Note:
    """Raises Wrong, also for a pipe or a device: a reader of one waits for ever."""
    try:
        if not path.is_file():
            raise Wrong("unreadable", f"{path.name}: is no ordinary file", 0)
        with path.open("rb") as stream:
            return read_note(path.name, stream.read(MOST_BYTES))
    except OSError as error:
        raise Wrong("unreadable", f"{path.name}: {error.strerror}", 0) from None


def _signed_in_meanwhile(folder: Path, walk: Walk, notes: list[Note]) -> list[Note]:
    """Checkpoints of keys that were changed after the notes were read and before the log was."""
    known = {note.size for note in notes}
    sizes = {seq + 1 for seq, _ in walk.keys if seq and seq + 1 not in known}
    paths = [folder / f"{size:012d}.txt" for size in sorted(sizes)]
    found = [_note_at(path) for path in paths if path.exists()]
    return [note for note in found if note.size in sizes]


def _report(
    walk: Walk,
    notes: list[Note],
    kept: Note | None,
    trusted: str | None,
    found: tuple[str, str, int],
) -> Report:
    kind, message, line = found
    warnings = []
    sound = kind in ("intact", "torn")
    signed = max([note.size for note in notes], default=0) if sound else 0
    anchored = kept.size if kept and sound else 0
    since = walk.times.get(anchored, "") if anchored < walk.size else ""
    if sound and anchored < walk.size:
        when = f", since {since}" if since else ""
        warnings.append(
            f"{walk.size - anchored} of the entries, from {anchored} on{when}: no checkpoint that was "
            "kept elsewhere stands for them, so whoever owns the machine could have changed them"
        )
    if sound and signed < walk.size:
        warnings.append(f"the last {walk.size - signed} entries are not signed yet")
    if sound and trusted is None:
        warnings.append("the key was taken from the log itself; compare it with the one you know")
    key = walk.keys[-1][1] if walk.keys else ""
    root = root_of(walk.stack).hex() if walk.stack else ""
    return Report(
        kind, message, line, walk.size, root, key, signed, anchored, since, tuple(warnings)
    )


def _torn(walk: Walk) -> tuple[str, str, int]:
    said = "the last line has no end; all before it is intact, and the next append puts it aside"
    return "torn", said, walk.size + 1


def _check_notes(walk: Walk, notes: list[Note], kept: Note | None, trusted: str | None) -> None:
    """Sizes and roots before signatures: they say more about what happened."""
    every = [*([kept] if kept else []), *notes]
    for note in every:
        if note.size > walk.size:
            raise Wrong(
                "cut",
                f"{note.place} is about {note.size} entries, but there are {walk.size}: the end was "
                "cut off, or an old copy was put back",
                0,
            )
        if (note.size and walk.roots[note.size] != note.root) or note.origin != walk.origin:
            raise Wrong(
                "rewritten",
                f"{note.place} was signed over other entries than the first {note.size} here",
                0,
            )
    _check_keys(walk, every)
    first = [seq for seq, _ in walk.keys]
    for note in every:
        used = bisect_left(first, note.size)  # the keys that were known by then
        if not used or not signers(note, [walk.keys[used - 1][1]]):
            raise Wrong("unsigned", f"{note.place} is not signed with the key of that time", 0)
    if trusted is not None:
        _check_trusted(walk, every, trusted)


def _check_trusted(walk: Walk, notes: list[Note], trusted: str) -> None:
    """Anybody can write a key that is publicly known into a log; only its owner can sign with it."""
    since = min((seq for seq, vkey in walk.keys if vkey == trusted), default=None)
    if since is None:
        raise Wrong("unsigned", "the key that you trust was never a key of this log", 0)
    if not any(note.size > since for note in notes):
        raise Wrong("unsigned", "nothing here is signed with the key that you trust", 0)


def _check_keys(walk: Walk, notes: list[Note]) -> None:
    """The first entry makes the first key known; each later one is signed in by the one before."""
    if not walk.keys or walk.keys[0][0] != 0:
        raise Wrong("damaged", "the first entry makes no key known", 1)
    by_size = defaultdict(list)
    for note in notes:
        by_size[note.size].append(note)
    for (_, old), (seq, new) in pairwise(walk.keys):
        at = by_size.get(seq + 1, [])
        is_signed_in = any({old, new} <= signers(note, [old, new]) for note in at)
        is_under_way = seq + 1 == walk.size and not at  # announced, and not in use yet
        if not is_signed_in and not is_under_way:
            raise Wrong("unsigned", "a new key without a checkpoint signed with both", seq + 1)


def signers(note: Note, vkeys: Iterable[str]) -> set[str]:
    """Those of the keys that signed a checkpoint. Raises Wrong where a signature is false."""
    try:
        return signers_of(note.text, vkeys)
    except ValueError as error:
        raise Wrong("unsigned", f"{note.place}: {error}", 0) from None


def _key(vkey: str) -> tuple[str, bytes, bytes]:
    """Name, number and public key. Raises ValueError."""
    name, number, encoded = [*vkey.split("+", 2), "", ""][:3]
    raw = base64.b64decode(encoded, validate=True)
    stated = hashlib.sha256(name.encode() + b"\n" + raw).digest()[:4]
    if len(raw) != 33 or raw[0] != 1 or stated.hex() != number:
        raise ValueError("is no public key")
    return name, stated, raw[1:]
