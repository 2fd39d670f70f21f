"""How the ledger stands, where people read it."""

from __future__ import annotations

from pathlib import Path

from daemon.config.phrases import Phrases
from daemon.governance.ledger_in_use import known_end
from daemon.reports.daily import write_daily
from daemon.reports.day_figures import take_daily
from daemon.reports.status import render_status, take_status
from daemon.sprint.runner import run_sprint
from tests.workspaces import NOON, copy_sample, services_over


def test_report_and_status_carry_the_end_of_the_ledger(tmp_path: Path) -> None:
    """The daily report is what is kept elsewhere: entries, root and the whole signed note, in its text,
    its parts and its facts. Before anything was signed there is none."""
    with services_over(copy_sample(tmp_path / "venture")) as services:
        early = write_daily(take_daily(services.db, NOON, NOON, None), Phrases("en"))
        assert "Ledger" not in early.body
        assert early.facts["checkpoint"] is None
        run_sprint(services.sprint_parts)
        end = known_end(services.db)
        assert end
        written = write_daily(take_daily(services.db, NOON, NOON, None), Phrases("en"))
        assert f"Ledger: {end.size} entries, root {end.root}." in written.body
        assert f"```\n{end.note.strip()}\n```" in written.body
        assert f"```\n{end.note.strip()}\n```" in written.parts[-1]["text"]
        assert written.facts["checkpoint"] == end.note
        status = take_status(
            services.db, services.budget, provider="extractive", backlog={}, faults=()
        )
        assert f"Ledger: {end.size} entries, root {end.root[:16]}" in render_status(
            status, None, 100
        )
        assert status.as_json()["ledger"]["root"] == end.root
