"""The tree that the writer keeps, and its proofs."""

from __future__ import annotations

import hashlib
from itertools import pairwise

import pytest

from daemon.ledger.merkle import (
    EMPTY_ROOT,
    Frontier,
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    node_hash,
    root_of,
)
from daemon.ledger.verify_proof import consistent, included

LEAVES = [leaf_hash(str(number).encode()) for number in range(33)]


def by_definition(leaves: list[bytes]) -> bytes:
    """RFC 6962, 2.1, as it is written there."""
    if len(leaves) < 2:
        return leaves[0] if leaves else hashlib.sha256().digest()
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return node_hash(by_definition(leaves[:split]), by_definition(leaves[split:]))


@pytest.mark.parametrize("size", range(34))
def test_the_growing_tree_has_the_root_of_the_definition(size: int) -> None:
    """The frontier never sees the leaves again and has the same root."""
    assert root_of(LEAVES[:size]) == by_definition(LEAVES[:size])


def test_a_tree_without_leaves_has_the_hash_of_nothing() -> None:
    assert Frontier().root() == EMPTY_ROOT
    assert Frontier().is_whole()


def test_a_frontier_with_a_hash_too_few_is_not_whole() -> None:
    """Such a file is not believed."""
    assert not Frontier(3, [LEAVES[0]]).is_whole()
    assert not Frontier(-1, []).is_whole()


@pytest.mark.parametrize("size", range(1, 34))
def test_every_leaf_is_proven_to_the_checker(size: int) -> None:
    """For every size and every leaf; the proof of one leaf is none of its neighbour."""
    root = root_of(LEAVES[:size])
    for index in range(size):
        proof = inclusion_proof(LEAVES[:size], index)
        assert included(LEAVES[index], index, size, root, proof)
        assert not included(LEAVES[index - 1], index, size, root, proof) or size == 1


@pytest.mark.parametrize("size", range(1, 34))
def test_every_growth_is_proven_to_the_checker(size: int) -> None:
    """From every size to every larger one; never from another root."""
    roots = [root_of(LEAVES[:number]) for number in range(size + 1)]
    for older in range(1, size + 1):
        proof = consistency_proof(LEAVES[:size], older)
        assert consistent(older, size, roots[older], roots[size], proof)
        assert not consistent(older, size, roots[older - 1], roots[size], proof)


def test_what_cannot_be_proven_is_refused() -> None:
    """An entry that is not there; an empty tree; a tree that is larger than it is."""
    for index in (-1, 3):
        with pytest.raises(IndexError):
            inclusion_proof(LEAVES[:3], index)
    for size in (0, 4):
        with pytest.raises(IndexError):
            consistency_proof(LEAVES[:3], size)


def test_a_copy_grows_apart() -> None:
    """A failed append leaves the tree as it was."""
    first = Frontier()
    for leaf in LEAVES:
        first.add(leaf)
    second, root = first.copy(), first.root()
    second.add(LEAVES[0])
    assert (first.root(), first.size) == (root, len(LEAVES))
    assert all(one != other for one, other in pairwise([EMPTY_ROOT, root, second.root()]))
