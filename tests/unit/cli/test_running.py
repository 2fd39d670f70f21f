"""sprint and run: one owner, honest ends, exit codes that scripts can trust."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from daemon.governance.recovery import halt
from daemon.store.api_calls import list_recent
from daemon.store.database import open_database, open_read_only
from daemon.store.owner_lock import OwnerLock
from daemon.store.sprints import last_sprint, open_sprint
from tests.standins.messages_api import MessagesApi
from tests.unit.cli.small import as_json, clean_environ, command, sprintd, write_small
from tests.workspaces import claude_config

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def test_a_sprint_tells_progress_on_stderr_and_its_end_on_stdout(small: Path) -> None:
    """A pipe gets the one line that counts."""
    done = sprintd(small, "sprint")
    assert done.returncode == 0
    assert done.stdout == "sprint 1 completed: 1 accepted, 1 rejected; 0.00 USD\n"
    assert done.stderr.splitlines()[:3] == [
        "sprint 1 begins",
        "track 1: analyst works on B01",
        "track 1: B01 accepted",
    ]


def test_a_sprint_as_json_is_one_object(small: Path) -> None:
    """State, reason, cost and how each assignment ended."""
    found = as_json(small, "sprint")
    assert (found["sprint"], found["state"], found["cost_micros"]) == (1, "completed", 0)
    assert [(a["item"], a["ending"]) for a in found["assignments"]] == [
        ("B01", "accepted"),
        ("B02", "rejected"),
    ]


def test_the_exit_code_tells_how_the_sprint_ended(small: Path) -> None:
    """0 completed, 5 failed (only rejections), 0 no work once nothing is eligible."""
    assert [sprintd(small, "sprint").returncode for _ in range(4)] == [0, 5, 5, 0]
    assert as_json(small, "sprint")["state"] == "no_work"


def test_a_sprint_without_money_exits_with_6(tmp_path: Path) -> None:
    """A cap of zero refuses the first priced call; nothing is sent."""
    with MessagesApi() as api:
        config = claude_config(api.base_url) + "[budget]\ndaily_cap_usd = 0\n"
        root = write_small(tmp_path / "poor", config)
        done = sprintd(root, "sprint", environ={"ANTHROPIC_API_KEY": api.api_key})
        assert done.returncode == 6, done.stderr
        assert not api.requests
    assert "daily cap" in done.stdout
    assert as_json(root, "status")["state"]["name"] == "paused_budget"


def test_a_halted_workspace_exits_with_7_and_says_what_to_do(small: Path) -> None:
    """Halted: no sprint is opened, and the message names the reason and the command that ends it."""
    db = open_database(small / "state" / "sprintd.db")
    halt(db, "the key is wrong", NOON)
    db.close()
    done = sprintd(small, "sprint")
    assert done.returncode == 7
    assert "no sprint was begun: halted: the key is wrong" in done.stderr
    assert "reset-failures" in done.stderr
    assert done.stdout == ""
    assert as_json(small, "status")["last_sprint"] is None
    assert as_json(small, "sprint", code=7)["error"]["kind"] == "HeldBack"
    assert as_json(small, "costs")["total"]["calls"] == 0
    assert as_json(small, "status")["state"]["name"] == "halted"


def test_a_second_process_is_refused_with_pid_and_since(small: Path) -> None:
    """Exit 4, and no sprint is opened."""
    lock = OwnerLock(small / "state")
    lock.acquire(NOON)
    try:
        for words in (["sprint"], ["run", "--port", "0"]):
            done = sprintd(small, *words)
            assert done.returncode == 4, done.stderr
            assert f"process {os.getpid()} has owned this workspace since 2026-11-30" in done.stderr
        told = sprintd(small, "sprint").stderr
        ways = f"kill {os.getpid()} or systemctl stop sprintd"
        assert f"wait for its next sprint, or stop it ({ways})" in told
    finally:
        lock.release()
    assert not (small / "state" / "sprintd.db").exists()


def test_a_sprint_gives_the_lock_back(small: Path) -> None:
    """Also when it ends with an error."""
    sprintd(small, "sprint", "--focus", "habour")
    assert OwnerLock(small / "state").holder() is None


def test_an_unknown_focus_is_an_error_and_no_sprint(small: Path) -> None:
    """A typo counts as no failed sprint; the message has the team that was meant."""
    done = sprintd(small, "sprint", "--focus", "habour")
    assert done.returncode == 1
    assert "did you mean harbour?" in done.stderr
    found = as_json(small, "status")
    assert (found["last_sprint"], found["consecutive_failures"]) == (None, 0)


def test_a_focus_with_nothing_to_do_is_no_work(small: Path) -> None:
    """The team exists, none of its members has an item."""
    found = as_json(small, "sprint", "--focus", "quays")
    assert (found["state"], found["reason"]) == ("no_work", "no item is eligible for quays")


def test_what_an_earlier_life_left_open_is_finished_first(small: Path) -> None:
    """A sprint that a crash cut off is closed as interrupted, and said so."""
    db = open_database(small / "state" / "sprintd.db")
    open_sprint(db, "REGULAR", None, NOON)
    db.close()
    done = sprintd(small, "sprint")
    assert "recovered: sprint 1 was interrupted" in done.stderr
    assert done.stdout.startswith("sprint 2 completed")


def test_faulty_files_fail_before_anything_runs(small: Path) -> None:
    """The faults are on standard error, with file and line; as JSON they are a list."""
    (small / "backlog.yaml").write_text("items:\n  - id: B01\n")
    done = sprintd(small, "sprint", "--json")
    assert done.returncode == 1
    assert "backlog.yaml:2" in done.stderr
    error = json.loads(done.stdout)["error"]
    assert (error["kind"], error["exit_code"]) == ("WorkspaceInvalid", 1)
    assert {fault["file"] for fault in error["faults"]} == {"backlog.yaml"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_sprint_after_the_call_under_way(
    tmp_path: Path, number: signal.Signals
) -> None:
    """The call that was paid for is judged and kept, the next one is not made, and exit is honest."""
    asked, answer = threading.Event(), threading.Event()

    def reply(*_args: object) -> str:
        asked.set()
        assert answer.wait(60)
        return "Short."

    with MessagesApi(reply=reply) as api:
        root = write_small(tmp_path / "small", claude_config(api.base_url))
        environ = clean_environ({"ANTHROPIC_API_KEY": api.api_key})
        with subprocess.Popen(
            command(root, "sprint", "--json"), env=environ, stdout=-1, stderr=-1, text=True
        ) as child:
            assert asked.wait(60)
            child.send_signal(number)
            assert child.stderr is not None
            said = ""
            while "stopping after the call" not in said:
                said += child.stderr.readline()
            answer.set()
            output, _ = child.communicate(timeout=60)
        assert len(api.requests) == 1
    found = json.loads(output)
    assert (child.returncode, found["state"]) == (7, "interrupted")
    assert [one["item"] for one in found["assignments"]] == ["B01"]
    assert found["cost_micros"] > 0
    assert as_json(root, "show", "B01")["attempts"][0]["state"] == "rejected"


def test_a_second_signal_gives_the_call_up_at_its_worst_case(tmp_path: Path) -> None:
    """The call stays paid for, the next start closes the sprint, and nothing is asked again."""
    asked, end = threading.Event(), threading.Event()

    def reply(*_args: object) -> str:
        asked.set()
        end.wait(60)
        return "Too late."

    with MessagesApi(reply=reply) as api:
        root = write_small(tmp_path / "small", claude_config(api.base_url))
        environ = clean_environ({"ANTHROPIC_API_KEY": api.api_key})
        with subprocess.Popen(
            command(root, "sprint"), env=environ, stdout=-1, stderr=-1, text=True
        ) as child:
            assert asked.wait(60)
            child.send_signal(signal.SIGINT)
            assert child.stderr is not None
            while "stopping after the call" not in child.stderr.readline():
                pass
            child.send_signal(signal.SIGINT)
            _, said = child.communicate(timeout=60)
            end.set()
        assert child.returncode == 130
        assert "Traceback" not in said
        assert said.splitlines()[-1] == "stopped"
    db = open_read_only(root / "state" / "sprintd.db")
    [call] = list_recent(db)
    running = last_sprint(db)
    db.close()
    assert call.end.outcome == "unknown"
    assert call.cost_micros == call.reserved_micros > 0
    assert running is not None
    assert running.state == "running"
    (root / "config.toml").write_text('[provider]\nkind = "extractive"\n')
    assert "sprint 1 was interrupted" in sprintd(root, "sprint").stderr


def test_help_loads_no_heavy_library() -> None:
    """`sprintd --help` and --version need neither the SDK nor the web server nor the database."""
    code = (
        "import sys, daemon.cli\n"
        "try: daemon.cli.main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "heavy = {'anthropic', 'flask', 'gunicorn', 'apscheduler', 'pydantic', 'sqlite_utils'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    for flag in ("--help", "--version"):
        done = subprocess.run(
            [sys.executable, "-c", code, flag], capture_output=True, text=True, check=True
        )
        assert done.stdout.splitlines()[-1] == "[]"


def test_an_error_is_wrapped_for_a_terminal_only(small: Path) -> None:
    """On a terminal no line is longer than its width; a pipe gets the message as one line."""
    (small / "state").mkdir(mode=0o700)
    lock = OwnerLock(small / "state")
    lock.acquire(NOON)
    ours, theirs = os.openpty()
    try:
        subprocess.run(
            command(small, "sprint"),
            stderr=theirs,
            env=clean_environ({"COLUMNS": "80"}),
            check=False,
        )
        shown = os.read(ours, 10_000).decode()
    finally:
        lock.release()
        os.close(ours)
        os.close(theirs)
    assert max(map(len, shown.splitlines())) <= 80
    assert len(shown.splitlines()) == 2
