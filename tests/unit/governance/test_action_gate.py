"""Every action has a durable entry in the ledger before it happens, and an outcome after it."""

from __future__ import annotations

import json
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from daemon.clock import ManualClock
from daemon.errors import Fault
from daemon.governance.action_gate import ActionGate, Call, Refused
from daemon.governance.ledger_in_use import LedgerInUse, accept_ledger, known_end
from daemon.knowledge.action import ActionScope, Limits, Policy, Ruling, digest
from daemon.knowledge.tools import TOOLS
from daemon.store import grants
from daemon.store.database import Database, open_database
from tests.workspaces import NOON

SCOPE = ActionScope(
    "t.sprint",
    frozenset({"sprint"}),
    tools=frozenset({"memory.write", "message.send"}),
    writes=("memory/findings/",),
    capabilities=frozenset({"slack"}),
    hosts=frozenset({"slack.com"}),
    limits=Limits(calls=3, writes=3),
    level="commit",
)
POLICY = Policy(
    {SCOPE.id: SCOPE}, TOOLS, manifest_sha256="a" * 64, scope_sha256="b" * 64
)  # fmt: skip
ASKING = Policy(
    {SCOPE.id: ActionScope(**{**vars(SCOPE), "asks": frozenset({"write"})})}, TOOLS
)  # fmt: skip


class Desk:
    """A gate over a real ledger and a real database, and what was done behind it."""

    def __init__(self, folder: Path, policy: Policy = POLICY) -> None:
        self.state, self.policy = folder / "state", policy
        self.db: Database = open_database(self.state / "sprintd.db")
        self.clock = ManualClock(NOON)
        self.done: list[str] = []
        self.gate = self.new_gate()

    def new_gate(self) -> ActionGate:
        """As the next life has it."""
        books = LedgerInUse(self.state, self.db, self.clock)
        return ActionGate(books, lambda: self.policy, self.db, self.clock)

    def write(self, path: str = "memory/findings/a.md", **more: Any) -> str | Refused:
        return self.gate.perform(write_call(path), lambda: self._do(path), sprint=1, **more)

    def entries(self, *types: str) -> list[dict[str, Any]]:
        lines = (self.state / "ledger/log.jsonl").read_text().splitlines()
        found = [json.loads(line) for line in lines]
        return [one for one in found if one["type"] in (types or ("decision", "outcome"))]

    def _do(self, path: str) -> str:
        self.done.append(path)
        return f"wrote {path}"


def write_call(path: str = "memory/findings/a.md", actor: str = "sprint") -> Call:
    return Call(actor, "memory.write", lambda: {"path": path, "content_sha256": "c" * 64})


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.gate.close()
    made.db.close()


@contextmanager
def full_disk(log: Path) -> Iterator[None]:
    """No file may grow beyond what the log has now: the kernel refuses as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (log.stat().st_size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_the_decision_is_in_the_ledger_before_the_action_and_the_outcome_after_it(
    desk: Desk,
) -> None:
    """Seen from inside the action: the decision stands there, and no outcome yet."""
    seen: list[list[str]] = []

    def do() -> str:
        seen.append([one["type"] for one in desk.entries()])
        return "done"

    assert desk.gate.perform(write_call(), do, sprint=7) == "done"
    assert seen == [["decision"]]
    decision, outcome = desk.entries()
    assert decision["verdict"]["effect"] == "ALLOW"
    assert outcome["verdict"]["effect"] == "DONE"
    assert outcome["ref"] == decision["seq"]
    assert outcome["action"] == decision["action"]
    assert decision["policy"] == {"manifest_sha256": "a" * 64, "scope_sha256": "b" * 64}
    assert {decision["sprint"], outcome["sprint"]} == {7}


def test_an_action_that_fails_has_its_outcome_too(desk: Desk) -> None:
    """The error goes on to whoever asked; the ledger has its kind, not its words."""

    def fail() -> None:
        raise RuntimeError("a secret")

    with pytest.raises(RuntimeError, match="a secret"):
        desk.gate.perform(write_call(), fail)
    (outcome,) = desk.entries("outcome")
    assert outcome["verdict"]["effect"] == "FAILED"
    assert outcome["verdict"]["reason"] == "RuntimeError was raised"


def test_a_result_that_says_nothing_happened_is_an_outcome_of_its_own(desk: Desk) -> None:
    """As when the budget refuses a call that the policy allowed."""
    desk.write(not_done=lambda _result: "no money")
    (outcome,) = desk.entries("outcome")
    assert (outcome["verdict"]["effect"], outcome["verdict"]["reason"]) == ("NOT DONE", "no money")


def test_a_refusal_is_a_value_and_stands_in_the_ledger(desk: Desk) -> None:
    """Nothing is done, and there is no outcome of what did not happen."""
    refused = desk.write("memory/pricing/a.md")
    assert isinstance(refused, Refused)
    assert refused.message == "sprint may not write memory/pricing/a.md with memory.write"
    assert refused.as_refusal().reason == "policy"
    assert not desk.done
    (decision,) = desk.entries()
    assert decision["verdict"]["effect"] == "DENY"
    assert decision["verdict"]["gate"] == "paths"
    assert decision["action"]["targets"] == ["write:memory/pricing/a.md"]


@pytest.mark.parametrize(
    ("actor", "tool", "arguments"),
    [
        ("sprint", "shell", {"command": "rm"}),
        ("sprint", "memory.write", {"path": "memory/findings/a.md", "content": "x"}),
        ("sprint", "memory.write", {"path": 5, "content_sha256": "c" * 64}),
        ("sprint", "memory.write", {"path": "../../etc/passwd", "content_sha256": "c" * 64}),
        ("sprint", "memory.write", {"path": "state/keys/k", "content_sha256": "c" * 64}),
        ("nobody", "memory.write", {"path": "memory/findings/a.md", "content_sha256": "c" * 64}),
        ("sprint\n" * 90_000, "x" * 90_000, {"y" * 90_000: "z" * 90_000}),
        ("sprint", "memory.write", {"path": "memory/" + "\ud800" * 9, "content_sha256": "c" * 64}),
        ("sprint", "memory.write", {"path": "a" * 90_000, "content_sha256": "c" * 64}),
    ],
)
def test_whatever_is_asked_for_is_refused_and_recorded(
    desk: Desk, actor: str, tool: str, arguments: dict[str, object]
) -> None:
    """Unknown tools and parameters, wrong types, and names of any length."""
    refused = desk.gate.perform(Call(actor, tool, lambda: arguments), lambda: desk.done.append(""))
    assert isinstance(refused, Refused)
    assert refused.by == "action"
    assert not desk.done
    assert [one["verdict"]["effect"] for one in desk.entries()] == ["DENY"]


def test_arguments_that_changed_after_the_check_are_not_executed(desk: Desk) -> None:
    """What is executed is what was approved, by its digest; the outcome says which digest it was."""
    given: list[dict[str, object]] = [{"path": "memory/findings/a.md", "content_sha256": "c" * 64}]
    later = {"path": "memory/findings/a.md", "content_sha256": "d" * 64}
    taken = iter([given[0], later, later])
    call = Call("sprint", "memory.write", lambda: next(taken))
    refused = desk.gate.perform(call, lambda: desk.done.append("x"))
    assert isinstance(refused, Refused)
    assert refused.ruling.gate == "digest"
    assert not desk.done
    decision, outcome = desk.entries()
    assert outcome["verdict"]["effect"] == "REFUSED"
    assert outcome["action"]["args_sha256"] != decision["action"]["args_sha256"]


def test_arguments_that_change_while_the_action_runs_are_found_too(desk: Desk) -> None:
    """The digest is taken again afterwards."""
    given: dict[str, object] = {"path": "memory/findings/a.md", "content_sha256": "c" * 64}
    call = Call("sprint", "memory.write", lambda: dict(given))
    found = desk.gate.perform(call, lambda: given.update(content_sha256="e" * 64))
    assert isinstance(found, Refused)
    assert desk.entries("outcome")[0]["verdict"]["effect"] == "REFUSED"


def test_what_only_the_caller_knows_can_refuse_as_well(desk: Desk) -> None:
    """It is asked after the policy, and its ruling is the one that is recorded."""
    no = Ruling("DENY", "audience", "not for you", final=False)
    refused = desk.write(further=lambda: no)
    assert isinstance(refused, Refused)
    assert desk.entries()[0]["verdict"]["gate"] == "audience"


def test_a_policy_with_a_fault_refuses_everything(desk: Desk) -> None:
    """The trouble names file and line, for whoever is told."""
    fault = Fault("knowledge.yaml", 12, "agents", "is wrong")
    desk.policy = Policy(faults=(fault,))
    refused = desk.write()
    assert isinstance(refused, Refused)
    assert refused.by == "policy"
    assert not desk.done
    trouble = desk.gate.trouble()
    assert trouble
    assert "knowledge.yaml:12" in trouble.message


def test_a_full_disk_lets_nothing_happen_and_then_goes_on(desk: Desk) -> None:
    """No durable decision, no action; nothing is lost, and the trouble ends with its cause."""
    desk.write()
    log = desk.state / "ledger/log.jsonl"
    with full_disk(log):
        refused = desk.write("memory/findings/b.md")
        assert isinstance(refused, Refused)
        assert refused.by == "ledger"
        assert refused.as_refusal().reason == "ledger"
        assert "nothing is done without an entry in the ledger" in refused.message
    assert desk.done == ["memory/findings/a.md"]
    assert desk.gate.trouble() is None
    assert desk.write("memory/findings/b.md") == "wrote memory/findings/b.md"
    assert [one["type"] for one in desk.entries()] == ["decision", "outcome"] * 2


def test_an_outcome_that_could_not_be_written_is_written_before_the_next_decision(
    desk: Desk,
) -> None:
    """The disk fills up while the action runs: its result counts, and its outcome follows."""
    desk.write()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    log = desk.state / "ledger/log.jsonl"

    def do() -> str:
        resource.setrlimit(resource.RLIMIT_FSIZE, (log.stat().st_size, before[1]))
        return "done"

    try:
        assert desk.gate.perform(write_call("memory/findings/b.md"), do) == "done"
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    desk.write("memory/findings/c.md")
    found = [(one["type"], one["ref"]) for one in desk.entries()]
    decisions = [one["seq"] for one in desk.entries("decision")]
    assert [ref for kind, ref in found if kind == "outcome"] == decisions
    assert found[3][0] == "outcome"


def test_a_ledger_that_is_no_folder_lets_nothing_happen(tmp_path: Path) -> None:
    """A file in its place, as after a botched restore; the words name it."""
    desk = Desk(tmp_path)
    (desk.state / "ledger").write_text("in the way")
    refused = desk.write()
    assert isinstance(refused, Refused)
    assert refused.by == "ledger"
    trouble = desk.gate.trouble()
    assert trouble
    assert "ledger" in trouble.message
    assert not desk.done
    desk.db.close()


def test_a_grant_that_nobody_gave_is_none(desk: Desk) -> None:
    """Somebody wrote it into the database; what a person really gave is in test_proven."""
    desk.policy = ASKING
    action = write_call().action(ASKING)
    assert not isinstance(action, Ruling)
    grants.give(desk.db, digest(action), "approval", "commit", by="slack:U1 (A1)", now=NOON)
    assert isinstance(desk.write(), Refused)
    assert not desk.done


def test_a_limit_is_for_one_sprint(desk: Desk) -> None:
    """Three calls in a sprint, and three in the next one."""
    for number in range(3):
        assert not isinstance(desk.write(f"memory/findings/{number}.md"), Refused)
    refused = desk.write()
    assert isinstance(refused, Refused)
    assert refused.ruling.gate == "limits"
    assert desk.gate.perform(write_call(), lambda: "ok", sprint=2) == "ok"


def test_what_failed_uses_nothing_of_a_limit(desk: Desk) -> None:
    """A write that the disk refuses is tried again and again, until it can be done."""

    def fail() -> None:
        raise OSError("no space")

    for _ in range(5):
        with pytest.raises(OSError, match="no space"):
            desk.gate.perform(write_call(), fail, sprint=1)
    desk.write(not_done=lambda _result: "not now")
    for number in range(3):
        assert not isinstance(desk.write(f"memory/findings/{number}.md"), Refused)
    assert isinstance(desk.write(), Refused)


def test_a_refusal_uses_nothing_of_a_limit(desk: Desk) -> None:
    """What did not happen is not counted."""
    for _ in range(5):
        desk.write("memory/pricing/a.md")
    assert not isinstance(desk.write(), Refused)


def test_what_leaves_for_another_host_is_signed_for_first(desk: Desk) -> None:
    """The end of the log is anchored before the message goes; a write to memory needs none."""
    desk.write()
    assert known_end(desk.db) is None
    seen: list[int] = []

    def send() -> str:
        end = known_end(desk.db)
        assert end
        seen.append(end.size)
        return "sent"

    facts = {"channel": "slack", "host": "slack.com", "key": "k", "content_sha256": "c" * 64}
    assert desk.gate.perform(Call("sprint", "message.send", lambda: facts), send) == "sent"
    decision = desk.entries("decision")[-1]
    assert seen == [decision["seq"] + 1]


def leave_open(desk: Desk) -> None:
    """The process ends inside of the action: no outcome, as after kill -9."""
    whole = (desk.state / "ledger/log.jsonl").read_bytes

    def do() -> bytes:
        return whole()

    before = desk.gate.perform(write_call(), do)
    assert isinstance(before, bytes)
    desk.gate.close()
    (desk.state / "ledger/log.jsonl").write_bytes(before)
    for kept in (desk.state / "ledger/checkpoints").iterdir():
        kept.unlink()
    (desk.state / "ledger/frontier.json").unlink()


def test_a_decision_without_an_outcome_is_closed_once_by_the_next_life(desk: Desk) -> None:
    """As unknown: nobody knows whether it happened. A second recovery changes nothing."""
    leave_open(desk)
    desk.gate = desk.new_gate()
    assert len(desk.gate.recover()) == 1
    (recovery,) = desk.entries("recovery")
    assert recovery["ref"] == desk.entries("decision")[0]["seq"]
    assert recovery["verdict"]["effect"] == "UNKNOWN"
    assert desk.gate.recover() == []
    desk.gate.close()
    desk.gate = desk.new_gate()
    assert desk.gate.recover() == []
    assert len(desk.entries("recovery")) == 1


def test_a_recovery_leaves_actions_of_this_life_alone(desk: Desk) -> None:
    """A message may be leaving while a sprint that was cut off is taken up."""
    said: list[list[str]] = []
    desk.gate.perform(write_call(), lambda: said.append(desk.gate.recover()))
    assert said == [[]]
    assert [one["type"] for one in desk.entries("decision", "outcome", "recovery")] == [
        "decision",
        "outcome",
    ]


@pytest.mark.parametrize("damage", ["cut", "emptied", "replaced"])
def test_a_ledger_that_is_shorter_than_it_was_lets_nothing_happen(desk: Desk, damage: str) -> None:
    """Also where its own checkpoints and key were taken away with it: the database remembers."""
    desk.write()
    first = (desk.state / "ledger/log.jsonl").read_bytes()
    desk.write("memory/findings/b.md")
    assert desk.gate.checkpoint() is None
    desk.gate.close()
    (desk.state / "ledger").rename(desk.state / "away")
    if damage == "replaced":
        (desk.state / "keys").rename(desk.state / "keys-away")
    else:
        (desk.state / "ledger").mkdir(mode=0o700)
        content = first if damage == "cut" else b""
        (desk.state / "ledger/log.jsonl").write_bytes(content)
    desk.gate = desk.new_gate()
    refused = desk.write("memory/findings/c.md")
    assert isinstance(refused, Refused)
    assert refused.by == "ledger"
    assert desk.gate.trouble()
    assert "memory/findings/c.md" not in desk.done


def test_a_person_can_accept_a_ledger_that_begins_anew(desk: Desk) -> None:
    """Where the log is lost for good: what was known of it is given back, and work goes on."""
    desk.write()
    desk.gate.checkpoint()
    desk.gate.close()
    (desk.state / "ledger").rename(desk.state / "away")
    (desk.state / "keys").rename(desk.state / "keys-away")
    desk.gate = desk.new_gate()
    assert desk.gate.trouble()
    forgotten = accept_ledger(desk.db)
    assert forgotten
    assert forgotten.size >= 2
    assert desk.gate.trouble() is None
    assert not isinstance(desk.write(), Refused)


def test_a_judgement_without_an_action_leaves_no_trace(desk: Desk) -> None:
    """`allows` is for choosing what to show."""
    judged: list[Callable[[], bool]] = [
        lambda: desk.gate.allows(write_call()),
        lambda: desk.gate.allows(write_call("memory/pricing/a.md")),
    ]
    assert [ask() for ask in judged] == [True, False]
    assert not (desk.state / "ledger").exists()
    assert desk.gate.tools_of("sprint") == {"memory.write", "message.send"}
    assert desk.gate.tools_of("nobody") == frozenset()


def test_what_could_not_be_signed_for_does_not_leave_and_that_is_its_outcome(desk: Desk) -> None:
    """A file stands where the checkpoints belong. Nothing is sent and no limit is used up; the same
    life sends it when it can."""
    desk.write()
    kept, away = desk.state / "ledger/checkpoints", desk.state / "ledger/away"
    kept.rename(away)
    kept.write_text("in the way")
    facts = {"channel": "slack", "host": "slack.com", "key": "k", "content_sha256": "c" * 64}
    message = Call("sprint", "message.send", lambda: facts)
    sent: list[str] = []

    def send() -> str:
        sent.append("sent")
        return "sent"

    for _ in range(5):
        refused = desk.gate.perform(message, send, sprint=1)
        assert isinstance(refused, Refused)
        assert refused.by == "ledger"
    assert not sent
    decisions = [one["seq"] for one in desk.entries("decision")]
    assert [one["ref"] for one in desk.entries("outcome")] == decisions
    assert {one["verdict"]["effect"] for one in desk.entries("outcome")[1:]} == {"NOT DONE"}
    kept.unlink()
    away.rename(kept)
    assert desk.gate.perform(message, send, sprint=1) == "sent"


def test_an_outcome_of_any_length_holds_up_no_later_action(desk: Desk) -> None:
    """What a service said is cut, so the entry always fits and nothing waits behind it for ever."""
    desk.gate.perform(write_call(), lambda: "x", not_done=lambda _result: "\u2028" * 100_000)
    (outcome,) = desk.entries("outcome")
    assert outcome["verdict"]["effect"] == "NOT DONE"
    assert desk.write() == "wrote memory/findings/a.md"
