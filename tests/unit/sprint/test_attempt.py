"""What an attempt is held against."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from daemon.sprint.context_plan import ContextPlan
from daemon.sprint.orchestrator import Assignment
from daemon.sprint.request import build_request
from daemon.sprint.runner import run_sprint
from daemon.store import attempts, items
from daemon.store.attempts import AttemptRow
from daemon.workspace.loader import load_workspace
from tests.standins.messages_api import MessagesApi
from tests.unit.cli.small import write_small
from tests.workspaces import NOON, claude_config, services_over

_POOR = "The lighthouse stands there. It is white."


def codes(row: AttemptRow) -> set[str]:
    assert row.verdict is not None
    return {defect["check"] for defect in row.verdict["defects"]}


def test_the_offline_writer_may_repeat_itself(tmp_path: Path) -> None:
    """The same notes give the same brief; its reasons stay those of the first time."""
    with services_over(write_small(tmp_path / "small")) as services:
        for _ in range(3):
            run_sprint(services.sprint_parts)
        tries = attempts.list_for_item(services.db, "B02")
        assert [row.state for row in tries] == ["rejected"] * 3
        assert len({row.output for row in tries}) == 1
        assert len({frozenset(codes(row)) for row in tries}) == 1


def test_a_model_that_repeats_itself_is_told_so_until_the_item_is_put_back(tmp_path: Path) -> None:
    """A person who mended the item gets a fresh judgement, also of the same words."""

    def reply(_request: dict[str, Any]) -> str:
        return _POOR

    with MessagesApi(reply=reply) as api:
        root = write_small(tmp_path / "small", claude_config(api.base_url))
        with services_over(root, key=api.api_key) as services:
            for _ in range(3):
                run_sprint(services.sprint_parts, focus="harbour")
            first, second, third = attempts.list_for_item(services.db, "B02")
            assert "repetition.earlier" not in codes(first)
            assert "repetition.earlier" in codes(second) & codes(third)
            assert items.unblock(services.db, "B02", NOON)
            run_sprint(services.sprint_parts, focus="harbour")
            assert "repetition.earlier" not in codes(attempts.list_for_item(services.db, "B02")[3])


def test_another_agent_that_is_given_the_item_is_told_no_word_of_the_answer(tmp_path: Path) -> None:
    """Only the one that wrote it reads its sentences again, beside the rules that objected."""
    root = write_small(tmp_path / "small")
    workspace = load_workspace(root)
    with services_over(root) as services:
        run_sprint(services.sprint_parts)
        last = attempts.last_rejected(services.db, "B02")
        assert last is not None
        sent = []
        nothing = ContextPlan((), (), 0, 0, "", NOON.date())
        for writer in (last.agent, "someone else"):
            with services.db.immediate() as tx:
                tx.execute("UPDATE attempt SET agent = ? WHERE id = ?", (writer, last.id))
            assigned = Assignment("B02", last.agent, "")
            sent.append(build_request(services.sprint_parts, workspace, assigned, nothing).task)
    assert last.verdict is not None
    told = [defect["message"] for defect in last.verdict["defects"] if defect["rejects"]]
    assert told
    assert all(message in sent[0] and message not in sent[1] for message in told)
    assert "The rules that rejected another agent's answer" in sent[1]
