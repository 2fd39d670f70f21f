"""Faults with models and their replies that were reported in public: none of them happens here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from daemon.bootstrap import Services
from daemon.clock import ManualClock
from daemon.governance.budget import Caller
from daemon.governance.recovery import reset_failures
from daemon.governance.states import DaemonState, current_state
from daemon.llm.provider import Completion, Prompt
from daemon.scheduling.jobs import Jobs
from daemon.sprint.runner import run_sprint
from daemon.store import attempts, events, findings, items, sprints
from tests.standins.messages_api import MessagesApi, Step, changed, error, overloaded
from tests.standins.researcher import write_plan, write_reply
from tests.workspaces import NOON, claude_config, copy_sample, services_over

RETIRED = "claude-3-7-sonnet-20250219"
RETIRED_PRICE = f"""\
[[price]]
models = ["{RETIRED}"]
effective_from = 2026-01-01
input = 3
output = 15
cache_write_5m = 3.75
cache_write_1h = 6
cache_read = 0.3
source = "for this test"
"""
ORDINARY = Step()


@dataclass
class Life:
    """One life of the daemon over a workspace: ticks, and what it told people."""

    services: Services
    told: list[str]

    def __post_init__(self) -> None:
        self.jobs = Jobs(self.services, post=self.told.append, next_sprint_at=lambda: None)

    def ticks(self, number: int) -> None:
        """So many ticks of the timetable, each with its digest."""
        assert isinstance(self.services.clock, ManualClock)
        for _ in range(number):
            self.jobs.sprint()
            self.services.clock.advance(timedelta(minutes=1))  # the first sprint has its own digest
            self.jobs.digest()
            self.services.clock.advance(timedelta(minutes=14))

    def state(self) -> DaemonState:
        found = current_state(self.services.db)
        assert found
        return found


@contextmanager
def life_over(root: Path, api: MessagesApi) -> Iterator[Life]:
    with services_over(root, key=api.api_key) as services:
        yield Life(services, [])


def workspace(tmp_path: Path, api: MessagesApi, more: str = "") -> Path:
    return copy_sample(tmp_path / "venture", claude_config(api.base_url, more))


def notes_of(root: Path) -> dict[str, bytes]:
    found = (path for path in (root / "memory").rglob("*") if path.is_file())
    return {str(path.relative_to(root)): path.read_bytes() for path in found}


def attempts_of_last_sprint(services: Services) -> list[attempts.AttemptRow]:
    return attempts.list_for_sprint(services.db, sprints.list_sprints(services.db, 1)[0].id)


def plans(request: dict[str, Any]) -> bool:
    return "output_config" in request


# -- replies that look complete and are not


def cut_in_mid_word(request: dict[str, Any], characters: int) -> str:
    """The beginning of a sound report, moved along until the last character is within a word."""
    text = write_reply(request)
    while not (text[characters - 1] + text[characters]).isalpha():
        text = "x" + text
    return text[:characters]


@pytest.mark.parametrize("characters", [708, 1_100])
def test_a_reply_cut_at_its_token_limit_is_rejected_and_overwrites_nothing(
    tmp_path: Path, characters: int
) -> None:
    """708 characters that end in mid-word, stop_reason max_tokens: truncated, and never a finding.

    All that was in memory before is there byte for byte. Reported as jeffdafoe/llm-memory-api#283
    and No-Compromise-AI/glm-mcp#41.
    """
    cutting: list[bool] = []

    def reply(request: dict[str, Any]) -> str:
        if plans(request) or not cutting:
            return write_reply(request)
        return cut_in_mid_word(request, characters)

    with MessagesApi(reply=reply) as api:
        root = workspace(tmp_path, api)
        with services_over(root, key=api.api_key) as services:
            assert run_sprint(services.sprint_parts).state == "completed"
            before, known = notes_of(root), findings.list_findings(services.db)
            assert len(known) == 2
            cutting.append(True)
            cut = changed(stop_reason="max_tokens")
            api.script(ORDINARY, cut, cut)
            assert run_sprint(services.sprint_parts).state == "failed"
            rows = attempts_of_last_sprint(services)
            assert len(rows) == 2
            for row in rows:
                assert len(row.output or "") == characters
                assert (row.state, row.stop_reason) == ("rejected", "max_tokens")
                defects = {defect["check"] for defect in (row.verdict or {})["defects"]}
                assert "structure.truncated" in defects
                assert items.find_item_state(services.db, row.item).state == "open"
            assert notes_of(root) == before
            assert findings.list_findings(services.db) == known


def test_a_whole_report_is_rejected_too_where_the_service_says_that_it_was_cut(
    tmp_path: Path,
) -> None:
    """The stop reason decides: what reads well may lack its second half.

    Reported as No-Compromise-AI/glm-mcp#41.
    """
    with (
        MessagesApi(reply=write_reply) as api,
        services_over(workspace(tmp_path, api), key=api.api_key) as services,
    ):
        cut = changed(stop_reason="max_tokens")
        api.script(ORDINARY, cut, cut)
        run_sprint(services.sprint_parts)
        for row in attempts_of_last_sprint(services):
            reasons = [d["check"] for d in (row.verdict or {})["defects"] if d["rejects"]]
            assert (row.state, reasons) == ("rejected", ["structure.truncated"])
        assert findings.list_findings(services.db) == []


def test_the_answer_is_the_text_and_not_the_thinking_before_it(tmp_path: Path) -> None:
    """A thinking block first, then the text "Answer": the answer is "Answer".

    Reported as Graphify-Labs/graphify#2697, repowise-dev/repowise#750 and
    confident-ai/deepeval#2946.
    """
    content = [
        {"type": "thinking", "thinking": "", "signature": "x"},
        {"type": "text", "text": "Answer"},
    ]
    with MessagesApi() as api:
        api.script(changed(content=content))
        with services_over(workspace(tmp_path, api), key=api.api_key) as services:
            prompt = Prompt("claude-sonnet-5-5", "You answer.", "What is known?", 1_000)
            reply = services.metered.complete("k", prompt, Caller("attempt"))
            assert isinstance(reply, Completion)
            assert reply.text == "Answer"


def test_sprints_are_worked_off_by_a_model_that_thinks_first(tmp_path: Path) -> None:
    """Plans and reports alike are read behind a thinking block.

    Reported as Graphify-Labs/graphify#2697.
    """
    with (
        MessagesApi(reply=write_reply, thinks=True) as api,
        services_over(workspace(tmp_path, api), key=api.api_key) as services,
    ):
        assert run_sprint(services.sprint_parts).reason == "2 accepted"


def test_a_plan_in_a_fence_is_read_to_its_last_brace(tmp_path: Path) -> None:
    """Inside the fenced JSON stands a fenced program with a backtick: nothing is cut off there.

    Reported as langchain-ai/langchain#5428, vectorize-io/hindsight#2542 and langgenius/dify#41958.
    """
    inner = "Use:\n```python\nprint(1)\n```\nend of `it`"

    def fenced(request: dict[str, Any]) -> str:
        if not plans(request):
            return write_reply(request)
        plan = json.loads(write_plan(request["messages"][0]["content"]))
        for assignment in plan["assignments"]:
            assignment["reason"] = inner
        return f"```json\n{json.dumps(plan)}\n```"

    with (
        MessagesApi(reply=fenced) as api,
        services_over(workspace(tmp_path, api), key=api.api_key) as services,
    ):
        end = run_sprint(services.sprint_parts)
        row = sprints.find_sprint(services.db, end.sprint_id)
        assert row
        assert row.plan
        assert (row.plan["planner"], row.plan["note"]) == ("model", "")
        assert [one["reason"] for one in row.plan["assignments"]] == [inner, inner]


def test_half_a_character_in_a_reply_costs_neither_the_item_nor_its_bill(tmp_path: Path) -> None:
    """A report with a lone surrogate is accepted, repaired, and its cost is booked.

    Reported as simonw/llm#546 and wandb/weave#6731.
    """

    def broken(request: dict[str, Any]) -> str:
        text = write_reply(request)
        return text if plans(request) else text.replace("evidence says", "evidence says \ud83d", 1)

    with MessagesApi(reply=broken) as api:
        root = workspace(tmp_path, api)
        with services_over(root, key=api.api_key) as services:
            assert run_sprint(services.sprint_parts).reason == "2 accepted"
            for row in attempts_of_last_sprint(services):
                assert "evidence says \ufffd" in (row.output or "")
                assert items.find_item_state(services.db, row.item).state == "done"
            for found in findings.list_findings(services.db):
                assert "evidence says \ufffd" in (root / found.path).read_text("utf-8")
            outcomes = services.db.rows("SELECT outcome, cost_micros > 0 AS paid FROM api_calls")
            assert outcomes == [{"outcome": "replied", "paid": 1}] * 3


# -- a service that is busy


def test_an_overloaded_service_is_waited_for_and_then_answers(tmp_path: Path) -> None:
    """529 three times, then a report: three growing waits with jitter, and nothing is used up.

    The waits are between half and all of 2, 4 and 8 seconds. The item has one attempt and no
    rejection. Reported as anthropics/claude-code#41911.
    """
    with (
        MessagesApi(reply=write_reply) as api,
        services_over(workspace(tmp_path, api), key=api.api_key) as services,
    ):
        api.script(ORDINARY, overloaded(), overloaded(), overloaded())
        end = run_sprint(services.sprint_parts)
        assert end.reason == "2 accepted"
        assert len(api.requests) == 1 + 4 + 1
        assert isinstance(services.clock, ManualClock)
        waits = services.clock.slept
        assert [1 <= waits[0] <= 2, 2 <= waits[1] <= 4, 4 <= waits[2] <= 8] == [True] * 3
        assert len(waits) == 3
        assert len({wait / 2**n for n, wait in enumerate(waits)}) == 3, "no jitter"
        for row in attempts_of_last_sprint(services):
            assert (row.number, row.state) == (1, "accepted")
            assert "verload" not in (row.output or "")
            assert items.find_item_state(services.db, row.item).rejections == 0
        outcomes = [row["outcome"] for row in services.db.rows("SELECT outcome FROM api_calls")]
        assert sorted(outcomes) == ["not_billed"] * 3 + ["replied"] * 3


def test_an_error_text_is_never_kept_as_an_answer(tmp_path: Path) -> None:
    """Overloaded for four sprints: no attempt has an output, no item a rejection or a finding.

    Afterwards the same items are worked on as if nothing had been. Reported as
    anthropics/claude-code#41911 and Lexus2016/hermes-agent-evolution#1040.
    """
    with MessagesApi(reply=write_reply) as api:
        more = "max_tries = 2\n[sprint]\nfailures_before_diagnosis = 20\n"
        root = workspace(tmp_path, api, more)
        before = notes_of(root)
        with services_over(root, key=api.api_key) as services:
            for _ in range(4):
                api.script(ORDINARY, *[overloaded()] * 4)
                assert run_sprint(services.sprint_parts).state == "interrupted"
                rows = attempts_of_last_sprint(services)
                assert [row.state for row in rows] == ["failed"] * 2
                assert [row.output for row in rows] == [None] * 2
                assert all("overloaded (529)" in row.reason for row in rows)
            states = items.list_item_states(services.db)
            assert {(state.state, state.rejections) for state in states.values()} <= {("open", 0)}
            assert findings.list_findings(services.db) == []
            assert notes_of(root) == before
            assert run_sprint(services.sprint_parts).reason == "2 accepted"


# -- errors that stay until a person changes something


def test_a_retired_model_halts_the_daemon_with_one_alert(tmp_path: Path) -> None:
    """404 for the model: one request, no second model, and one alert with the model and its setting.

    Ten more ticks and a restart ask nothing and tell nothing. Reported as
    compdemocracy/polis#2584 and CoWork-OS/CoWork-OS#154.
    """
    with MessagesApi(reply=write_reply) as api:
        root = workspace(tmp_path, api, f'reasoning_model = "{RETIRED}"\n')
        (root / "prices.toml").write_text(RETIRED_PRICE)
        with life_over(root, api) as life:
            life.ticks(11)
            check_halted_by_retired_model(life, api)
            assert len(life.told) == 1
            assert life.told[0].count(RETIRED) >= 1
            assert life.told[0].count("Halted, nothing is spent") == 1
            assert "provider.reasoning_model" in life.told[0]
        with life_over(root, api) as life:
            life.ticks(3)
            check_halted_by_retired_model(life, api)
            assert life.told == []


def check_halted_by_retired_model(life: Life, api: MessagesApi) -> None:
    assert [request.body["model"] for request in api.requests] == [RETIRED]
    state = life.state()
    assert state.name == "halted"
    assert RETIRED in state.reason
    assert "provider.reasoning_model" in state.reason
    halts = [e for e in events.list_after(life.services.db, 0) if e.kind == "halted"]
    assert len(halts) == 1
    assert life.services.budget.today().spent_micros == 0


def test_a_retired_routine_model_is_not_replaced_by_the_other_one(tmp_path: Path) -> None:
    """The plan is paid for; the attempt meets the 404, and the item waits for a person untouched.

    Reported as compdemocracy/polis#2584.
    """
    more = f'reasoning_model = "claude-sonnet-5-5"\nroutine_model = "{RETIRED}"\n'
    with MessagesApi(reply=write_reply) as api:
        root = workspace(tmp_path, api, more)
        (root / "prices.toml").write_text(RETIRED_PRICE)
        for agent in (root / "agents").glob("*.md"):
            agent.write_text(agent.read_text().replace("tier: reasoning", "tier: routine"))
        with life_over(root, api) as life:
            life.ticks(4)
            models = [request.body["model"] for request in api.requests]
            assert models == ["claude-sonnet-5-5", RETIRED]
            assert life.state().name == "halted"
            assert "provider.routine_model" in life.state().reason
            assert items.list_item_states(life.services.db) == {}


PERMANENT = [
    error(400, "invalid_request_error", "messages: something is wrong with this request"),
    error(401, "authentication_error", "invalid x-api-key"),
    error(403, "permission_error", "not allowed"),
    error(413, "request_too_large", "too large"),
    error(422, "invalid_request_error", "a field is missing"),
]


@pytest.mark.parametrize("step", PERMANENT, ids=lambda step: str(step.status))
def test_a_permanent_error_is_asked_for_once_also_after_restarts(
    tmp_path: Path, step: Step
) -> None:
    """The request is put aside after one try and kept for a person, over two restarts.

    Only a reset asks again: once more, and the halt is told a second time. Reported as
    openclaw/openclaw#33403 and ModelsLab/modelq#18.
    """
    with MessagesApi(reply=write_reply) as api:
        root = workspace(tmp_path, api)
        api.script(ORDINARY, *[step] * 50)
        told: list[str] = []
        for _ in range(3):
            with life_over(root, api) as life:
                life.ticks(5)
                told += life.told
                assert len(api.requests) == 2
                assert life.state().name == "halted"
        assert len(told) == 1
        with life_over(root, api) as life:
            (row,) = attempts_of_last_sprint(life.services)
            assert (row.state, row.output) == ("failed", None)
            assert f"({step.status})" in row.reason
            assert items.list_item_states(life.services.db) == {}
            reset_failures(life.services.db, NOON)
            life.ticks(5)
            assert len(api.requests) == 3
            assert life.state().name == "halted"


@pytest.mark.parametrize("status", [408, 429])
def test_a_timeout_and_a_limit_of_rate_are_not_permanent(tmp_path: Path, status: int) -> None:
    """Of the 4xx these two are tried again, as they ask for. Reported as openclaw/openclaw#33403."""
    kind = "rate_limit_error" if status == 429 else "timeout_error"
    with (
        MessagesApi(reply=write_reply) as api,
        services_over(workspace(tmp_path, api), key=api.api_key) as services,
    ):
        api.script(ORDINARY, error(status, kind, "later", retry_after="7"))
        assert run_sprint(services.sprint_parts).reason == "2 accepted"
        assert len(api.requests) == 4
