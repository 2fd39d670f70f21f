"""A plan that was paid for and not used is not paid for again."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.bootstrap import build_services
from daemon.clock import ManualClock
from daemon.errors import StoreError
from daemon.sprint.runner import look_ahead, recover, run_sprint
from daemon.store import items, sprints
from tests.standins.messages_api import MessagesApi
from tests.standins.researcher import write_reply
from tests.workspaces import NOON, claude_config, copy_sample, services_over

SPANISH = '[daemon]\nlanguage = "es"\n'


class Killed(BaseException):
    """The process ends here."""


def plans(api: MessagesApi) -> int:
    return sum("output_config" in request.body for request in api.requests)


def run_until(
    root: Path, api: MessagesApi, step: str, *, error: BaseException | None = None
) -> str:
    """One life that finishes what was left and sprints, up to `step`; the state of its sprint."""

    def at(name: str) -> None:
        if name == step and error:
            raise error

    services = build_services(
        root,
        environ={"ANTHROPIC_API_KEY": api.api_key},
        say=lambda line: None,
        clock=ManualClock(NOON),
        at=at,
    )
    try:
        recover(services.sprint_parts)
        if isinstance(error, Killed):
            with pytest.raises(Killed):
                run_sprint(services.sprint_parts)
        else:
            run_sprint(services.sprint_parts)
        row = sprints.last_sprint(services.db)
        assert row
        assert row.plan
        return f"{row.state}: {row.plan['planner']}, {row.plan['note']}"
    finally:
        services.close()


def test_a_plan_that_a_crash_left_unused_is_taken_over(tmp_path: Path) -> None:
    """Cut off three times right after planning: one plan is paid for, by the first sprint."""
    with MessagesApi(reply=write_reply) as api:
        root = copy_sample(tmp_path / "venture", claude_config(api.base_url))
        for _ in range(3):
            run_until(root, api, "plan", error=Killed())
        end = run_until(root, api, "")
        assert end == (
            "completed: model, the plan of sprint 1, which was cut off before it was used"
        )
        assert plans(api) == 1
        assert len(api.requests) == 3


def test_a_plan_of_which_something_was_begun_is_not_used_again(tmp_path: Path) -> None:
    """The next sprint has another situation before it, and asks for a plan of its own."""
    with MessagesApi(reply=write_reply) as api:
        root = copy_sample(tmp_path / "venture", claude_config(api.base_url))
        run_until(root, api, "track/1/attempt", error=Killed())
        assert run_until(root, api, "") == "completed: model, "
        assert plans(api) == 2


def test_a_plan_that_does_not_fit_any_more_is_not_used(tmp_path: Path) -> None:
    """One of its items was done in the meantime."""
    with MessagesApi(reply=write_reply) as api:
        root = copy_sample(tmp_path / "venture", claude_config(api.base_url))
        run_until(root, api, "plan", error=Killed())
        services = build_services(root, environ={}, say=print, clock=ManualClock(NOON))
        row = sprints.last_sprint(services.db)
        assert row
        assert row.plan
        items.mark_done(services.db, row.plan["assignments"][0]["item"], NOON)
        services.close()
        assert run_until(root, api, "") == "completed: model, "
        assert plans(api) == 2


def test_a_plan_is_kept_through_sprints_that_a_broken_store_ends(tmp_path: Path) -> None:
    """Such a sprint has failed before it began an attempt; its plan is still good."""
    with MessagesApi(reply=write_reply) as api:
        root = copy_sample(tmp_path / "venture", claude_config(api.base_url))
        for _ in range(2):
            state = run_until(root, api, "plan", error=StoreError("x.db: damaged (for a moment)"))
            assert state.startswith("failed: model")
        assert run_until(root, api, "").startswith("completed: model, the plan of sprint 1")
        assert plans(api) == 1


def test_a_plan_by_rules_gives_its_reasons_in_the_language_of_the_workspace(tmp_path: Path) -> None:
    """Why each item was chosen, and why no model planned."""
    with services_over(copy_sample(tmp_path / "venture", SPANISH)) as services:
        _, ahead = look_ahead(services.sprint_parts)
        assert {one.reason for one in ahead.assignments} == {
            "prioridad 1; KC1 tiene 0 hallazgos hasta ahora"
        }
        run_sprint(services.sprint_parts)
        row = sprints.last_sprint(services.db)
        assert row
        assert row.plan
        assert row.plan["note"] == "el proveedor extractive no planifica"
