"""What a model call and a message tell the action gate, and what becomes of a refusal."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from daemon.clock import ManualClock
from daemon.config.sections import Config
from daemon.errors import SendLater, SendRefused, SendUncertain
from daemon.governance.acting import call_model, message_sender
from daemon.governance.action_gate import ActionGate
from daemon.governance.budget import Caller, Refusal
from daemon.governance.calls import PaidCall
from daemon.governance.ledger_in_use import LedgerInUse
from daemon.governance.policy_in_force import policy_of
from daemon.knowledge.action import Policy
from daemon.knowledge.manifest import parse_manifest
from daemon.ledger.reading import read_raw
from daemon.llm.provider import Completion, Prompt, Usage
from daemon.store import outbox
from daemon.store.database import Database, open_database
from daemon.store.outbox import OutboxRow
from tests.workspaces import NOON

MAP = b'kcp_version: "0.32"\nproject: P\nversion: "1"\nunits: []\n'
REPLY = Completion("text", "claude-haiku-5-5", Usage(1, 1), "end_turn")


class Desk:
    def __init__(self, folder: Path) -> None:
        self.state = folder / "state"
        self.db: Database = open_database(self.state / "sprintd.db")
        self.policy: Policy = policy_of(parse_manifest(MAP, "knowledge.yaml"), ["ana"], NOON.date())
        clock = ManualClock(NOON)
        books = LedgerInUse(self.state, self.db, clock)
        self.gate = ActionGate(books, lambda: self.policy, self.db, clock)

    def call(self, caller: Caller, answer: Completion | Refusal = REPLY) -> Completion | Refusal:
        prompt = Prompt("claude-haiku-5-5", "s", "u", 100)
        return call_model(self.gate, PaidCall("k", prompt, caller), "claude", 900, lambda: answer)

    def entries(self) -> list[dict[str, Any]]:
        found = [json.loads(line) for line in read_raw(self.state / "ledger")]
        return [one for one in found if one["type"] != "key"]

    def row(self, channel: str) -> OutboxRow:
        outbox.enqueue(
            self.db, key=f"m/{channel}", channel=channel, payload={"text": "hello"}, now=NOON
        )
        found = outbox.find_head(self.db, channel)
        assert found
        return found


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.gate.close()
    made.db.close()


@pytest.mark.parametrize(
    ("caller", "actor"),
    [
        (Caller("attempt", sprint_id=3, item="T1", agent="ana"), "ana"),
        (Caller("diagnosis", sprint_id=3), "diagnosis"),
        (Caller("judge", sprint_id=3, item="T1"), "sprint"),
    ],
)
def test_a_model_call_is_made_by_a_named_actor(desk: Desk, caller: Caller, actor: str) -> None:
    """Vendor and amount are what the scopes are asked about."""
    assert desk.call(caller) == REPLY
    decision, outcome = desk.entries()
    assert decision["actor"] == actor
    assert decision["action"]["targets"] == ["vendor:claude", "spend:900"]
    assert decision["sprint"] == 3
    assert outcome["verdict"]["effect"] == "DONE"


def test_a_call_that_the_budget_refused_was_not_done(desk: Desk) -> None:
    """The policy allowed it, and the outcome says why nothing was asked."""
    refusal = Refusal("cap", "the daily cap would be exceeded")
    assert desk.call(Caller("attempt", agent="ana"), refusal) is refusal
    assert desk.entries()[1]["verdict"]["reason"] == "the daily cap would be exceeded"


def test_a_call_that_the_policy_refuses_is_a_refusal_like_that_of_the_budget(desk: Desk) -> None:
    """Whoever asked need not know which of the gates said no."""
    answer = desk.call(Caller("attempt", agent="stranger"))
    assert isinstance(answer, Refusal)
    assert answer.reason == "policy"


def sender(desk: Desk, **urls: str) -> Callable[[OutboxRow, str, Callable[[], str]], str]:
    config = Config()
    slack = config.slack.model_copy(update={"base_url": urls.get("slack", "")})
    notion = config.notion.model_copy(update={"base_url": urls.get("notion", "")})
    return message_sender(desk.gate, config.model_copy(update={"slack": slack, "notion": notion}))


@pytest.mark.parametrize(
    ("channel", "url", "targets"),
    [
        ("slack", "", ["capability:slack", "host:slack.com"]),
        ("notion", "", ["capability:notion", "host:api.notion.com"]),
        ("slack", "http://127.0.0.1:8123/api/", ["capability:slack"]),
    ],
)
def test_a_message_names_its_channel_and_the_host_that_it_goes_to(
    desk: Desk, channel: str, url: str, targets: list[str]
) -> None:
    """On this machine there is no host: nothing leaves."""
    row = desk.row(channel)
    assert sender(desk, **{channel: url})(row, row.key, lambda: "id") == "id"
    assert desk.entries()[0]["action"]["targets"] == targets


def test_an_address_of_the_operators_own_must_be_named_by_the_scope(desk: Desk) -> None:
    """The message waits; it is not lost, and nothing was sent."""
    row, sent = desk.row("slack"), list[str]()
    act = sender(desk, slack="https://relay.example.org/api/")
    with pytest.raises(SendLater, match=r"may not reach relay\.example\.org"):
        act(row, row.key, lambda: sent.append("x") or "id")
    assert not sent


def test_a_sender_that_fails_fails_as_before(desk: Desk) -> None:
    """Its own error goes on, so that the outbox looks the message up."""
    row = desk.row("slack")

    def fail() -> str:
        raise SendUncertain("the line broke")

    with pytest.raises(SendUncertain):
        sender(desk)(row, row.key, fail)
    assert desk.entries()[1]["verdict"]["effect"] == "FAILED"


def test_another_text_is_another_action(desk: Desk) -> None:
    """The digest covers the payload."""
    row = desk.row("slack")
    act = sender(desk)
    act(row, row.key, lambda: "id")
    act(replace(row, payload={"text": "other"}), row.key, lambda: "id")
    digests = [one["action"]["args_sha256"] for one in desk.entries() if one["type"] == "decision"]
    assert len(set(digests)) == 2


def test_a_message_for_another_place_leaves_only_with_its_permit(desk: Desk) -> None:
    """Set aside at once, with the reason in the ledger; nobody was asked to send it."""
    send = message_sender(desk.gate, Config())
    sent: list[str] = []
    row = desk.row("slack")
    for payload in ({"text": "hello", "to": "C9"}, {"text": "hello", "approval": "A1"}):
        with pytest.raises(SendRefused, match="takes a person's approval"):
            send(replace(row, payload=payload), "k", lambda: sent.append("sent") or "1")
    assert sent == []
    assert [one["verdict"]["gate"] for one in desk.entries()] == ["permit", "permit"]
    assert {one["type"] for one in desk.entries()} == {"decision"}
