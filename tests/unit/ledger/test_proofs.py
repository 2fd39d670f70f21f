"""Proofs that can be checked without the log, and only prove what is so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from daemon.errors import LedgerError
from daemon.ledger.proofs import Prover
from daemon.ledger.verify_proof import check_proof
from tests.unit.ledger.made import decide, forget_checkpoints, log_of, opened, small_log


@pytest.fixture
def grown(tmp_path: Path) -> tuple[Path, str, str]:
    """A log of 12 entries, its key, and its checkpoint of 5."""
    ledger = opened(tmp_path)
    decide(ledger, 4)
    older = ledger.checkpoint().text
    decide(ledger, 7)
    ledger.close()
    return tmp_path / "ledger", ledger.vkey, older


def kind(proof: dict[str, Any], *keys: str) -> str:
    return check_proof(json.dumps(proof), keys).kind


def test_every_entry_is_proven(grown: tuple[Path, str, str]) -> None:
    ledger, key, _ = grown
    prover = Prover(ledger)
    for seq in range(12):
        report = check_proof(json.dumps(prover.prove_inclusion(seq)), [key])
        assert (report.kind, report.entries, report.warnings) == ("intact", 12, ())


def test_growth_is_proven(grown: tuple[Path, str, str]) -> None:
    ledger, key, older = grown
    assert kind(Prover(ledger).prove_consistency(older), key) == "intact"


def test_a_proof_without_a_trusted_key_says_so(grown: tuple[Path, str, str]) -> None:
    report = check_proof(json.dumps(Prover(grown[0]).prove_inclusion(3)), [])
    assert report.kind == "intact"
    assert "compare" in report.warnings[0]


def test_a_proof_of_another_entry_is_none(grown: tuple[Path, str, str]) -> None:
    """Another line, another number, another path, a line of another number."""
    ledger, key, _ = grown
    prover = Prover(ledger)
    one, two = prover.prove_inclusion(3), prover.prove_inclusion(4)
    assert kind({**one, "line": two["line"]}, key) == "rewritten"
    assert kind({**one, "line": one["line"].replace("ALLOW", "DENY")}, key) == "rewritten"
    assert kind({**one, "seq": 4}, key) == "rewritten"
    assert kind({**one, "proof": two["proof"]}, key) == "rewritten"
    assert kind({**one, "proof": one["proof"][:-1]}, key) == "rewritten"


def test_a_growth_that_did_not_happen_is_not_proven(
    grown: tuple[Path, str, str], tmp_path: Path
) -> None:
    ledger, key, older = grown
    other = small_log(tmp_path / "other", 4)
    proof = Prover(ledger).prove_consistency(older)
    assert kind({**proof, "proof": proof["proof"][::-1]}, key) == "rewritten"
    assert kind({**proof, "older_checkpoint": other}, key) == "unsigned"
    with pytest.raises(LedgerError, match="was rewritten"):
        Prover(ledger).prove_consistency(other)
    with pytest.raises(LedgerError, match="cannot be followed"):
        Prover(tmp_path / "other" / "ledger").prove_consistency(Prover(ledger).newest.text)


def test_a_proof_under_another_key_is_none(grown: tuple[Path, str, str], tmp_path: Path) -> None:
    other = opened(tmp_path / "other")
    assert kind(Prover(grown[0]).prove_inclusion(3), other.vkey) == "unsigned"


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", "null", "x", '{"keys":[],"proof":["zz"]}', "[" * 100_000, '{"proof":7}'],
)
def test_what_is_no_proof_is_said_to_be_none(text: str) -> None:
    report = check_proof(text, [])
    assert report.kind == "unreadable"
    assert "sprintd ledger prove" in report.message


@pytest.mark.parametrize("changed", [{"kind": "exclusion"}, {"kind": None}, {"seq": True}])
def test_a_proof_of_an_unknown_kind_proves_nothing(
    grown: tuple[Path, str, str], changed: dict[str, object]
) -> None:
    """What a later form means is not guessed, and a truth value is no number of an entry."""
    facts = {**Prover(grown[0]).prove_inclusion(1), **changed}
    assert check_proof(json.dumps(facts), []).kind == "unreadable"


def test_only_what_is_signed_is_proven(tmp_path: Path) -> None:
    """An entry after the newest checkpoint, one that is not there, a log without any checkpoint."""
    ledger = opened(tmp_path)
    decide(ledger, 2)
    for seq in (1, -1, 99):
        with pytest.raises(
            LedgerError, match=r"there is no entry .*0\.\.\d+.*sprintd ledger checkpoint"
        ):
            Prover(tmp_path / "ledger").prove_inclusion(seq)
    forget_checkpoints(tmp_path)
    with pytest.raises(LedgerError, match="there is no checkpoint"):
        Prover(tmp_path / "ledger")


def test_nothing_is_proven_about_a_changed_log(tmp_path: Path) -> None:
    small_log(tmp_path)
    log_of(tmp_path).write_bytes(log_of(tmp_path).read_bytes().replace(b"ALLOW", b"DENYS", 1))
    with pytest.raises(LedgerError, match="not the one that was signed"):
        Prover(tmp_path / "ledger")
