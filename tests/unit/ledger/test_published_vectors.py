"""The published vectors: RFC 6962 proofs, the C2SP signed note, RFC 8785 canonical JSON."""

from __future__ import annotations

import hashlib
import json

import pytest

from daemon.ledger.entry import canonical, digest_of
from daemon.ledger.verify import signers_of
from daemon.ledger.verify_proof import consistent, included
from tests.unit.ledger.made import VECTORS, from_base64, vectors

INCLUSION = sorted((VECTORS / "merkle" / "inclusion").rglob("*.json"))
CONSISTENCY = sorted((VECTORS / "merkle" / "consistency").rglob("*.json"))
PAIRS = ("arrays", "french", "structures", "unicode", "values", "weird")


def test_all_inclusion_vectors_are_judged_as_published() -> None:
    """98 of them, good and bad."""
    vectors("merkle", "inclusion")
    assert len(INCLUSION) == 98
    for path in INCLUSION:
        one = json.loads(path.read_text())
        holds = included(
            from_base64(one["leafHash"]),
            one["leafIdx"],
            one["treeSize"],
            from_base64(one["root"]),
            [from_base64(part) for part in one["proof"] or []],
        )
        assert holds is not one["wantErr"], path


def test_all_consistency_vectors_are_judged_as_published() -> None:
    """98 of them; an older tree of size 0 is always an error."""
    vectors("merkle", "consistency")
    assert len(CONSISTENCY) == 98
    for path in CONSISTENCY:
        one = json.loads(path.read_text())
        holds = consistent(
            one["size1"],
            one["size2"],
            from_base64(one["root1"]),
            from_base64(one["root2"]),
            [from_base64(part) for part in one["proof"] or []],
        )
        assert holds is not (one["wantErr"] or one["size1"] == 0), path


def test_the_published_note_has_its_signature() -> None:
    """And no other text, and no other key, has it."""
    head, _, note = vectors("signed-note", "example.txt").read_text("utf-8").partition("\n---")
    note = note.partition("\n")[2]
    vkey = head.removeprefix("vkey: ").strip()
    assert signers_of(note, [vkey]) == {vkey}
    with pytest.raises(ValueError, match="false signature"):
        signers_of(note.replace("example message", "example massage"), [vkey])
    with pytest.raises(ValueError, match="no public key"):
        signers_of(note, [vkey.replace("AekyeR", "AekyeS")])


@pytest.mark.parametrize("name", PAIRS)
def test_arguments_are_digested_in_their_canonical_form(name: str) -> None:
    """The bytes are the published ones, through the function that digests arguments."""
    given = json.loads(vectors("jcs", "input", f"{name}.json").read_bytes())
    expected = bytes.fromhex("".join(vectors("jcs", "outhex", f"{name}.txt").read_text().split()))
    assert canonical(given) == expected
    assert digest_of(given) == hashlib.sha256(expected).hexdigest()
