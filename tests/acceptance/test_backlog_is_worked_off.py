"""The main job: the sample's backlog, worked sprint after sprint to its end."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from daemon.bootstrap import Services
from daemon.clock import ManualClock
from daemon.sprint.runner import current_board, run_sprint
from daemon.store import attempts, findings, sprints, texts
from tests.briefs import quoted_sentences
from tests.standins.messages_api import MessagesApi, Served
from tests.standins.researcher import write_reply
from tests.workspaces import NOON, claude_config, copy_sample, services_over

WAITING = {"T34", "T35", "T36", "T37"}
PRICES = {  # USD per million tokens, input and output
    "claude-sonnet-5-5": (Decimal(2), Decimal(10)),
    "claude-haiku-5-5": (Decimal("0.10"), Decimal("0.50")),
}
REFUSAL = "I'm sorry, but I can't help with that request."


@contextmanager
def offline(root: Path) -> Iterator[Services]:
    with services_over(copy_sample(root)) as services:
        yield services


@contextmanager
def with_claude(root: Path) -> Iterator[Services]:
    with (
        MessagesApi(reply=write_reply) as api,
        services_over(copy_sample(root, claude_config(api.base_url)), key=api.api_key) as services,
    ):
        yield services


def work_off(services: Services) -> None:
    """Sprints at their interval until nothing is eligible; a day of sprints is far more than enough."""
    parts = services.sprint_parts
    for _ in range(100):
        if not current_board(parts, parts.source.load()).eligible:
            return
        run_sprint(parts)
        assert isinstance(services.clock, ManualClock)
        services.clock.advance(timedelta(minutes=15))
    raise AssertionError("the backlog was not worked off in 100 sprints")


def standings(services: Services) -> dict[str, str]:
    parts = services.sprint_parts
    board = current_board(parts, parts.source.load())
    return {entry.item.id: entry.standing for entry in board.entries}


@pytest.fixture(params=[offline, with_claude], ids=["extractive", "claude"])
def services(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Services]:
    with request.param(tmp_path / "venture") as built:
        yield built


def test_thirty_three_items_are_done_and_four_wait(services: Services) -> None:
    """With either provider: 33 of 37 done, the four that wait for outside events untouched."""
    work_off(services)
    stood = standings(services)
    assert {item for item, standing in stood.items() if standing == "waiting"} == WAITING
    assert sum(standing == "done" for standing in stood.values()) == 33
    assert len(findings.list_findings(services.db)) == 33
    for item in stood:
        tries = attempts.list_for_item(services.db, item)
        assert len(tries) <= 3
        assert not (tries and item in WAITING), "an item that waits must cost nothing"


def test_every_finding_is_a_file_with_its_sources(services: Services) -> None:
    """A finding names in its front matter what it rests on, and the store knows its path."""
    run_sprint(services.sprint_parts)
    kept = findings.list_findings(services.db)
    assert len(kept) == 2
    for row in kept:
        text = (services.root / row.path).read_text()
        assert row.path.startswith(f"memory/findings/{row.criterion}/{row.item}")
        assert f"item: {row.item}" in text.replace('"', "")
        assert row.sources
        assert all(source in text for source in row.sources)


def test_an_idle_daemon_asks_no_model(services: Services) -> None:
    """With nothing eligible, a sprint ends as no_work and no call is made."""
    work_off(services)
    before = services.db.row("SELECT count(*) AS calls FROM api_calls")
    assert run_sprint(services.sprint_parts).state == "no_work"
    assert services.db.row("SELECT count(*) AS calls FROM api_calls") == before


def test_every_offline_sentence_stands_in_a_loaded_note(tmp_path: Path) -> None:
    """What the offline writer delivers is quoted word for word from what it was given."""
    with offline(tmp_path / "venture") as services:
        work_off(services)
        judged = 0
        for row in findings.list_findings(services.db):
            attempt = attempts.find_attempt(services.db, row.attempt_id)
            assert attempt is not None
            given = [texts.find_text(services.db, s["sha256"]) for s in attempt.prompt["sources"]]
            notes = " ".join(" ".join((text or "").split()) for text in given)
            for sentence in quoted_sentences(attempt.output or ""):
                assert " ".join(sentence.split()) in notes
                judged += 1
        assert judged > 300
        assert services.budget.today().spent_micros == 0


def test_the_cost_equals_the_tokens_that_were_served(tmp_path: Path) -> None:
    """Every call is priced by the tokens of its reply, to the micro-dollar; also the rejected ones."""
    replies = RejectedFirst()
    with MessagesApi(reply=replies) as api:
        root = copy_sample(tmp_path / "venture", claude_config(api.base_url))
        with services_over(root, key=api.api_key) as services:
            work_off(services)
            expected = sum(bill(served) for served in api.served)
            assert services.budget.today().spent_micros == expected
            assert services.budget.today().reserved_micros == 0
            assert sum(s == "done" for s in standings(services).values()) == 33
            assert replies.refused > 5
        asked = [request.body for request in api.requests]
        attempted = [body for body in asked if "# Task" in str(body["messages"][0]["content"])]
        assert len(attempted) > 33
        assert not any(body.get("tools") for body in attempted), "only planning has tools"


def bill(served: Served) -> int:
    """Micro-dollars for one reply, rounded up: a USD per million tokens is a micro-dollar a token."""
    per_input, per_output = PRICES[served.model]
    return math.ceil(served.input_tokens * per_input + served.output_tokens * per_output)


class RejectedFirst:
    """A model that refuses the first time for every third item, and then works."""

    def __init__(self) -> None:
        self.refused = 0
        self._seen: set[str] = set()

    def __call__(self, request: dict[str, Any]) -> str:
        user = request["messages"][0]["content"]
        task = user.split(":", 1)[0]
        if task.startswith("# Task T") and int(task[-2:]) % 3 == 0 and task not in self._seen:
            self._seen.add(task)
            self.refused += 1
            return REFUSAL
        return write_reply(request)


def test_a_rejection_tells_the_next_attempt_why(tmp_path: Path) -> None:
    """The reasons of the last rejection stand in the next attempt's prompt."""
    with MessagesApi(reply=RejectedFirst()) as api:
        root = copy_sample(tmp_path / "venture", claude_config(api.base_url))
        with services_over(root, key=api.api_key) as services:
            work_off(services)
            rejected = [r for r in attempts_of(services) if r.state == "rejected"]
            assert rejected
            for row in rejected:
                reasons = [d["message"] for d in (row.verdict or {})["defects"] if d["rejects"]]
                asked_again = [
                    text
                    for request in api.requests
                    if (text := request.body["messages"][0]["content"]).startswith(
                        f"# Task {row.item}:"
                    )
                ][1:]
                assert asked_again
                assert all(reason in asked_again[0] for reason in reasons)


def test_the_third_rejection_blocks_the_item_for_a_human(tmp_path: Path) -> None:
    """A model that only refuses: three attempts an item, then blocked; three such sprints halt."""
    with MessagesApi(reply=lambda r: write_reply(r) if "output_config" in r else REFUSAL) as api:
        config = claude_config(api.base_url, "[sprint]\nfailures_before_diagnosis = 20\n")
        root = copy_sample(tmp_path / "venture", config)
        with services_over(root, key=api.api_key) as services:
            for _ in range(12):
                run_sprint(services.sprint_parts)
            tried = {row.item: len(attempts.list_for_item(services.db, row.item))
                     for row in attempts_of(services)}  # fmt: skip
            assert max(tried.values()) == 3
            stood = standings(services)
            assert all(stood[item] == "blocked" for item, number in tried.items() if number == 3)


def attempts_of(services: Services) -> list[attempts.AttemptRow]:
    found: list[attempts.AttemptRow] = []
    for sprint in sprints.list_sprints(services.db, 1000):
        found += attempts.list_for_sprint(services.db, sprint.id)
    return found


def test_the_model_plans_where_there_is_a_choice(tmp_path: Path) -> None:
    """The orchestrator's JSON plan is asked for with a schema and used as given."""
    with MessagesApi(reply=write_reply) as api:
        root = copy_sample(tmp_path / "venture", claude_config(api.base_url))
        with services_over(root, key=api.api_key) as services:
            end = run_sprint(services.sprint_parts)
            row = sprints.find_sprint(services.db, end.sprint_id)
            assert row is not None
            assert row.plan is not None
            assert row.plan["planner"] == "model"
            asked = api.requests[0].body
            assert asked["output_config"]["format"]["type"] == "json_schema"
            assert json.dumps(asked).count("usual_agent") > 2


def test_a_plan_that_stays_wrong_is_replaced_by_the_rules(tmp_path: Path) -> None:
    """One repair with the faults named, then the deterministic planner, which says so."""

    def reply(request: dict[str, Any]) -> str:
        return '{"assignments": []}' if "output_config" in request else write_reply(request)

    with MessagesApi(reply=reply) as api:
        root = copy_sample(tmp_path / "venture", claude_config(api.base_url))
        with services_over(root, key=api.api_key) as services:
            end = run_sprint(services.sprint_parts)
            row = sprints.find_sprint(services.db, end.sprint_id)
            assert row is not None
            assert row.plan is not None
            assert row.plan["planner"] == "rules"
            assert "2 assignments are wanted, 0 were given" in row.plan["note"]
            assert end.state == "completed"
            assert NOON.date() == services.budget.today().day


def test_the_cap_pauses_the_sprint_and_the_item_goes_back(tmp_path: Path) -> None:
    """A refused reservation ends the sprint as paused_budget, before any request is made."""
    with MessagesApi(reply=write_reply) as api:
        config = claude_config(api.base_url, "[budget]\ndaily_cap_usd = 0.01\n")
        root = copy_sample(tmp_path / "venture", config)
        with services_over(root, key=api.api_key) as services:
            end = run_sprint(services.sprint_parts)
            assert end.state == "paused_budget"
            assert "0.01 USD" in end.reason
            assert not api.requests
            assert set(standings(services).values()) == {"eligible", "waiting"}
