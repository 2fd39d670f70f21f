"""Planning with tools against a model that answers anything at all: no halt, no copy, nothing paid twice."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from daemon.governance.states import current_state
from daemon.sprint.runner import recover, run_sprint
from daemon.store import sprints
from tests.standins.messages_api import MessagesApi, Step, asks, error, says
from tests.standins.researcher import write_reply
from tests.workspaces import claude_config, copy_sample, services_over

CONFIDENTIAL = "models-and-hosting.retirement-and-hosting"
WORD = "zxqrunwayofsevenmonths"  # as if copied from that unit
HALF = "half of a pair \ud83d"


@pytest.fixture
def api() -> Iterator[MessagesApi]:
    with MessagesApi(reply=write_reply) as made:
        yield made


def venture(tmp_path: Path, api: MessagesApi) -> Path:
    return copy_sample(tmp_path / "venture", claude_config(api.base_url))


def call(name: str = "list_units", given: Any = None, *, id: Any = "toolu_1") -> dict[str, Any]:  # noqa: A002
    return {"type": "tool_use", "id": id, "name": name, "input": {} if given is None else given}


def blocks(*content: dict[str, Any], stop: str = "tool_use") -> Step:
    return Step(text="", changes={"content": list(content), "stop_reason": stop})


def planning(api: MessagesApi) -> list[dict[str, Any]]:
    return [request.body for request in api.requests if "output_config" in request.body]


@pytest.mark.parametrize(
    "steps",
    [
        [blocks(call(id=None))],
        [blocks(call(id=None), call(id="toolu_2"))],
        [blocks({"type": "wibble", "x": 1}, call())],
        [blocks(call()), error(400, "invalid_request_error", "messages.1.content.0: bad")],
        [blocks(call()), error(413, "request_too_large", "too large")],
    ],
)
def test_a_talk_that_the_service_does_not_take_back_halts_nothing(
    tmp_path: Path, api: MessagesApi, steps: list[Step]
) -> None:
    """What the model said itself is rejected: the rules plan, say so, and the next sprint plans anew."""
    root = venture(tmp_path, api)
    api.script(*steps)
    with services_over(root, key=api.api_key) as services:
        assert run_sprint(services.sprint_parts).state == "completed"
        row = sprints.last_sprint(services.db)
        assert row
        assert row.plan
        assert row.plan["planner"] == "rules"
        assert "the service rejected the talk (4" in row.plan["note"]
        assert current_state(services.db) is None
        assert run_sprint(services.sprint_parts).state == "completed"
        assert len(planning(api)) == 3


def test_an_empty_account_found_in_the_middle_of_a_talk_still_halts(
    tmp_path: Path, api: MessagesApi
) -> None:
    """That error is none of the talk's."""
    root = venture(tmp_path, api)
    api.script(
        asks(("list_units", {})), error(400, "invalid_request_error", "credit balance is low")
    )
    with services_over(root, key=api.api_key) as services:
        assert run_sprint(services.sprint_parts).state == "failed"
        state = current_state(services.db)
        assert state
        assert state.name == "halted"


@pytest.mark.parametrize(
    "content",
    [
        [call("search_memory", {"query": HALF})],
        [call("list\ud83d")],
        [{"type": "text", "text": HALF}, call()],
    ],
)
def test_half_a_character_in_a_reply_ends_no_talk(
    tmp_path: Path, api: MessagesApi, content: list[dict[str, Any]]
) -> None:
    """It is sent back as a replacement; the model's plan follows."""
    root = venture(tmp_path, api)
    api.script(blocks(*content))
    with services_over(root, key=api.api_key) as services:
        assert run_sprint(services.sprint_parts).state == "completed"
        row = sprints.last_sprint(services.db)
        assert row
        assert row.plan
        assert row.plan["planner"] == "model"


def test_a_refusal_is_short_whatever_was_asked_for(tmp_path: Path, api: MessagesApi) -> None:
    """A tool with a name of 100,000 characters is not told back in full, nor printed."""
    root = venture(tmp_path, api)
    told: list[str] = []
    api.script(asks(("x" * 100_000, {}), ("read_unit", {"y" * 100_000: 1})))
    with services_over(root, key=api.api_key) as services:
        run_sprint(replace(services.sprint_parts, say=told.append))
    results = api.requests[1].body["messages"][-1]["content"]
    assert all(len(one["content"]) < 1_000 for one in results)
    assert all(len(line) < 1_000 for line in told)


def copying_plan(**words: str) -> str:
    return json.dumps({"assignments": [{"item": "T01", "agent": "a", "reason": "r", **words}] * 2})


@pytest.mark.parametrize(
    "after",
    [
        [says(copying_plan(item=WORD))] * 2,
        [says(copying_plan(agent=WORD))] * 2,
        [says(f'{{"assignments": [{{"{WORD}": 1, "{WORD}": 2}}]}}')] * 2,
        [asks((WORD, {}), ("read_unit", {WORD: 1}), ("read_unit", {"unit": WORD}))],
        [asks(("read_unit", {"path": f"memory/{WORD}.md"}), ("search_memory", {"query": WORD}))],
    ],
)
def test_no_word_of_a_confidential_text_gets_into_the_plan_the_ledger_or_the_log(
    tmp_path: Path, api: MessagesApi, after: list[Step]
) -> None:
    """Neither as a name, nor as a path, nor in the faults of a plan."""
    root = venture(tmp_path, api)
    told: list[str] = []
    api.script(asks(("read_unit", {"unit": CONFIDENTIAL})), *after)
    with services_over(root, key=api.api_key) as services:
        end = run_sprint(replace(services.sprint_parts, say=told.append))
        row = sprints.last_sprint(services.db)
        assert row
        assert WORD not in json.dumps(row.plan)
    assert end.state == "completed"
    assert WORD not in end.reason
    assert not [line for line in told if WORD in line]
    ledger = [path for path in (root / "state/ledger").rglob("*") if path.is_file()]
    assert ledger
    assert not [path for path in ledger if WORD.encode() in path.read_bytes()]
    assert not [r for r in api.requests if "output_config" not in r.body and WORD.encode() in r.raw]


class Killed(BaseException):
    """The process ends here."""


def life_until_plan(root: Path, api: MessagesApi) -> None:
    """One life that ends when the plan is kept and nothing of it was begun."""

    def at(place: str) -> None:
        if place == "plan":
            raise Killed

    with services_over(root, key=api.api_key) as services:
        recover(services.sprint_parts)
        with pytest.raises(Killed):
            run_sprint(replace(services.sprint_parts, at=at))


def test_a_plan_taken_over_from_a_talk_has_no_words_of_its_reasons(
    tmp_path: Path, api: MessagesApi
) -> None:
    """The next life does not know what the talk had read."""
    root = venture(tmp_path, api)

    def copies(request: dict[str, Any]) -> str:
        plan = json.loads(write_reply(request))
        for one in plan["assignments"]:
            one["reason"] = WORD
        return json.dumps(plan)

    with MessagesApi(
        reply=lambda r: copies(r) if "output_config" in r else write_reply(r)
    ) as copying:
        (root / "config.toml").write_text(claude_config(copying.base_url))
        copying.script(asks(("read_unit", {"unit": CONFIDENTIAL})))
        life_until_plan(root, copying)
        with services_over(root, key=copying.api_key) as services:
            recover(services.sprint_parts)
            assert run_sprint(services.sprint_parts).state == "completed"
            row = sprints.last_sprint(services.db)
        assert len(planning(copying)) == 2
    assert row
    assert row.plan
    assert "cut off before it was used" in row.plan["note"]
    assert WORD not in json.dumps(row.plan)


def test_a_plan_with_faults_is_not_paid_for_again_after_a_crash(
    tmp_path: Path, api: MessagesApi
) -> None:
    """Call, faulty plan, faulty plan: the rules plan in the first life, and again in the second."""
    root = venture(tmp_path, api)
    api.script(asks(("list_units", {})), *[says('{"assignments": []}')] * 2)
    life_until_plan(root, api)
    with services_over(root, key=api.api_key) as services:
        recover(services.sprint_parts)
        assert run_sprint(services.sprint_parts).state == "completed"
    assert len(planning(api)) == 3


def test_a_talk_goes_on_where_the_service_names_the_dated_model(
    tmp_path: Path, api: MessagesApi
) -> None:
    """It was asked for an alias; the reply has the name of the model behind it."""
    root = venture(tmp_path, api)
    dated = "claude-sonnet-5-5-20261001"
    step = asks(("list_units", {}))
    api.script(replace(step, changes={**step.changes, "model": dated}))

    def say(line: str) -> None:
        if "list_units" in line:
            raise Killed

    with services_over(root, key=api.api_key) as services, pytest.raises(Killed):
        run_sprint(replace(services.sprint_parts, say=say))
    with services_over(root, key=api.api_key) as services:
        recover(services.sprint_parts)
        assert run_sprint(services.sprint_parts).state == "completed"
    assert [len(body["messages"]) for body in planning(api)] == [1, 3]
