"""`sprintd ledger accept`: after the ledger was lost for good."""

from __future__ import annotations

import shutil
from pathlib import Path

from daemon.sprint.runner import run_sprint
from tests.unit.cli.small import as_json, sprintd
from tests.workspaces import copy_sample, services_over


def test_work_goes_on_after_a_person_accepted_the_loss(tmp_path: Path) -> None:
    """The gone ledger holds the work up; what was known of it is printed and written into the new
    one."""
    root = copy_sample(tmp_path / "venture")
    with services_over(root) as services:
        assert run_sprint(services.sprint_parts).state == "completed"
    shutil.rmtree(root / "state/ledger")
    shutil.rmtree(root / "state/keys")
    with services_over(root) as services:
        assert run_sprint(services.sprint_parts).state == "interrupted"
    found = as_json(root, "ledger", "accept")
    assert found["forgotten"]["size"] > 4
    assert "accepted as it is" in (root / "state/ledger/log.jsonl").read_text()
    with services_over(root) as services:
        assert run_sprint(services.sprint_parts).state == "completed"


def test_a_whole_ledger_is_not_forgotten(tmp_path: Path) -> None:
    """Typed in vain, it leaves what the database remembers, and writes nothing."""
    root = copy_sample(tmp_path / "venture")
    with services_over(root) as services:
        assert run_sprint(services.sprint_parts).state == "completed"
    before = (root / "state/ledger/log.jsonl").read_bytes()
    assert as_json(root, "ledger", "accept")["forgotten"] is None
    assert "stand in the ledger" in sprintd(root, "ledger", "accept").stdout
    assert (root / "state/ledger/log.jsonl").read_bytes() == before


def test_a_ledger_that_was_never_signed_needs_no_acceptance(tmp_path: Path) -> None:
    """Nothing is known, so nothing is forgotten."""
    root = copy_sample(tmp_path / "venture")
    with services_over(root):
        pass
    result = sprintd(root, "ledger", "accept")
    assert result.returncode == 0
    assert "Nothing was changed" in result.stdout
