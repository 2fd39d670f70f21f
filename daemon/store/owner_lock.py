"""One daemon per workspace: a lock that the kernel gives back when its owner dies, however."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import weakref
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from daemon.clock import to_text
from daemon.errors import AlreadyRunning, StoreError
from daemon.store.file_lock import lock_soon

LOCK_FILE = "daemon.lock"
_TRIES = 5
_UNKNOWN: dict[str, Any] = {"pid": None, "stop_pid": None, "process_start": None, "since": None}


class OwnerLock:
    """flock on state/daemon.lock, and on the folder itself.

    What the file says is for people; only the kernel's lock counts, so a file that a crash left
    behind never blocks, whatever process has its pid by now. The folder is locked too because
    the usual advice, to delete the lock file, would otherwise let a second daemon in.
    Acquire it after any fork: a child gives its copy up at once and owns nothing.
    """

    def __init__(self, state_dir: Path) -> None:
        self.path = Path(state_dir).absolute() / LOCK_FILE
        self.took_over = False
        self._descriptors: list[int] = []
        _locks.add(self)

    def acquire(self, now: datetime, *, stop_pid: int | None = None) -> None:
        """Own the state folder; `took_over` then tells whether the last owner never released it.

        `stop_pid` is the process that a person has to stop where another one would start this one
        again; None for this one.
        Raises AlreadyRunning with the holder's pid and since when, StoreError where the file
        cannot be made.
        """
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._acquire(now, stop_pid or os.getpid())
        except OSError as error:
            raise StoreError(
                f"{self.path}: cannot be locked ({error.strerror}); the state folder must be "
                "a folder of yours on a local disk"
            ) from error

    def release(self) -> None:
        """Give it up and remove the file; harmless where it is not held."""
        if not self._descriptors:
            return
        if _is_same(self.path, self._descriptors[-1]):
            self.path.unlink(missing_ok=True)
        for descriptor in self._descriptors:
            fcntl.flock(descriptor, fcntl.LOCK_UN)  # also where a stray copy is still open
        self._close()

    def is_ours(self) -> bool:
        """Whether the folder that was locked is still the one at its path; one look, no waiting.

        A folder that was deleted or moved keeps our lock and guards nothing: another process can
        own the new one. A lock file that was deleted alone lets nobody in.
        """
        return bool(self._descriptors) and _is_same(self.path.parent, self._descriptors[0])

    def check(self) -> None:
        """Raise StoreError, with the cure, where it is not ours (any more)."""
        if not self.is_ours():
            raise StoreError(
                f"{self.path.parent}: the state folder was deleted or replaced while this process "
                "ran, so another one may own the workspace; stop this one, put the newest backup "
                "back (docs/operations.md), and start one"
            )

    def holder(self) -> dict[str, Any] | None:
        """Who holds it now: pid, stop_pid (which one to stop), process_start (clock ticks after boot,
        None if unknown), since.

        None where nobody does. All four are None where somebody does but the file is not legible;
        stop_pid alone where the holder is of another container, whose pids mean others here.
        """
        if not self.path.parent.is_dir() or not _is_locked(self.path.parent):
            return None
        return _read(self.path)

    def leave_to_parent(self) -> None:
        """In a forked child: closing the copy leaves the parent's lock as it is."""
        self._close()

    def _acquire(self, now: datetime, stop_pid: int) -> None:
        descriptors = [os.open(self.path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)]
        try:
            self._lock(descriptors[0])
            left_behind = self.path.exists()
            flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
            descriptors.append(os.open(self.path, flags, 0o600))
            self._lock(descriptors[1])
            _write(descriptors[1], now, stop_pid)
        except BaseException:
            _close_all(descriptors)
            raise
        self.took_over = left_behind
        self._descriptors = descriptors

    def _lock(self, descriptor: int) -> None:
        if not lock_soon(descriptor, tries=_TRIES):
            raise AlreadyRunning(_describe(self.path, _read(self.path)))

    def _close(self) -> None:
        descriptors, self._descriptors = self._descriptors, []
        _close_all(descriptors)


def owner_name() -> str:
    """This life of the daemon: machine, boot, process and when it started.

    An effect of another name has no living owner once the workspace's lock is held.
    """
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        boot = "unknown-boot"
    pid = os.getpid()
    return f"{socket.gethostname()}/{boot}/{pid}-{process_start(pid) or 0}"


def process_start(pid: int) -> int | None:
    """When a process started, in clock ticks after boot (proc(5), field 22); None if unknown."""
    return _stat_field(pid, 22)


def _stat_field(pid: int, number: int) -> int | None:
    """A number of proc(5)'s stat, behind the name, which may hold blanks; None if unknown."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
        return int(text.rpartition(")")[2].split()[number - 3])
    except (OSError, ValueError, IndexError):
        return None


def ways_to_stop(holder: Mapping[str, Any]) -> str:
    """How a person ends the process that holds the lock, as `holder` tells of it."""
    if holder.get("stop_pid") is None:
        return "systemctl stop sprintd, or stop its container"
    return f"kill {holder['stop_pid']} or systemctl stop sprintd"


def _describe(path: Path, holder: dict[str, Any]) -> str:
    if holder["pid"] is None:
        return f"{path}: another process owns this workspace; stop it first"
    return (
        f"{path}: process {holder['pid']} has owned this workspace since {holder['since']}; "
        f"stop it first ({ways_to_stop(holder)})"
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
        pid = int(found["pid"])
        known = {key: found[key] for key in ("process_start", "since")}
        stop_pid = _to_stop(pid, int(found.get("stop_pid", pid)), known["process_start"])
        return {"pid": pid, "stop_pid": stop_pid, **known}
    except (OSError, ValueError, TypeError, KeyError):
        return dict(_UNKNOWN)


def _to_stop(pid: int, stop_pid: int, started: object) -> int | None:
    """A parent that has died starts nothing again, and its pid may be another's by now."""
    if process_start(os.getpid()) is None:
        return stop_pid  # processes cannot be looked at here
    if process_start(pid) != started:
        return None
    return stop_pid if stop_pid == pid or _stat_field(pid, 4) == stop_pid else pid


def _write(descriptor: int, now: datetime, stop_pid: int) -> None:
    pid = os.getpid()
    started = {"process_start": process_start(pid), "since": to_text(now)}
    content = {"pid": pid, "stop_pid": stop_pid, **started}
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, (json.dumps(content) + "\n").encode(), 0)


def _is_locked(folder: Path) -> bool:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _is_same(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except OSError:
        return False


def _close_all(descriptors: list[int]) -> None:
    for descriptor in reversed(descriptors):
        os.close(descriptor)


def _after_fork_in_child() -> None:
    for lock in list(_locks):
        lock.leave_to_parent()


_locks: weakref.WeakSet[OwnerLock] = weakref.WeakSet()
os.register_at_fork(after_in_child=_after_fork_in_child)
