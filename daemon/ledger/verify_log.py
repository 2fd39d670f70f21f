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
from typing import BinaryIO

LONGEST_LINE = 65_536
# An entry has one spelling and no other: two readers could take another one for different things.
TEXT = r'"[ !#-\[\]-~]*(?:\\(?:["\\bfnrt]|u(?!00[2-6]|007[0-9a-e]|000[89acd])[0-9a-f]{4})[ !#-\[\]-~]*)*"'
_NUMBER = r"(?:0|-?[1-9]\d{0,17})"
_DIGEST = r'"(?:[0-9a-f]{64})?"'
_MOMENT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"
_ENTRY = re.compile(
    rf'{{"action":{{"args_sha256":{_DIGEST},"targets":\[(?P<targets>(?:{TEXT}(?:,{TEXT})*)?)\],'
    rf'"tool":{TEXT}}},"actor":{TEXT},"log":(?P<log>{TEXT}),'
    rf'"policy":{{"manifest_sha256":{_DIGEST},"scope_sha256":{_DIGEST}}},'
    rf'"prev":"(?P<prev>[0-9a-f]{{64}})","ref":{_NUMBER},"seq":(?P<seq>{_NUMBER}),'
    rf'"sprint":{_NUMBER},"ts":"(?P<ts>{_MOMENT})","type":"(?P<type>[a-z][a-z0-9_.-]{{0,39}})",'
    rf'"v":1,"verdict":{{"effect":{TEXT},"final":[01],"gate":{TEXT},"reason":{TEXT}}}}}',
    re.ASCII,
)


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
        found = _entry(line[:-1], walk)
        walk.origin, walk.ts = json.loads(found["log"]), found["ts"]
        if found["type"] == "key":
            targets = json.loads(f"[{found['targets']}]")
            walk.keys.append((walk.size, targets[0] if targets else ""))
            walk.sizes.add(walk.size + 1)  # a checkpoint of this size signs the key in
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


def _entry(line: bytes, walk: Walk) -> re.Match[str]:
    number = walk.size + 1
    found = _ENTRY.fullmatch(line.decode("latin-1"))
    if not found:
        raise Wrong("damaged", "is no entry as the ledger writes them", number)
    if found["seq"] != str(walk.size) or found["prev"] != walk.prev.hex():
        raise Wrong(
            "damaged", "does not follow from the line before it: one of the two was changed", number
        )
    if walk.size and json.loads(found["log"]) != walk.origin:
        raise Wrong("damaged", "belongs to another log", number)
    if found["ts"] < walk.ts and found["type"] != "clock":
        raise Wrong("damaged", "is older than the line before it", number)
    return found


def _lines(path: Path) -> Iterator[bytes]:
    """The lines that were there when the lock was ours; what is appended meanwhile is not read."""
    if path.exists() and not path.is_file():  # a reader of a pipe waits for ever
        raise Wrong("missing", "log.jsonl is no ordinary file", 0)
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
