"""The ledger's commands: what they say is so, their exit codes tell what is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from daemon.clock import SystemClock
from daemon.ledger.verify import EXIT_CODES
from daemon.ledger.writer import Ledger, open_ledger
from tests.unit.cli.small import as_json, sprintd


def decide(ledger: Ledger, actor: str, sprint: int) -> None:
    verdict = {"effect": "DENY", "gate": "paths", "reason": "docs/ is not granted"}
    ledger.append(
        "decision",
        actor=actor,
        tool="read_file",
        targets=["docs/a.md"],
        verdict=verdict,
        sprint=sprint,
    )


@pytest.fixture
def decided(small: Path) -> Path:
    """A workspace in which three decisions were taken."""
    ledger = open_ledger(small / "state", clock=SystemClock())
    for sprint, actor in enumerate(("analyst", "lead", "analyst\u2028\x1b[2J"), 1):
        decide(ledger, actor, sprint)
    ledger.close()
    return small


def test_a_kept_checkpoint_finds_a_log_that_was_cut(decided: Path, tmp_path: Path) -> None:
    """Kept from standard output as it is; the exit code is that of the kind."""
    kept = tmp_path / "kept.txt"
    kept.write_text(sprintd(decided, "ledger", "checkpoint").stdout, "utf-8")
    key = as_json(decided, "ledger", "checkpoint")["key"]
    words = ("ledger", "verify", "--checkpoint", str(kept), "--key", key)
    done = sprintd(decided, *words)
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "intact: nothing was changed.")
    assert "- " not in done.stdout
    log = decided / "state/ledger/log.jsonl"
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:-1]))
    done = sprintd(decided, *words)
    assert done.returncode == EXIT_CODES["cut"] == 12
    assert done.stdout.startswith("cut: the checkpoint given is about 4 entries, but there are 3")
    assert as_json(decided, *words, code=12)["ok"] is False


def test_damage_is_named_by_its_line(decided: Path) -> None:
    log = decided / "state/ledger/log.jsonl"
    log.write_bytes(log.read_bytes().replace(b'"lead"', b'"LEAD"'))
    done = sprintd(decided, "ledger", "verify")
    assert done.returncode == 11
    assert done.stdout.startswith("damaged (log.jsonl:4): does not follow")


def test_a_workspace_without_a_ledger_says_so(small: Path) -> None:
    """And none is begun by looking."""
    assert sprintd(small, "ledger", "verify").returncode == 10
    for words in (["tail"], ["checkpoint"], ["rotate-key"], ["prove", "1"], ["export", "x"]):
        done = sprintd(small, "ledger", *words)
        assert done.returncode == 3, words
        assert "there is no" in done.stderr
    assert not (small / "state").exists()


def test_tail_shows_who_decided_what_and_why(decided: Path) -> None:
    """Nothing in a name can move the cursor or begin a line."""
    shown = sprintd(decided, "ledger", "tail", "-n", "2").stdout
    assert len(shown.splitlines()) == 4
    assert "decision lead DENY by paths read_file docs/a.md\n    docs/ is not granted" in shown
    assert "\x1b" not in shown
    found = as_json(decided, "ledger", "tail", "--actor", "analyst")["entries"]
    assert [(one["seq"], one["sprint"]) for one in found] == [(1, 1)]
    assert as_json(decided, "ledger", "tail", "--sprint", "2")["entries"][0]["actor"] == "lead"
    none = sprintd(decided, "ledger", "tail", "--sprint", "9").stdout
    assert none.startswith("No entry is like that; the newest are by analyst, ")
    assert "\x1b" not in none


def test_a_proof_is_checked_by_the_command_beside_it(decided: Path, tmp_path: Path) -> None:
    """Of an entry, and of growth; a changed one is refused."""
    kept, proof = tmp_path / "kept.txt", tmp_path / "proof.json"
    kept.write_text(sprintd(decided, "ledger", "checkpoint").stdout, "utf-8")
    ledger = open_ledger(decided / "state", clock=SystemClock())
    decide(ledger, "lead", 4)
    ledger.close()
    for words in (["2"], ["--from", str(kept)]):
        proof.write_text(sprintd(decided, "ledger", "prove", *words).stdout)
        assert sprintd(decided, "ledger", "verify", "--proof", str(proof)).returncode == 0
    facts = json.loads(sprintd(decided, "ledger", "prove", "2").stdout)
    proof.write_text(json.dumps({**facts, "seq": 3}))
    assert sprintd(decided, "ledger", "verify", "--proof", str(proof)).returncode == 13
    empty = sprintd(decided, "ledger", "verify", "--proof", str(proof), "--key", "")
    assert empty.returncode == 14  # an empty file of a key is not "no key asked for"
    assert sprintd(decided, "ledger", "prove", "99").returncode == 3
    assert sprintd(decided, "ledger", "prove").returncode == 2


def test_a_changed_key_is_named_and_followed(decided: Path, tmp_path: Path) -> None:
    """Whoever trusts the old one still can."""
    found = as_json(decided, "ledger", "rotate-key")
    assert found["old_key"] != found["key"]
    for key in (found["old_key"], found["key"]):
        assert sprintd(decided, "ledger", "verify", "--key", key).returncode == 0
    assert sprintd(decided, "ledger", "verify", "--key", "a+b+c").returncode == 14


def test_an_export_is_checked_where_it_lies(decided: Path, tmp_path: Path) -> None:
    """All files are named; a folder that holds something is left alone."""
    target = tmp_path / "evidence"
    found = as_json(decided, "ledger", "export", str(target), "--entry", "1")
    assert {"verify_ledger.py", "proofs/entry-1.json", "README.md", "SHA256SUMS"} < set(
        found["files"]
    )
    assert all((target / name).is_file() for name in found["files"])
    again = sprintd(decided, "ledger", "export", str(target))
    assert again.returncode == 3
    assert "is not empty" in again.stderr
    shown = sprintd(decided, "ledger", "export", str(tmp_path / "other")).stdout
    assert "python verify_ledger.py . --checkpoint" in shown


def test_a_file_that_is_no_checkpoint_is_refused(decided: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.txt"
    kept.write_bytes(b"\xff\xfe\x00")
    assert "is not UTF-8" in sprintd(decided, "ledger", "verify", "--checkpoint", str(kept)).stderr
    kept.write_text("nothing")
    assert sprintd(decided, "ledger", "verify", "--checkpoint", str(kept)).returncode == 16
