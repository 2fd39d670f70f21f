"""People edit the workspace while the daemon runs."""

from __future__ import annotations

from pathlib import Path

from daemon.sprint.runner import run_sprint
from tests.workspaces import copy_sample, services_over


def test_a_new_cap_counts_from_the_next_look(tmp_path: Path) -> None:
    """The budget goes by the file as it is now; a setting that needs a restart stays."""
    root = copy_sample(
        tmp_path / "venture", '[budget]\ndaily_cap_usd = 5\n[daemon]\nlanguage = "en"\n'
    )
    with services_over(root) as services:
        assert services.budget.today().cap_micros == 5_000_000
        (root / "config.toml").write_text(
            '[budget]\ndaily_cap_usd = 2.5\n[daemon]\nlanguage = "es"\n'
        )
        assert services.look_again() == ()
        assert services.budget.today().cap_micros == 2_500_000
        assert services.sprint_parts.config.daemon.language == "en"


def test_a_broken_edit_of_any_file_keeps_the_last_good_one(tmp_path: Path) -> None:
    """Settings, map, quality rules and backlog: each fault is named, and sprints go on."""
    root = copy_sample(tmp_path / "venture", "[budget]\ndaily_cap_usd = 5\n")
    with services_over(root) as services:
        assert services.look_again() == ()
        for name in ("config.toml", "knowledge.yaml", "quality.toml", "backlog.yaml"):
            (root / name).write_text("- [what is this: =")
        faulty = {fault.file for fault in services.look_again()}
        assert faulty == {"config.toml", "knowledge.yaml", "quality.toml", "backlog.yaml"}
        assert services.budget.today().cap_micros == 5_000_000
        assert run_sprint(services.sprint_parts).state == "completed"
