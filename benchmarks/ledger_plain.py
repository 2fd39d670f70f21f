"""What the ledger is measured beside: a plain hash chain, as most logs of this kind are."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path


class PlainChain:
    """Each line has the hash of the one before; as durable as the ledger, and nothing is signed."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        self._head, self._seq = "", 0

    def append(self, entry: dict[str, object]) -> None:
        line = plain_line(entry, self._seq, self._head)
        os.write(self._descriptor, line + b"\n")
        os.fdatasync(self._descriptor)
        self._head, self._seq = hashlib.sha256(line).hexdigest(), self._seq + 1

    def close(self) -> None:
        os.close(self._descriptor)


def plain_line(entry: dict[str, object], seq: int, prev: str) -> bytes:
    return json.dumps({**entry, "seq": seq, "prev": prev}, sort_keys=True).encode()


def verify_plain(path: Path) -> bool:
    head = ""
    try:
        with path.open("rb") as stream:
            for seq, line in enumerate(stream):
                facts = json.loads(line)
                if facts["seq"] != seq or facts["prev"] != head:
                    return False
                head = hashlib.sha256(line[:-1]).hexdigest()
    except (ValueError, KeyError):
        return False
    return True


def rehash_plain(lines: list[bytes]) -> list[bytes]:
    out: list[bytes] = []
    head = ""
    for seq, line in enumerate(lines):
        out.append(plain_line(json.loads(line), seq, head))
        head = hashlib.sha256(out[-1]).hexdigest()
    return out
