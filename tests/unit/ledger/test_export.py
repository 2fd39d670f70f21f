"""An auditor's folder: whole, without the private key, and checked by a program of its own."""

from __future__ import annotations

import ast
import hashlib
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from daemon.errors import LedgerError
from daemon.ledger.export import CHECKER, export_evidence, standalone_checker
from daemon.ledger.verify import EXIT_CODES
from tests.unit.ledger.made import ROOT, decide, opened


@pytest.fixture
def evidence(tmp_path: Path) -> tuple[Path, str, str]:
    """An export of 70 entries with a change of keys, its first key, an early checkpoint."""
    ledger = opened(tmp_path / "state")
    first = ledger.vkey
    decide(ledger, 10)
    kept = ledger.checkpoint().text
    ledger.rotate_key(actor="operator")
    decide(ledger, 58)
    ledger.close()
    export_evidence(tmp_path / "state/ledger", tmp_path / "evidence", entries=[3, 12])
    return tmp_path / "evidence", first, kept


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The checker as an auditor runs it: another folder, isolated from this program."""
    return subprocess.run(
        [sys.executable, "-I", CHECKER, *words],
        cwd=folder, capture_output=True, text=True, check=False, env={"PATH": "/usr/bin"},
    )  # fmt: skip


def test_the_export_is_checked_without_this_program(evidence: tuple[Path, str, str]) -> None:
    """Log, key and checkpoint; then each proof alone."""
    folder, key, kept = evidence
    (folder.parent / "kept.txt").write_text(kept, "utf-8")
    done = run(folder, ".", "--checkpoint", "../kept.txt", "--key", key, "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["kind"], found["entries"], found["anchored"]) == (
        0,
        "intact",
        70,
        11,
    )
    keys = (folder / "public_keys.txt").read_text().split()
    proofs = sorted((folder / "proofs").iterdir())
    assert {"entry-3.json", "entry-12.json"} < {path.name for path in proofs}
    for path in proofs:
        done = run(folder, "--proof", str(path), "--key", keys[0], "--key", keys[1])
        assert (done.returncode, done.stderr) == (0, ""), done


def test_the_checker_of_the_export_finds_what_was_changed(evidence: tuple[Path, str, str]) -> None:
    """Its exit code tells what: cut, damaged, rewritten, unsigned, missing."""
    folder, key, kept = evidence
    log = folder / "log.jsonl"
    good = log.read_bytes()
    (folder.parent / "kept.txt").write_text(kept, "utf-8")
    words = (".", "--checkpoint", "../kept.txt", "--key", key)
    log.write_bytes(good[: good.index(b"\n") + 1])
    assert run(folder, *words).returncode == EXIT_CODES["cut"]
    log.write_bytes(good.replace(b"ALLOW", b"ALLOV", 1))
    assert run(folder, *words).returncode == EXIT_CODES["damaged"]
    log.write_bytes(good + b"{")
    assert run(folder, *words).returncode == EXIT_CODES["torn"]
    log.write_bytes(good)
    assert run(folder, *words[:-1], f"{key}x").returncode == EXIT_CODES["unsigned"]
    log.unlink()
    assert run(folder, *words).returncode == EXIT_CODES["missing"]


def test_what_the_checker_cannot_read_has_its_exit_code(evidence: tuple[Path, str, str]) -> None:
    """No traceback for a file that is not there or no text, nor a second key that is not looked at."""
    folder, key, _ = evidence
    (folder / "kept.txt").write_bytes(b"\xff\xfe")
    for words in (
        (".", "--checkpoint", "kept.txt"),
        (".", "--checkpoint", "absent.txt"),
        ("--proof", "kept.txt"),
        ("--proof", "absent.json"),
        (".", "--key", key, "--key", key),
    ):
        done = run(folder, *words)
        assert (done.returncode, done.stderr) == (EXIT_CODES["unreadable"], ""), words


def test_a_hostile_key_moves_no_cursor(evidence: tuple[Path, str, str]) -> None:
    """The checker prints what others wrote, also half a character, as letters."""
    folder, key, _ = evidence
    log = folder / "log.jsonl"
    name = key.split("+")[0].encode()
    log.write_bytes(log.read_bytes().replace(name + b"+", b"\\u001b[2J\\ud800+", 1))
    done = run(folder, ".")
    assert (done.returncode, done.stderr) == (EXIT_CODES["damaged"], "")
    assert "key: \\u001b[2J\\ud800+" in done.stdout


def test_no_private_key_and_no_path_leaves_the_machine(evidence: tuple[Path, str, str]) -> None:
    folder = evidence[0]
    secrets = [  # what follows the name and its digest; a + may stand in it too
        p.read_text().split("+", 4)[4].strip() for p in (folder.parent / "state/keys").iterdir()
    ]
    assert all(len(secret) > 40 for secret in secrets)
    for path in folder.rglob("*"):
        if path.is_file():
            text = path.read_text("utf-8")
            assert "PRIVATE" not in text
            assert str(folder.parent) not in text
            assert not any(secret in text for secret in secrets)


def test_the_sums_are_of_all_files(evidence: tuple[Path, str, str]) -> None:
    folder = evidence[0]
    sums = dict(
        reversed(line.split("  ")) for line in (folder / "SHA256SUMS").read_text().splitlines()
    )
    files = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    assert set(sums) == files - {"SHA256SUMS"}
    assert all(
        sums[name] == hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in sums
    )


def test_only_an_empty_folder_is_written_to(evidence: tuple[Path, str, str]) -> None:
    """Nothing of an auditor's is overwritten; an entry that cannot be proven writes nothing."""
    folder = evidence[0]
    ledger = folder.parent / "state/ledger"
    with pytest.raises(LedgerError, match="is not empty"):
        export_evidence(ledger, folder)
    with pytest.raises(LedgerError, match="entry 999"):
        export_evidence(ledger, folder.parent / "more", entries=[999])
    assert not (folder.parent / "more").exists()
    with pytest.raises(LedgerError, match="there is no checkpoint"):
        export_evidence(folder.parent / "none", folder.parent / "more")


def test_joining_the_checker_gives_no_name_twice() -> None:
    """One module's private function does not replace another's."""
    tree = ast.parse(standalone_checker())
    names = Counter(n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef))
    assert [name for name, times in names.items() if times > 1] == []
    assert "daemon" not in standalone_checker()


def test_the_pages_for_auditors_tell_every_exit_code_and_stand_in_the_docs() -> None:
    """The table of evidence is the same in docs/ledger.md; the auditor's page knows all kinds."""
    pages = ROOT / "daemon/ledger/for_auditors"
    docs = (ROOT / "docs/ledger.md").read_text("utf-8")
    cli = (ROOT / "docs/cli.md").read_text("utf-8")
    for kind, code in EXIT_CODES.items():
        row = f"| {code} | `{kind}` |"
        assert row in (pages / "README.md").read_text("utf-8")
        assert row in cli
    table = [
        row
        for row in (pages / "evidence.md").read_text("utf-8").splitlines()
        if row.startswith("|")
    ]
    assert len(table) > 8
    assert "\n".join(table) in docs
