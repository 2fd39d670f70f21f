"""Steps of a sprint are kept before the next one begins, and a repeated one gives what it gave."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.bootstrap import Services, build_services
from daemon.clock import ManualClock
from daemon.sprint.runner import run_sprint
from daemon.sprint.steps import Steps
from daemon.store import sprints
from daemon.store.steps import list_steps
from tests.workspaces import NOON, copy_sample


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def services(tmp_path: Path, told: list[str]) -> Iterator[Services]:
    built = build_services(
        copy_sample(tmp_path / "venture"),
        environ={},
        say=lambda line: None,
        clock=ManualClock(NOON),
        at=told.append,
    )
    yield built
    built.close()


def test_a_step_that_was_done_gives_its_result_again(services: Services, told: list[str]) -> None:
    """Also to another life; what it does happens once, and its name is told once."""
    sprint_id = sprints.open_sprint(services.db, "DIAGNOSTIC", None, NOON)
    done: list[int] = []

    def act() -> dict[str, int]:
        done.append(1)
        return {"n": len(done)}

    for _ in range(3):
        assert Steps(services.sprint_parts, sprint_id).step("errors", act) == {"n": 1}
    assert (len(done), told) == (1, ["errors"])


def test_a_step_that_failed_is_not_kept(services: Services, told: list[str]) -> None:
    """It is done again."""
    sprint_id = sprints.open_sprint(services.db, "DIAGNOSTIC", None, NOON)
    steps = Steps(services.sprint_parts, sprint_id)
    with pytest.raises(ZeroDivisionError):
        steps.step("errors", lambda: 1 // 0)
    assert told == []
    assert steps.step("errors", lambda: 5) == 5


def test_a_sprint_keeps_each_of_its_numbered_steps(services: Services, told: list[str]) -> None:
    """In this order; the hook hears of each right after it was kept, and of the opening."""
    end = run_sprint(services.sprint_parts)
    kept = list_steps(services.db, end.sprint_id)
    names = ["plan"]
    names += [
        f"track/{track}/{step}"
        for track in (1, 2)
        for step in ("context", "attempt", "verdict", "commit")
    ]
    assert [step.name for step in kept] == [*names, "close"]
    assert told == ["open", *names, "close"]
    results = {step.name: step.result for step in kept}
    assert results["plan"] == "rules"
    assert results["track/1/attempt"]["ending"] == "answered"
    assert results["track/1/commit"]["ending"] == "accepted"
    assert results["close"] == "completed"
