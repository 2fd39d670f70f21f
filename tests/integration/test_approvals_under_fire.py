"""Decisions on a disk that is full, by processes that are killed, beside each other, and at the last second."""

from __future__ import annotations

import os
import resource
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from multiprocessing import get_context
from pathlib import Path

import pytest

from daemon.errors import StoreError
from daemon.governance.approval_standing import standing_of
from daemon.store import outbox
from tests.unit.governance.approval_desk import POST, UNBLOCK, Desk

KEY = "approval/A1/message"
FORK = get_context("fork")


@contextmanager
def files_up_to(size: int) -> Iterator[None]:
    """No file of this process can grow beyond so many bytes, as on a disk that is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    built = Desk(tmp_path, ("slack",))
    yield built
    built.close()


def size_of(desk: Desk, name: str) -> int:
    return (desk.state / name).stat().st_size


def sent(desk: Desk) -> int:
    return len([row for row in outbox.list_open(desk.db) if row.key == KEY])


def killed(do: Callable[[], object]) -> None:
    """`do` in a process of its own, which is gone in the middle of it."""
    process = FORK.Process(target=do)
    process.start()
    process.join(20)
    assert process.exitcode == -signal.SIGKILL


def test_a_full_disk_at_the_ledger_decides_nothing_and_the_next_press_does(desk: Desk) -> None:
    """No half a line is left in it that would be taken for damage."""
    row = desk.approvals.ask(POST)
    with files_up_to(size_of(desk, "ledger/log.jsonl") + 10), pytest.raises(StoreError):
        desk.say(row)
    assert (desk.row().state, sent(desk)) == ("pending", 0)
    desk.gate.close()
    desk.new_life()
    assert desk.say(row).outcome == "approved"
    assert (desk.row().state, sent(desk)) == ("done", 1)


def test_a_full_disk_at_the_database_leaves_an_answer_that_came_to_nothing(desk: Desk) -> None:
    """The ledger has it already; the question waits on, and the last answer counts."""
    row = desk.approvals.ask(POST)
    wal = size_of(desk, "sprintd.db-wal")
    assert wal > 2 * size_of(desk, "ledger/log.jsonl")
    with files_up_to(wal), pytest.raises(StoreError):
        desk.say(row)
    assert ("APPROVED", "slack:U1") in desk.effects()
    assert (desk.row().state, sent(desk)) == ("pending", 0)
    assert desk.approvals.execute_left() == 0
    assert desk.say(row, "U2", approve=False).outcome == "rejected"
    assert desk.say(row).outcome == "already"
    desk.gate.close()
    desk.new_life()
    assert desk.approvals.execute_left() == 0
    assert (desk.row().state, sent(desk)) == ("rejected", 0)


@pytest.mark.parametrize("approve", [True, False])
def test_a_kill_between_the_ledgers_entry_and_the_commit_leaves_the_question_open(
    tmp_path: Path, approve: bool
) -> None:
    """Whatever the dead process wrote into the ledger, the answer of somebody alive is the one that
    counts, and it has one effect."""
    desk = Desk(tmp_path, ("slack",))
    desk.approvals.ask(POST)
    desk.close()

    def answer_and_die() -> None:
        other = Desk(tmp_path, ("slack",))
        with other.db.immediate():
            other.say(other.row(), "U1", approve=not approve)
            os.kill(os.getpid(), signal.SIGKILL)

    killed(answer_and_die)
    desk = Desk(tmp_path, ("slack",))
    assert ("REJECTED" if approve else "APPROVED", "slack:U1") in desk.effects()
    assert desk.row().state == "pending"
    assert desk.approvals.execute_left() == 0
    desk.say(desk.row(), "U2", approve=approve)
    end = "done" if approve else "rejected"
    assert (desk.row().state, desk.row().decided_by, sent(desk)) == (end, "U2", int(approve))
    desk.close()


def test_two_daemons_that_carry_out_one_approval_have_one_effect(tmp_path: Path) -> None:
    """As when a command carries out what the daemon carries out too; by processes of their own."""
    desk = Desk(tmp_path, ("slack",))
    row = desk.approvals.ask(POST)
    with desk.without_ends():
        desk.say(row)
    assert desk.row().state == "approved"
    desk.close()
    begin = FORK.Event()

    def carry_out() -> None:
        other = Desk(tmp_path, ("slack",))
        begin.wait(20)
        other.approvals.execute_left()
        other.close()

    executors = [FORK.Process(target=carry_out) for _ in range(4)]
    for one in executors:
        one.start()
    begin.set()
    for one in executors:
        one.join(30)
    assert [one.exitcode for one in executors] == [0] * 4
    desk = Desk(tmp_path, ("slack",))
    assert (desk.row().state, sent(desk)) == ("done", 1)
    assert desk.outcomes().count("DONE") == 1
    assert standing_of(desk.db, desk.row()) == "on_its_way"
    desk.close()


def test_at_the_very_second_of_its_end_a_question_is_over(desk: Desk) -> None:
    """A microsecond earlier an answer counts; of an answer and the job that ends it only one does."""
    early, late = desk.approvals.ask(POST), desk.approvals.ask(UNBLOCK)
    desk.clock.advance(early.expires_at - desk.clock.now() - timedelta(microseconds=1))
    assert desk.approvals.expire_due() == []
    assert desk.say(early).outcome == "approved"
    desk.clock.advance(timedelta(microseconds=1))
    assert desk.clock.now() == late.expires_at
    answers: list[str] = []
    jobs = [
        threading.Thread(target=lambda: answers.append(desk.say(late).outcome)),
        threading.Thread(target=desk.approvals.expire_due),
    ]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join(10)
    assert answers == ["expired"]
    assert desk.row("A2").state == "expired"
    assert [effect for effect, _ in desk.effects()].count("EXPIRED") == 1
    assert desk.approvals.remind() == 0


def test_a_clock_set_back_between_question_and_answer_changes_no_answer(desk: Desk) -> None:
    """By a year; it is carried out, and its message is not held back for a year."""
    row = desk.approvals.ask(POST)
    desk.clock.advance(-timedelta(days=365))
    assert desk.say(row).outcome == "approved"
    assert (desk.row().state, sent(desk)) == ("done", 1)
    second = desk.approvals.ask(UNBLOCK)
    desk.clock.advance(-timedelta(days=30))
    assert desk.approvals.expire_due() == []
    desk.clock.advance(timedelta(hours=24))
    assert [one.id for one in desk.approvals.expire_due()] == [second.id]
