"""An answer that was paid for and could not be kept is judged later, never asked for again."""

from __future__ import annotations

from pathlib import Path

from daemon.governance.recovery import consecutive_failures
from daemon.sprint.runner import run_sprint
from daemon.store import attempts, events, findings
from daemon.store.api_calls import list_recent
from tests.unit.cli.small import write_small
from tests.workspaces import services_over


def test_a_finding_that_could_not_be_written_is_written_by_the_next_sprint(tmp_path: Path) -> None:
    """The memory folder is blocked, the sprint ends; unblocked, the stored answer is accepted."""
    root = write_small(tmp_path / "small")
    in_the_way = root / "memory" / "findings"
    in_the_way.write_text("a file where a folder belongs")
    with services_over(root) as services:
        held = run_sprint(services.sprint_parts)
        assert held.state == "interrupted"
        assert "memory/findings" in held.reason
        assert [row.state for row in attempts.list_for_item(services.db, "B01")] == ["answered"]
        in_the_way.unlink()
        run_sprint(services.sprint_parts)
        assert [row.state for row in attempts.list_for_item(services.db, "B01")] == ["accepted"]
        kept = findings.find_by_item(services.db, "B01")
        assert kept is not None
        assert (root / kept.path).is_file()
        assert sorted(call.facts.item or "" for call in list_recent(services.db)) == ["B01", "B02"]


def test_a_folder_that_stays_blocked_is_told_once_and_costs_nothing(tmp_path: Path) -> None:
    """Ten sprints end before they ask anybody; no failure is counted, and it goes on by itself."""
    root = write_small(tmp_path / "small")
    in_the_way = root / "memory" / "findings"
    in_the_way.write_text("a file where a folder belongs")
    with services_over(root) as services:
        states = {run_sprint(services.sprint_parts).state for _ in range(10)}
        assert states == {"interrupted"}
        assert consecutive_failures(services.db) == 0
        assert len(list_recent(services.db)) == 1
        in_the_way.unlink()
        run_sprint(services.sprint_parts)
        assert [row.state for row in attempts.list_for_item(services.db, "B01")] == ["accepted"]
        told = [event.kind for event in events.list_after(services.db, 0)]
        assert (told.count("alert"), told.count("recovered")) == (1, 1)
