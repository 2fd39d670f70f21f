"""The Merkle tree of RFC 6962: leaves, roots, and proofs for whoever checks them.

The checking of proofs is not here: it is in verify.py, which shares nothing with this file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

EMPTY_ROOT = hashlib.sha256(b"").digest()


def leaf_hash(line: bytes) -> bytes:
    """Of the stored bytes of an entry, without the end of the line."""
    return hashlib.sha256(b"\0" + line).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\1" + left + right).digest()


@dataclass
class Frontier:
    """All that must be kept of a tree to let it grow: one hash for each bit set in its size.

    `hashes` goes from the largest full subtree to the smallest.
    """

    size: int = 0
    hashes: list[bytes] = field(default_factory=list)

    def add(self, leaf: bytes) -> None:
        joined, level = leaf, self.size
        while level & 1:
            joined = node_hash(self.hashes.pop(), joined)
            level >>= 1
        self.hashes.append(joined)
        self.size += 1

    def root(self) -> bytes:
        if not self.hashes:
            return EMPTY_ROOT
        root = self.hashes[-1]
        for left in reversed(self.hashes[:-1]):
            root = node_hash(left, root)
        return root

    def is_whole(self) -> bool:
        """Whether there are as many hashes as a tree of this size has, each of 256 bits.

        A root does not tell where one hash ends and the next begins.
        """
        return (
            self.size >= 0
            and len(self.hashes) == self.size.bit_count()
            and all(len(one) == 32 for one in self.hashes)
        )

    def copy(self) -> Frontier:
        return Frontier(self.size, list(self.hashes))


def root_of(leaves: Sequence[bytes]) -> bytes:
    frontier = Frontier()
    for leaf in leaves:
        frontier.add(leaf)
    return frontier.root()


def inclusion_proof(leaves: Sequence[bytes], index: int) -> list[bytes]:
    """That leaf `index` is in the tree of all `leaves`; RFC 6962, 2.1.1. Raises IndexError."""
    if not 0 <= index < len(leaves):
        raise IndexError(f"there is no leaf {index} among {len(leaves)}")
    proof: list[bytes] = []
    low, high = 0, len(leaves)
    while high - low > 1:
        middle = low + _largest_power_below(high - low)
        if index < middle:
            proof.append(root_of(leaves[middle:high]))
            high = middle
        else:
            proof.append(root_of(leaves[low:middle]))
            low = middle
    return proof[::-1]


def consistency_proof(leaves: Sequence[bytes], size: int) -> list[bytes]:
    """That the tree of the first `size` leaves grew into that of all; RFC 6962, 2.1.2.

    Raises IndexError unless 1 <= size <= len(leaves): nothing can be proven about an empty tree.
    """
    if not 1 <= size <= len(leaves):
        raise IndexError(f"there is no tree of {size} among {len(leaves)} leaves")
    proof: list[bytes] = []
    low, high = 0, len(leaves)
    while size != high:
        middle = low + _largest_power_below(high - low)
        if size <= middle:
            proof.append(root_of(leaves[middle:high]))
            high = middle
        else:
            proof.append(root_of(leaves[low:middle]))
            low = middle
    if low:  # else the older root itself, which the reader has
        proof.append(root_of(leaves[low:high]))
    return proof[::-1]


def _largest_power_below(number: int) -> int:
    return 1 << ((number - 1).bit_length() - 1)
