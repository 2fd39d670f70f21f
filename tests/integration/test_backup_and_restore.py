"""What docs/operations.md says of backup and restore is done as it stands there, and loses nothing."""

from __future__ import annotations

import getpass
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from daemon.store import attempts, findings, items, sprints
from daemon.store.budget import budget_faults
from daemon.store.database import open_read_only
from tests.standins.daemon_process import DaemonProcess
from tests.workspaces import ROOT, copy_sample

DOC = (ROOT / "docs" / "operations.md").read_text("utf-8")


def script(name: str, **variables: str) -> str:
    """The block that begins with `# name`, with the variables at its top set anew."""
    [block] = re.findall(rf"^```bash\n# {name}\n(.*?)^```", DOC, re.M | re.S)
    for variable, value in variables.items():
        block, changed = re.subn(rf"^{variable}=.*$", f"{variable}={value}", block, flags=re.M)
        assert changed == 1, variable
    return block


def run(name: str, tools: Path, **variables: str) -> str:
    """A block as a shell runs it, ended by its first error; `tools` holds the program."""
    tools.mkdir(exist_ok=True)
    program = tools / "sprintd"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m daemon "$@"\n')
    program.chmod(0o755)
    environ = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["/bin/bash", "-e", "-c", script(name, **variables)],
        capture_output=True, text=True, check=False, env=environ, cwd=tools,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@dataclass(frozen=True)
class Kept:
    """What must come back."""

    sprints: list[tuple[int, str]]
    attempts: list[tuple[str, int, str]]
    items: dict[str, str]
    findings: dict[str, str]


def kept_in(venture: Path) -> Kept:
    db = open_read_only(venture / "state" / "sprintd.db")
    try:
        assert db.integrity_faults() == []
        assert budget_faults(db) == []
        told = list(reversed(sprints.list_sprints(db, 100)))
        tried = [row for sprint in told for row in attempts.list_for_sprint(db, sprint.id)]
        return Kept(
            [(row.id, row.state) for row in told],
            [(row.item, row.number, row.state) for row in tried],
            {state.item: state.state for state in items.list_item_states(db).values()},
            {row.path: (venture / row.path).read_text() for row in findings.list_findings(db)},
        )
    finally:
        db.close()


@pytest.fixture
def venture(tmp_path: Path) -> Path:
    return copy_sample(tmp_path / "venture")


def test_a_backup_of_a_running_daemon_brings_everything_back(venture: Path, tmp_path: Path) -> None:
    """Backup while it runs, kill -9, the folder is lost; restored, it goes on where it was."""
    backup, tools = tmp_path / "backup", tmp_path / "tools"
    with DaemonProcess(venture) as daemon:
        daemon.wait_for_line("memory/findings/")
        daemon.wait_until(lambda: daemon.health()["state"]["name"] == "idle", "the idle state")
        run("backup", tools, VENTURE=str(venture), BACKUP=str(backup))
        assert daemon.health()["ok"]
        before = kept_in(venture)
    assert before.sprints == [(1, "completed")]
    assert len(before.findings) == 2
    shutil.rmtree(venture)
    again = tmp_path / "again"
    told = run("restore", tools, VENTURE=str(again), BACKUP=str(backup), OWNER=getpass.getuser())
    assert " 0 faults" in told
    assert kept_in(again) == before
    with DaemonProcess(again) as daemon:
        daemon.wait_for_line("memory/findings/")
        daemon.wait_until(lambda: daemon.health()["state"]["name"] == "idle", "the idle state")
        assert daemon.stop() == 0
    after = kept_in(again)
    assert after.sprints == [(1, "completed"), (2, "completed")]
    assert before.attempts == after.attempts[:2]
    assert before.findings.items() <= after.findings.items()
    assert len(after.findings) == 4
    done = [item for item, state in after.items.items() if state == "done"]
    assert len(done) == 4


def test_a_call_under_way_during_the_backup_is_put_back(venture: Path, tmp_path: Path) -> None:
    """Its sprint comes back as interrupted, its item is worked on again, and nothing is held."""
    gate, backup, tools = tmp_path / "gate", tmp_path / "backup", tmp_path / "tools"
    with DaemonProcess(venture, "--gate", str(gate)) as daemon:
        daemon.wait_until(gate.with_name("gate.entered").exists, "a model call")
        run("backup", tools, VENTURE=str(venture), BACKUP=str(backup))
    again = tmp_path / "again"
    run("restore", tools, VENTURE=str(again), BACKUP=str(backup), OWNER=getpass.getuser())
    with DaemonProcess(again) as daemon:
        daemon.wait_for_line("memory/findings/")
        assert daemon.health()["budget"]["reserved_micros"] == 0
        assert daemon.stop() == 0
    after = kept_in(again)
    assert [state for _, state in after.sprints] == ["interrupted", "completed"]
    first = after.attempts[0][0]
    assert [(number, state) for item, number, state in after.attempts if item == first] == [
        (1, "interrupted"),
        (2, "accepted"),
    ]


def test_a_restore_over_something_that_is_there_is_refused(venture: Path, tmp_path: Path) -> None:
    """The old database stays as it is; the block ends at its first line."""
    (venture / "state").mkdir(mode=0o700)
    (venture / "state" / "sprintd.db").write_bytes(b"what is left of it")
    block = script("restore", VENTURE=str(venture), BACKUP=str(tmp_path), OWNER=getpass.getuser())
    done = subprocess.run(["/bin/bash", "-e", "-c", block], capture_output=True, check=False)
    assert done.returncode == 1
    assert (venture / "state" / "sprintd.db").read_bytes() == b"what is left of it"


def test_the_backup_holds_no_key_and_no_token(venture: Path, tmp_path: Path) -> None:
    """Neither the files of the state folder nor their names are in it."""
    secret = venture / "state" / "secrets" / "anthropic_api_key"
    with DaemonProcess(venture) as daemon:
        daemon.wait_for_line("memory/findings/")
        assert daemon.stop() == 0
    secret.parent.mkdir(mode=0o700)
    secret.write_text("sk-ant-not-yours")
    secret.chmod(0o600)
    run("backup", tmp_path / "tools", VENTURE=str(venture), BACKUP=str(tmp_path / "backup"))
    listed = subprocess.run(
        ["tar", "-tzf", str(tmp_path / "backup" / "files.tar.gz")],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert "./memory/findings/" in listed
    assert "./backlog.yaml" in listed
    assert "state" not in {Path(line).parts[0] for line in listed.splitlines() if Path(line).parts}
    assert b"sk-ant-not-yours" not in (tmp_path / "backup" / "sprintd.db").read_bytes()
