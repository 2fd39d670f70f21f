"""Read a log as its checker does: each line, the chain, the tree. Nothing but the standard library."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

# Keys in the order of the alphabet, as they are stored, and the type of each value.
ENTRY: dict[str, type] = {
    "action": dict, "actor": str, "log": str, "policy": dict, "prev": str, "ref": int, "seq": int,
    "sprint": int, "ts": str, "type": str, "v": int, "verdict": dict,
}  # fmt: skip
PARTS: dict[str, dict[str, type]] = {
    "action": {"args_sha256": str, "targets": list, "tool": str},
    "policy": {"manifest_sha256": str, "scope_sha256": str},
    "verdict": {"effect": str, "final": int, "gate": str, "reason": str},
}
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
LONGEST_LINE = 65_536
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"))


class Wrong(Exception):
    """Why a check ends: kind, message, line."""


@dataclass
class Walk:
    """What one reading of the log found."""

    sizes: set[int]
    origin: str = ""
    size: int = 0
    prev: bytes = bytes(32)
    ts: str = ""
    stack: list[bytes] = field(default_factory=list)
    keys: list[tuple[int, str]] = field(default_factory=list)
    roots: dict[int, bytes] = field(default_factory=dict)
    times: dict[int, str] = field(default_factory=dict)
    torn: bool = False


def walk_log(path: Path, walk: Walk) -> None:
    """Read every line once. Raises Wrong, naming the first line that is not as it must be."""
    for line in _lines(path):
        if len(line) > LONGEST_LINE + 1:
            raise Wrong("damaged", "is longer than an entry can be", walk.size + 1)
        if not line.endswith(b"\n"):
            walk.torn = True
            return
        facts = _entry(line[:-1], walk)
        walk.origin, walk.ts = facts["log"], facts["ts"]
        if facts["type"] == "key":
            walk.keys.append((walk.size, (facts["action"]["targets"] or [""])[0]))
        if walk.size in walk.sizes:
            walk.times[walk.size] = walk.ts
        walk.prev = joined = hashlib.sha256(b"\0" + line[:-1]).digest()
        level = walk.size
        while level & 1:
            joined, level = node(walk.stack.pop(), joined), level >> 1
        walk.stack.append(joined)
        walk.size += 1
        if walk.size in walk.sizes:
            walk.roots[walk.size] = root_of(walk.stack)


def root_of(stack: list[bytes]) -> bytes:
    root = stack[-1]
    for left in reversed(stack[:-1]):
        root = node(left, root)
    return root


def node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\1" + left + right).digest()


def _entry(line: bytes, walk: Walk) -> dict[str, Any]:
    number = walk.size + 1
    try:
        facts = json.loads(line.decode("ascii"))
        again = _CANONICAL.encode(facts).encode()
        sound = again == line and _is_entry(facts) and len(line) <= LONGEST_LINE
    except (ValueError, RecursionError):
        sound = False
    if not sound or facts["v"] != 1 or not MOMENT.fullmatch(facts["ts"]):
        raise Wrong("damaged", "is no entry as the ledger writes them", number)
    if facts["seq"] != walk.size or facts["prev"] != walk.prev.hex():
        raise Wrong(
            "damaged", "does not follow from the line before it: one of the two was changed", number
        )
    if facts["log"] != (walk.origin or facts["log"]):
        raise Wrong("damaged", "belongs to another log", number)
    if facts["ts"] < walk.ts and facts["type"] != "clock":
        raise Wrong("damaged", "is older than the line before it", number)
    return facts  # type: ignore[no-any-return]


def _is_entry(facts: Any) -> bool:
    if not _fits(facts, ENTRY) or not all(_fits(facts[name], PARTS[name]) for name in PARTS):
        return False
    return {str}.issuperset(map(type, facts["action"]["targets"]))


def _fits(value: Any, shape: dict[str, type]) -> bool:
    return (
        type(value) is dict
        and tuple(value) == tuple(shape)
        and tuple(map(type, value.values())) == tuple(shape.values())
    )


def _lines(path: Path) -> Iterator[bytes]:
    """The lines that were there when the lock was ours; what is appended meanwhile is not read."""
    with path.open("rb") as stream:
        _lock(stream, shared=True)
        left = os.fstat(stream.fileno()).st_size
        _lock(stream, shared=False)
        while left > 0 and (line := stream.readline(min(left, LONGEST_LINE + 2))):
            left -= len(line)
            # Blocks that never reached the disk read as NULs: the last line is unfinished.
            yield line.rstrip(b"\n") if left <= 0 and b"\0" in line else line


def _lock(stream: BinaryIO, *, shared: bool) -> None:
    """Where a folder or a system has no locks, nobody appends."""
    with suppress(OSError, ImportError):
        fcntl = import_module("fcntl")
        fcntl.flock(stream, fcntl.LOCK_SH if shared else fcntl.LOCK_UN)
