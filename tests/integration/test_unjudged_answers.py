"""An answer that was paid for and could not be kept is judged later, never asked for again."""

from __future__ import annotations

from pathlib import Path

from daemon.governance.states import current_state
from daemon.sprint.runner import run_sprint
from daemon.store import attempts, findings
from daemon.store.api_calls import list_recent
from tests.unit.cli.small import write_small
from tests.workspaces import services_over


def test_a_finding_that_could_not_be_written_is_written_by_the_next_sprint(tmp_path: Path) -> None:
    """The memory folder is blocked, the sprint fails; unblocked, the stored answer is accepted."""
    root = write_small(tmp_path / "small")
    in_the_way = root / "memory" / "findings"
    in_the_way.write_text("a file where a folder belongs")
    with services_over(root) as services:
        failed = run_sprint(services.sprint_parts)
        assert failed.state == "failed"
        assert "memory/findings" in failed.reason
        assert [row.state for row in attempts.list_for_item(services.db, "B01")] == ["answered"]
        in_the_way.unlink()
        run_sprint(services.sprint_parts)
        assert [row.state for row in attempts.list_for_item(services.db, "B01")] == ["accepted"]
        kept = findings.find_by_item(services.db, "B01")
        assert kept is not None
        assert (root / kept.path).is_file()
        assert sorted(call.facts.item or "" for call in list_recent(services.db)) == ["B01", "B02"]


def test_a_folder_that_stays_blocked_halts_without_asking_again(tmp_path: Path) -> None:
    """Three failed sprints halt the daemon; the item was asked for once."""
    root = write_small(tmp_path / "small")
    (root / "memory" / "findings").write_text("a file where a folder belongs")
    with services_over(root) as services:
        states = [run_sprint(services.sprint_parts).state for _ in range(3)]
        assert states == ["failed"] * 3
        state = current_state(services.db)
        assert state is not None
        assert state.name == "halted"
        assert len(list_recent(services.db)) == 1
