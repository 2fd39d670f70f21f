"""Check a proof about a ledger, without the ledger."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from daemon.ledger.verify import Note, Report, read_note, signers
from daemon.ledger.verify_log import Wrong, node


def check_proof(text: str, public_keys: Sequence[str]) -> Report:
    """Check a proof as `prove` writes it; without a trusted key, with the one that it names."""
    try:
        facts = json.loads(text)
        keys = list(public_keys) or [str(key) for key in facts["keys"]]
        proof = [bytes.fromhex(one) for one in facts["proof"]]
        newer = _signed_note(facts, "checkpoint", keys)
        if facts["kind"] == "consistency":
            older = _signed_note(facts, "older_checkpoint", keys)
            holds = older.origin == newer.origin and consistent(
                older.size, newer.size, older.root, newer.root, proof
            )
            said = f"the log of {newer.size} entries grew out of the one of {older.size}"
        elif facts["kind"] != "inclusion" or type(facts["seq"]) is not int:
            raise ValueError("of no kind that is known")
        else:
            line = facts["line"].encode("ascii")
            leaf, seq = hashlib.sha256(b"\0" + line).digest(), facts["seq"]
            holds = included(leaf, seq, newer.size, newer.root, proof)
            holds = holds and json.loads(line)["seq"] == seq
            said = f"entry {seq} is among the {newer.size} that were signed"
    except Wrong as wrong:
        return Report(*wrong.args)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        cure = "give the JSON file that `sprintd ledger prove` wrote, whole"
        return Report("unreadable", f"the file given as proof is no proof ({error}): {cure}")
    if not holds:
        return Report("rewritten", "the proof does not lead to the root that was signed")
    alone = () if public_keys else ("the key was taken from the proof itself; compare it",)
    return Report("intact", said, entries=newer.size, root=newer.root.hex(), warnings=alone)


def included(leaf: bytes, index: int, size: int, root: bytes, proof: Sequence[bytes]) -> bool:
    """RFC 9162, 2.1.3.2."""
    if not 0 <= index < size or any(len(one) != 32 for one in (leaf, root, *proof)):
        return False
    at, last, found = index, size - 1, leaf
    for one in proof:
        if last == 0:
            return False
        if at & 1 or at == last:
            found = node(one, found)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            found = node(found, one)
        at, last = at >> 1, last >> 1
    return last == 0 and found == root


def consistent(size1: int, size2: int, root1: bytes, root2: bytes, proof: Sequence[bytes]) -> bool:
    """RFC 9162, 2.1.4.2; never so for an older tree without a leaf, which says nothing."""
    if not 0 < size1 <= size2 or (size1 == size2) != (not proof):
        return False
    if size1 == size2 or any(len(one) != 32 for one in (root1, root2, *proof)):
        return size1 == size2 and root1 == root2
    path = [root1, *proof] if size1 & (size1 - 1) == 0 else list(proof)
    at, last = size1 - 1, size2 - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    older = newer = path[0]
    for one in path[1:]:
        if last == 0:
            return False
        if at & 1 or at == last:
            older, newer = node(one, older), node(one, newer)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            newer = node(newer, one)
        at, last = at >> 1, last >> 1
    return last == 0 and older == root1 and newer == root2


def _signed_note(facts: dict[str, Any], name: str, keys: Sequence[str]) -> Note:
    note = read_note(f"the proof's {name}", facts[name])
    if not signers(note, keys):
        raise Wrong("unsigned", f"{note.place} is not signed with a key that is trusted", 0)
    return note
