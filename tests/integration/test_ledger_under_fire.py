"""Real processes, real kills: one chain, nothing lost, and a good log always verifies."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from benchmarks.ledger_fire import append_together, kill_often
from daemon.clock import SystemClock
from daemon.ledger.verify import verify
from daemon.ledger.writer import open_ledger

ROOT = Path(__file__).parents[2]


def test_eight_processes_make_one_chain(tmp_path: Path) -> None:
    """8 x 500 entries, every receipt true; none has the number of another."""
    account = append_together(tmp_path, processes=8, appends=500)
    assert account.sound, account
    assert account.acknowledged == 4_000
    assert account.entries == 4_001


def test_thirty_killed_processes_lose_nothing(tmp_path: Path) -> None:
    """Whatever was acknowledged stands there; half a line is put aside and recorded."""
    account = kill_often(tmp_path, kills=30, seed=11)
    assert account.sound, account
    assert (account.killed, account.torn) == (30, 10)
    aside = list((tmp_path / "ledger" / "quarantine").iterdir())
    assert len(aside) == 10
    assert {path.suffix for path in aside} == {".bin"}


def test_a_log_verifies_while_it_grows(tmp_path: Path) -> None:
    """The checker beside a process that appends never takes half a line for damage."""
    code = (
        "import sys; from pathlib import Path; from daemon.clock import SystemClock; "
        "from daemon.ledger.writer import open_ledger; "
        "ledger = open_ledger(Path(sys.argv[1]), clock=SystemClock()); print(flush=True)\n"
        "while True: ledger.append('decision', actor='writer')"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environ) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        seen = [verify(tmp_path / "ledger") for _ in range(30)]
        writer.kill()
    assert {report.kind for report in seen} == {"intact"}
    assert seen[-1].entries > seen[0].entries
    open_ledger(tmp_path, clock=SystemClock()).close()
    assert verify(tmp_path / "ledger").kind == "intact"
