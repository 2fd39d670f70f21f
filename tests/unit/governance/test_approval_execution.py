"""What was approved has its effect once, whatever comes between, and only as it was approved."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.errors import Fault
from daemon.governance.policy_in_force import policy_of
from daemon.knowledge.action import Policy
from daemon.knowledge.manifest import parse_manifest
from daemon.ledger.entry import digest_of
from daemon.store import approvals as rows
from daemon.store.approvals import ApprovalRow
from tests.unit.governance.approval_desk import EMPTY_MAP, POST, UNBLOCK, Desk
from tests.workspaces import NOON

DENYING = b"""\
kcp_version: "0.32"
project: P
version: "1"
authority_level_scale: [observe, explain, suggest, prepare, commit]
agents:
  - id: approvals
    authority_level: commit
    action_scope:
      tools: [approval.execute]
      capabilities: [publish, post, raise_cap, unblock, resume, grant]
      deny: {capabilities: [unblock]}
      limits: {calls: 1}
units: []
"""
MESSAGE = "approval/A1/message"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path, channels=("slack",))
    made.block()
    yield made
    made.close()


def approve_only(desk: Desk, row: ApprovalRow) -> None:
    """The answer is kept, and the process ends before it is carried out."""
    with desk.gate.books.hold(), desk.db.immediate():
        seq = desk.gate.books.append(
            "approval",
            actor="slack:U1",
            tool=f"approval.{row.kind}",
            args_sha256=row.payload_sha256,
            targets=[f"approval:{row.id}"],
            verdict={"effect": "APPROVED", "gate": "approval", "reason": "", "final": 0},
        ).seq
        rows.decide(
            desk.db, row.id, "approved", by="U1", through="slack", seq=seq, now=desk.clock.now()
        )


def test_a_new_life_carries_out_once_what_was_approved_before_a_crash(desk: Desk) -> None:
    """Twice in a row and in the life after that: one message."""
    row = desk.approvals.ask(POST)
    approve_only(desk, row)
    desk.new_life()
    assert desk.approvals.execute_left() == 1
    assert desk.approvals.execute_left() == 0
    desk.new_life()
    assert desk.approvals.execute_left() == 0
    assert desk.waiting().count(MESSAGE) == 1
    assert desk.row().state == "done"
    assert desk.outcomes() == ["DONE"]
    assert desk.say(row).outcome == "already"


def test_what_fails_in_the_middle_leaves_nothing_half_done(desk: Desk) -> None:
    """The message and its record are gone together; the next life does all of it."""
    row = desk.approvals.ask(POST)
    with desk.without_ends():
        decision = desk.say(row)
    assert (decision.outcome, desk.row().state) == ("approved", "approved")
    assert MESSAGE not in desk.waiting()
    assert desk.outcomes() == ["FAILED"]
    desk.new_life()
    assert desk.approvals.execute_left() == 1
    assert desk.waiting().count(MESSAGE) == 1
    assert desk.outcomes() == ["FAILED", "DONE"]


def test_many_who_carry_out_at_once_have_one_effect(desk: Desk) -> None:
    """Threads of the inbox, the page and the worker: one finds it approved."""
    row = desk.approvals.ask(POST)
    approve_only(desk, row)
    threads = [threading.Thread(target=desk.approvals.execute_left) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert desk.waiting().count(MESSAGE) == 1
    assert desk.outcomes().count("DONE") == 1
    assert set(desk.outcomes()) <= {"DONE", "NOT DONE"}


def test_what_was_changed_after_the_yes_is_refused(desk: Desk) -> None:
    """Payload alone, or payload and digest together: the ledger knows what was approved."""
    other = {**POST.payload, "message": {"text": "Something else."}}
    for number, with_digest in enumerate((False, True), 1):
        row = desk.approvals.ask(POST)
        approve_only(desk, row)
        desk.tamper(other, row.id)
        if with_digest:
            with desk.db.immediate() as tx:
                values = (digest_of(other), row.id)
                tx.execute("UPDATE approval SET payload_sha256 = ? WHERE id = ?", values)
        assert desk.approvals.execute_left() == 1
        assert desk.row(row.id).state == "refused"
        assert desk.effects()[-1] == ("REFUSED", "daemon")
        assert len([key for key in desk.waiting() if key.startswith("incident/")]) == number
    assert not [key for key in desk.waiting() if key.endswith("/message")]
    assert "DONE" not in desk.outcomes()


def test_a_row_that_says_approved_by_itself_has_no_effect(desk: Desk) -> None:
    """Somebody writes `approved` into the database: the ledger has no yes to it."""
    desk.approvals.ask(POST)
    with desk.db.immediate() as tx:
        tx.execute("UPDATE approval SET state = 'approved', decided_seq = 1 WHERE id = 'A1'")
    assert desk.approvals.execute_left() == 1
    assert desk.row().state == "refused"
    assert MESSAGE not in desk.waiting()


def test_it_waits_while_nothing_at_all_can_be_done(desk: Desk) -> None:
    """A map with a fault denies everything; once it is mended what was approved is carried out."""
    sound = desk.policy
    desk.policy = Policy(faults=(Fault("knowledge.yaml", 3, "", "is broken"),))
    decision = desk.say(desk.approvals.ask(UNBLOCK))
    assert (decision.outcome, desk.row().state) == ("approved", "approved")
    assert "knowledge.yaml" in decision.words
    assert desk.is_blocked()
    assert desk.approvals.execute_left() == 0
    desk.policy = sound
    assert desk.approvals.execute_left() == 1
    assert not desk.is_blocked()


def test_a_final_denial_stays_one_though_a_person_approved(desk: Desk) -> None:
    """The map denies this kind: refused, written down, and the message says so."""
    desk.policy = policy_of(parse_manifest(DENYING, "knowledge.yaml"), [], NOON.date())
    decision = desk.say(desk.approvals.ask(UNBLOCK))
    assert desk.row().state == "refused"
    assert desk.is_blocked()
    assert "refused" in decision.words
    assert [effect for effect, _ in desk.effects()] == ["ASKED", "APPROVED", "REFUSED"]
    (ruled,) = desk.entries("decision")
    assert (ruled["verdict"]["effect"], ruled["verdict"]["final"]) == ("DENY", 1)
    assert desk.message("approval/A1/slack/decided").payload["facts"]["state"] == "refused"


def test_what_a_limit_holds_up_waits_for_the_next_day(desk: Desk) -> None:
    """One call a day: the second approval is carried out when its limit is new."""
    desk.policy = policy_of(parse_manifest(DENYING, "knowledge.yaml"), [], NOON.date())
    first, second = desk.approvals.ask(POST), desk.approvals.ask(POST)
    assert desk.say(first).row == desk.row("A1")
    desk.say(second)
    assert [desk.row(one.id).state for one in (first, second)] == ["done", "approved"]
    desk.new_life()
    assert desk.approvals.execute_left() == 1
    assert desk.row("A2").state == "done"


def test_the_shipped_scope_lets_every_kind_through_where_the_map_says_nothing() -> None:
    """A workspace of an earlier version needs no edit."""
    policy = policy_of(parse_manifest(EMPTY_MAP, "knowledge.yaml"), [], NOON.date())
    (scope,) = policy.scopes_of("approvals")
    assert scope.tools == {"approval.execute"}
    assert scope.capabilities == {"publish", "post", "raise_cap", "unblock", "resume", "grant"}
