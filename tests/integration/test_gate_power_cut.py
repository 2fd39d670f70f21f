"""The power goes between a decision and its outcome."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from daemon.ledger.reading import read_raw
from tests.standins.acting_process import gate_over

ROOT = Path(__file__).parents[2]


def die(state: Path, moment: str) -> None:
    command = [sys.executable, "-m", "tests.standins.acting_process", str(state), moment]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == -signal.SIGKILL


def types(state: Path) -> list[tuple[str, Any]]:
    found = [json.loads(line) for line in read_raw(state / "ledger")]
    return [(one["type"], one["ref"]) for one in found if one["type"] != "key"]


@pytest.mark.parametrize(("moment", "happened"), [("before", False), ("inside", True)])
def test_a_kill_inside_an_action_leaves_its_decision_and_the_next_life_closes_it(
    tmp_path: Path, moment: str, happened: bool
) -> None:
    """Whether it happened is not known afterwards; that it was decided is, and closed once."""
    state = tmp_path / "state"
    die(state, moment)
    assert (tmp_path / "done").exists() == happened
    assert types(state) == [("decision", -1)]
    for expected in (1, 0, 0):
        gate = gate_over(state)
        assert len(gate.recover()) == expected
        gate.close()
    assert types(state) == [("decision", -1), ("recovery", 1)]


def test_every_kill_gets_one_recovery(tmp_path: Path) -> None:
    """Three lives that end inside of an action, and one that takes them all up."""
    state = tmp_path / "state"
    for _ in range(3):
        die(state, "before")
    gate = gate_over(state)
    assert len(gate.recover()) == 3
    assert gate.recover() == []
    gate.close()
    assert [kind for kind, _ in types(state)] == ["decision"] * 3 + ["recovery"] * 3
