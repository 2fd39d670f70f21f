"""The doctor finds a ledger that holds all work up."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from daemon.cli.doctor_ledger import check_ledger
from daemon.sprint.runner import run_sprint
from daemon.store.database import open_database, open_read_only
from tests.workspaces import copy_sample, services_over


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """After one sprint of the sample."""
    root = copy_sample(tmp_path / "venture")
    with services_over(root) as services:
        assert run_sprint(services.sprint_parts).state == "completed"
    return root / "state"


def change_an_entry(state: Path) -> None:
    log = state / "ledger/log.jsonl"
    log.write_bytes(log.read_bytes().replace(b'"ALLOW"', b'"DENY"', 1))


def cut_the_end_and_its_checkpoints(state: Path) -> None:
    log = state / "ledger/log.jsonl"
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:2]))
    shutil.rmtree(state / "ledger/checkpoints")


def lose_all(state: Path) -> None:
    shutil.rmtree(state / "ledger")


def lose_the_key(state: Path) -> None:
    (state / "keys/ledger.key").unlink()


def show_the_key(state: Path) -> None:
    (state / "keys/ledger.key").chmod(0o644)


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (change_an_entry, "damaged (log.jsonl:"),
        (cut_the_end_and_its_checkpoints, "cut: the checkpoint given"),
        (lose_all, "missing: "),
        (lose_the_key, "has no key"),
        (show_the_key, "others may read the key"),
    ],
)
def test_a_ledger_that_stops_the_work_is_a_fault(
    state: Path, harm: Callable[[Path], None], words: str
) -> None:
    """Also what the log alone cannot show, because the database remembers how it ended."""
    harm(state)
    db = open_read_only(state / "sprintd.db")
    found = check_ledger(state, db)
    db.close()
    assert (found.check, found.grade) == ("ledger", "fault")
    assert words in found.message
    assert "docs/ledger.md" in found.cure


def test_an_unfinished_line_is_a_warning(state: Path) -> None:
    """As after a crash: the next entry puts it aside."""
    with (state / "ledger/log.jsonl").open("ab") as log:
        log.write(b'{"half')
    db = open_read_only(state / "sprintd.db")
    assert check_ledger(state, db).grade == "warn"
    db.close()


def test_a_whole_ledger_and_none_are_well(state: Path, tmp_path: Path) -> None:
    """Before the first decision there is none."""
    db = open_read_only(state / "sprintd.db")
    assert "as the database remembers" in check_ledger(state, db).message
    db.close()
    new = open_database(tmp_path / "new.db")
    assert check_ledger(tmp_path, new).grade == "ok"
    new.close()
