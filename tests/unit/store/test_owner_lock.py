"""One owner per state folder, and no lock outlives its owner."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from daemon.errors import AlreadyRunning, StoreError
from daemon.store.owner_lock import OwnerLock, process_start, ways_to_stop
from tests.unit.store.other_programs import run_script, running_script

OWN = """
import os, subprocess, sys
from datetime import UTC, datetime
from pathlib import Path
from daemon.store.owner_lock import OwnerLock
lock = OwnerLock(Path(sys.argv[1]))
lock.acquire(datetime(2026, 11, 30, 9, 0, tzinfo=UTC))
"""
HOLD = f"{OWN}\nprint(os.getpid(), flush=True)\nsys.stdin.read()\n"


@pytest.fixture
def state_dir(tmp_path: Path) -> Path:
    return tmp_path / "state"


def test_the_owner_is_written_down(state_dir: Path, now: datetime) -> None:
    """Pid, the process's own start and since when, in a private file of a private folder."""
    lock = OwnerLock(state_dir)
    assert lock.holder() is None
    lock.acquire(now)
    expected = {
        "pid": os.getpid(),
        "stop_pid": os.getpid(),
        "process_start": process_start(os.getpid()),
        "since": "2026-11-30T09:00:00.123456Z",
    }
    assert json.loads(lock.path.read_text()) == lock.holder() == expected
    assert stat.S_IMODE(lock.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(state_dir.stat().st_mode) == 0o700
    assert not lock.took_over
    lock.release()


def test_released_means_free_and_clean(state_dir: Path, now: datetime) -> None:
    """The file is gone, nobody holds it, and the next one did not have to take over."""
    lock = OwnerLock(state_dir)
    lock.acquire(now)
    lock.release()
    lock.release()
    assert not lock.path.exists()
    assert lock.holder() is None
    other = OwnerLock(state_dir)
    other.acquire(now)
    assert not other.took_over
    other.release()


def test_a_child_names_the_process_that_has_to_be_stopped(state_dir: Path, now: datetime) -> None:
    """Where a parent would start it again; a file of an earlier version names the owner itself."""
    parent = os.getppid()
    lock = OwnerLock(state_dir)
    lock.acquire(now, stop_pid=parent)
    holder = lock.holder()
    assert holder is not None
    assert (holder["pid"], holder["stop_pid"]) == (os.getpid(), parent)
    assert ways_to_stop(holder) == f"kill {parent} or systemctl stop sprintd"
    earlier = {"pid": os.getpid(), "process_start": process_start(os.getpid()), "since": "x"}
    lock.path.write_text(json.dumps(earlier))
    holder = lock.holder()
    assert holder is not None
    assert (holder["pid"], holder["stop_pid"]) == (os.getpid(), os.getpid())
    lock.release()


def test_nobody_is_told_to_kill_a_stranger(state_dir: Path, now: datetime) -> None:
    """A parent that died starts nothing again, whoever has its pid by now; and a pid that began at
    another moment than the owner is a pid of another container: 1 there is not 1 here."""
    lock = OwnerLock(state_dir)
    lock.acquire(now, stop_pid=os.getpid() + 1)
    holder = lock.holder()
    assert holder is not None
    assert holder["stop_pid"] == os.getpid()
    lock.path.write_text(
        json.dumps({"pid": os.getpid(), "stop_pid": 1, "process_start": 1, "since": "x"})
    )
    holder = lock.holder()
    assert holder is not None
    assert (holder["pid"], holder["stop_pid"]) == (os.getpid(), None)
    assert ways_to_stop(holder) == "systemctl stop sprintd, or stop its container"
    lock.release()


def test_a_second_daemon_is_refused_and_told_who_is_first(state_dir: Path, now: datetime) -> None:
    """The message names the holder's pid and since when; the first keeps what it has."""
    with running_script(HOLD, state_dir) as first:
        lock = OwnerLock(state_dir)
        with pytest.raises(AlreadyRunning) as caught:
            lock.acquire(now)
        assert str(caught.value) == (
            f"{lock.path}: process {first.pid} has owned this workspace since "
            f"2026-11-30T09:00:00.000000Z; stop it first (kill {first.pid} or systemctl stop sprintd)"
        )
        holder = lock.holder()
        assert holder is not None
        assert holder["pid"] == first.pid
        assert holder["process_start"] == process_start(first.pid)


def test_a_second_lock_in_the_same_process_is_refused(state_dir: Path, now: datetime) -> None:
    """Two parts of one program cannot both own it."""
    lock = OwnerLock(state_dir)
    lock.acquire(now)
    with pytest.raises(AlreadyRunning, match=f"process {os.getpid()}"):
        OwnerLock(state_dir).acquire(now)
    lock.release()


def test_kill_9_frees_the_lock_and_the_next_says_it_took_over(
    state_dir: Path, now: datetime
) -> None:
    """No file to delete by hand, no pid to compare."""
    with running_script(HOLD, state_dir) as first:
        first.send_signal(signal.SIGKILL)
        first.wait(10)
    lock = OwnerLock(state_dir)
    assert lock.path.exists()
    assert lock.holder() is None
    lock.acquire(now)
    assert lock.took_over
    lock.release()


@pytest.mark.parametrize(
    "content",
    [
        json.dumps({"pid": os.getppid(), "process_start": 1, "since": "2026-11-29T09:00:00Z"}),
        "",
        "4711\n",
        "\0\0\0",
        "[]",
    ],
    ids=["living unrelated pid", "empty", "only a pid", "zeros", "another form"],
)
def test_a_file_left_behind_does_not_block(state_dir: Path, now: datetime, content: str) -> None:
    """Whatever it says: it starts, says that it took over, and writes its own name."""
    state_dir.mkdir()
    lock = OwnerLock(state_dir)
    lock.path.write_text(content)
    lock.acquire(now)
    assert lock.took_over
    holder = lock.holder()
    assert holder is not None
    assert holder["pid"] == os.getpid()
    lock.release()


def test_a_deleted_lock_file_does_not_let_a_second_daemon_in(
    state_dir: Path, now: datetime
) -> None:
    """The usual advice, `rm state/daemon.lock`, while the daemon runs."""
    with running_script(HOLD, state_dir):
        lock = OwnerLock(state_dir)
        lock.path.unlink()
        with pytest.raises(AlreadyRunning, match="another process owns this workspace"):
            lock.acquire(now)
        assert lock.holder() == {
            "pid": None,
            "stop_pid": None,
            "process_start": None,
            "since": None,
        }


def test_children_do_not_keep_the_lock_of_a_killed_owner(state_dir: Path, now: datetime) -> None:
    """A forked child and a started program live on; the lock is free all the same."""
    script = f"""{OWN}
child = os.fork()
if not child:
    sys.stdin.read()
    os._exit(0)
program = subprocess.Popen(["sleep", "60"], close_fds=False)
print("ready", child, program.pid, sep="\\n", flush=True)
os.kill(os.getpid(), 9)
"""
    with running_script(script, state_dir) as owner:
        assert owner.stdout
        pids = [int(owner.stdout.readline()) for _ in range(2)]
        owner.wait(10)
        try:
            assert all(process_start(pid) for pid in pids)
            lock = OwnerLock(state_dir)
            lock.acquire(now)
            assert lock.took_over
            lock.release()
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGKILL)


def test_a_forked_child_does_not_release_its_parents_lock(state_dir: Path, now: datetime) -> None:
    """The child's release and exit leave the parent the owner."""
    script = f"""{OWN}
child = os.fork()
if not child:
    lock.release()
    sys.exit(0)
os.waitpid(child, 0)
try:
    OwnerLock(Path(sys.argv[1])).acquire(datetime(2026, 11, 30, tzinfo=UTC))
except Exception as error:
    print(type(error).__name__, lock.path.exists())
lock.release()
"""
    assert run_script(script, state_dir) == "AlreadyRunning True"


def test_of_three_that_start_together_one_owns(state_dir: Path) -> None:
    """Each holds what it got until it is told to end."""
    script = f"""
import sys
{OWN.replace("lock.acquire", "print('', flush=True); sys.stdin.readline(); lock.acquire")}
print("owner", flush=True)
sys.stdin.readline()
"""
    with (
        running_script(script, state_dir) as first,
        running_script(script, state_dir) as second,
        running_script(script, state_dir) as third,
    ):
        starters = [first, second, third]
        for starter in starters:
            assert starter.stdin
            starter.stdin.write("go\n")
            starter.stdin.flush()
        answers = [starter.stdout.readline() for starter in starters if starter.stdout]
    assert sorted(answers) == ["", "", "owner\n"]


def test_a_lock_that_cannot_be_made_is_a_clear_error(tmp_path: Path, now: datetime) -> None:
    """A link in place of the file is not followed; a file in place of the folder is named."""
    (tmp_path / "daemon.lock").symlink_to(tmp_path / "victim")
    with pytest.raises(StoreError, match=r"daemon\.lock: cannot be locked"):
        OwnerLock(tmp_path).acquire(now)
    assert not (tmp_path / "victim").exists()
    (tmp_path / "state").write_text("in the way")
    with pytest.raises(StoreError, match="state folder must be"):
        OwnerLock(tmp_path / "state").acquire(now)


def test_a_failed_acquire_leaves_nothing_locked(tmp_path: Path, now: datetime) -> None:
    """Once the obstacle is gone the same object can own the folder."""
    lock = OwnerLock(tmp_path)
    lock.path.mkdir()
    with pytest.raises(StoreError):
        lock.acquire(now)
    assert lock.holder() is None
    lock.path.rmdir()
    lock.acquire(datetime(2026, 12, 1, tzinfo=UTC))
    lock.release()


def test_the_start_of_an_unknown_process_is_none() -> None:
    """No such pid, or no /proc: unknown, not an error."""
    assert process_start(2**30) is None


def test_a_folder_that_was_deleted_or_replaced_is_ours_no_longer(
    state_dir: Path, now: datetime
) -> None:
    """The lock on the old folder guards nothing; what the new owner wrote is left to it."""
    lock, other = OwnerLock(state_dir), OwnerLock(state_dir)
    assert not lock.is_ours()
    lock.acquire(now)
    assert lock.is_ours()
    lock.check()
    shutil.rmtree(state_dir)
    assert not lock.is_ours()
    other.acquire(now)
    assert (lock.is_ours(), other.is_ours()) == (False, True)
    with pytest.raises(StoreError, match=r"state folder was deleted .* newest backup"):
        lock.check()
    lock.release()
    assert other.path.exists()
    other.release()


def test_a_lock_file_that_was_deleted_alone_takes_nothing_away(
    state_dir: Path, now: datetime
) -> None:
    """The folder's lock still keeps everybody out, so there is no need to stop."""
    lock = OwnerLock(state_dir)
    lock.acquire(now)
    lock.path.unlink()
    assert lock.is_ours()
    with pytest.raises(AlreadyRunning):
        OwnerLock(state_dir).acquire(now)
    lock.release()
