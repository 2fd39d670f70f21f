"""What an attempt is held against."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from daemon.sprint.runner import run_sprint
from daemon.store import attempts, items
from daemon.store.attempts import AttemptRow
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
