"""The status in words: who runs, what state, what money, what is wrong."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from daemon.errors import Fault
from daemon.governance.gate import leave_alone
from daemon.governance.recovery import halt
from daemon.governance.states import enter_state
from daemon.reports.status import Status, render_status, take_status
from daemon.store import sprints
from tests.unit.reports.money import NOON, Purse

BACKLOG = {"eligible": 2, "done": 1, "blocked": 0, "waiting": 1}
HOLDER = {"pid": 4711, "stop_pid": 4710, "process_start": 1, "since": "2026-11-30T09:00:00.000000Z"}
MIDNIGHT = datetime(2026, 12, 1, tzinfo=UTC)


def status_of(purse: Purse, *faults: Fault) -> Status:
    return take_status(
        purse.db, purse.budget, provider="extractive", backlog=BACKLOG, faults=faults
    )


def test_before_the_first_run(purse: Purse) -> None:
    """Nothing is invented."""
    text = render_status(status_of(purse), None, 100)
    assert "Process: none runs on this workspace" in text
    assert "State: nothing ran here yet" in text
    assert "Last sprint: none yet" in text


def test_while_it_runs(purse: Purse) -> None:
    """Pid, since when, state and until when."""
    enter_state(purse.db, "paused_budget", "the cap is reached", NOON, until=MIDNIGHT)
    text = render_status(status_of(purse), HOLDER, 100)
    assert (
        "Process: 4711 runs on this workspace since 2026-11-30 09:00 UTC; to stop it: kill" in text
    )
    assert "kill 4710 or systemctl stop sprintd" in " ".join(text.split())
    assert (
        "State: paused_budget since 2026-11-30 12:00 UTC, until 2026-12-01 00:00 UTC: "
        "the cap is reached"
    ) in text


def test_a_state_is_of_the_past_where_nothing_runs(purse: Purse) -> None:
    """A killed daemon must not read as working; a halt holds whether it runs or not."""
    enter_state(purse.db, "working", "a sprint runs", NOON)
    assert "working (when it last ran)" in render_status(status_of(purse), None, 100)
    enter_state(purse.db, "stopping", "stopped in order", NOON)
    assert "State: stopped since 2026-11-30" in render_status(status_of(purse), None, 100)
    assert "State: stopping since 2026-11-30" in render_status(status_of(purse), HOLDER, 100)
    enter_state(purse.db, "idle", "begun again", NOON)
    halt(purse.db, "the key is wrong", NOON)
    text = render_status(status_of(purse), None, 100)
    assert "State: halted since 2026-11-30 12:00 UTC: the key is wrong" in text
    assert "reset-failures" in text


def test_an_idle_daemon_tells_its_next_sprint(purse: Purse) -> None:
    """Not where nothing runs, and not where the service asked to be left alone until then."""
    enter_state(purse.db, "idle", "2 accepted", NOON, until=MIDNIGHT)
    text = render_status(status_of(purse), HOLDER, 100)
    assert "State: idle since 2026-11-30 12:00 UTC: 2 accepted" in text
    assert "Next sprint: 2026-12-01 00:00 UTC" in text
    assert "Next sprint" not in render_status(status_of(purse), None, 100)
    late = MIDNIGHT + timedelta(minutes=3)
    text = render_status(replace(status_of(purse), overdue=True), HOLDER, 200)
    assert (
        "Next sprint: 2026-12-01 00:00 UTC; it has not begun. See why with: sprintd doctor" in text
    )
    for at, overdue in ((None, False), (MIDNIGHT, False), (late, True)):
        found = take_status(purse.db, purse.budget, provider="x", backlog={}, faults=(), at=at)
        assert found.overdue == overdue
    leave_alone(purse.db, MIDNIGHT, "slow down", NOON)
    enter_state(purse.db, "idle", "slow down", NOON, until=MIDNIGHT)
    text = render_status(status_of(purse), HOLDER, 100)
    assert "Next sprint" not in text
    assert "until 2026-12-01 00:00 UTC: slow down" in text


def test_a_holder_that_cannot_be_read_is_still_told(purse: Purse) -> None:
    """The lock is held, its file is not legible."""
    unknown = {"pid": None, "stop_pid": None, "process_start": None, "since": None}
    assert "its pid is not known" in render_status(status_of(purse), unknown, 100)
    odd = {**HOLDER, "since": "yesterday\x1b[2J"}
    assert "since yesterday[U+001B][2J" in render_status(status_of(purse), odd, 100)


def test_money_and_the_last_sprint(purse: Purse) -> None:
    """Spent, reserved, left, cap; the sprint with its reason."""
    purse.pay("a/try/1")
    held = purse.hold("b/try/1").held_micros
    sprint = sprints.open_sprint(purse.db, "REGULAR", None, NOON)
    assert f"Last sprint: {sprint} running, began 2026-11-30 12:00 UTC" in render_status(
        status_of(purse), None, 100
    )
    sprints.close_sprint(purse.db, sprint, "failed", "no answer", NOON)
    text = render_status(status_of(purse), None, 100)
    assert "Last sprint: 1 failed, ended 2026-11-30 12:00 UTC: no answer" in text
    assert "0.005995 USD spent today" in text
    left = 20_000_000 - 5_995 - held
    assert status_of(purse).as_json()["budget"]["remaining_micros"] == left


def test_faults_are_listed_and_counted(purse: Purse) -> None:
    """The first ten, each with its place; the command that lists them all."""
    faults = [Fault("backlog.yaml", line, "items", "is wrong") for line in range(1, 31)]
    text = render_status(status_of(purse, *faults), None, 100)
    assert "Faults in the workspace's files: 30 (sprintd check)" in text
    assert text.count("- backlog.yaml:") == 10
