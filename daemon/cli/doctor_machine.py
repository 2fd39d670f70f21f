"""The doctor's look at the machine: who owns the workspace, the clock, the disk, private files."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from daemon.cli.doctor_result import Result, fault, ok, warn
from daemon.clock import utc_text
from daemon.config.token_file import TOKEN_FILE, load_or_make_token
from daemon.errors import SprintdError
from daemon.reports.status import since_utc
from daemon.store.owner_lock import LOCK_FILE, OwnerLock

_MEGABYTE = 1_000_000
_LEAST_FREE = 50 * _MEGABYTE
_FREE_FOR_COMFORT = 500 * _MEGABYTE
_TOLERANCE = timedelta(minutes=1)
_MADE_AT = datetime(2026, 11, 1, tzinfo=UTC)  # no machine that runs this was set earlier
_SET_THE_CLOCK = "set the machine's clock: timedatectl set-ntp true"


def check_lock(state_dir: Path) -> Result:
    """Whether a daemon runs here, and whether the last one ended in order."""
    holder = OwnerLock(state_dir).holder()
    if holder and holder["pid"] is not None:
        return ok("lock", f"process {holder['pid']} runs here since {since_utc(holder)}")
    if holder:
        return warn("lock", "a process runs here, but its pid is not legible", "restart it")
    if (state_dir / LOCK_FILE).exists():
        message = "no process runs here; the last one ended without giving its lock back"
        return warn("lock", message, "start the daemon: it takes the lock over and says so")
    return ok("lock", "no process runs here")


def check_clock(now: datetime, newest: datetime | None, synchronised: bool | None) -> Result:  # noqa: FBT001
    """`newest` is the latest moment in the store, `synchronised` what the machine says of its time
    service (None: it says nothing)."""
    if now < _MADE_AT:
        return fault("clock", f"the clock says {utc_text(now)}, which is past", _SET_THE_CLOCK)
    if newest and newest > now + _TOLERANCE:
        behind = timedelta(seconds=round((newest - now).total_seconds()))
        message = f"the clock is {behind} behind what the daemon has already written"
        return fault("clock", message, f"{_SET_THE_CLOCK}; the budget's day follows the clock")
    if synchronised is False:
        return warn("clock", "no time service keeps the clock right", _SET_THE_CLOCK)
    known = "kept right by a time service" if synchronised else "no time service was asked"
    return ok("clock", f"{utc_text(now)}, {known}")


def is_synchronised() -> bool | None:
    """What timedatectl says; None where there is none or it has no answer."""
    program = shutil.which("timedatectl")
    if program is None:
        return None
    command = [program, "show", "--property=NTPSynchronized", "--value"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=5, check=True)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return None
    return {"yes": True, "no": False}.get(done.stdout.strip())


def check_disk(state_dir: Path, database_bytes: int) -> Result:
    """Room and permission where the state is; nothing is written to find out."""
    place = state_dir if state_dir.exists() else state_dir.parent
    found = os.statvfs(place)
    free = found.f_bavail * found.f_frsize
    told = f"{free // _MEGABYTE:,} MB free at {place}"
    if found.f_flag & os.ST_RDONLY:
        return fault("disk", f"{place} is on a read-only file system", "mount it for writing")
    if not os.access(place, os.W_OK):
        mine = place.stat().st_uid == os.geteuid()
        cure = f"chmod u+rwx {place}" if mine else _as_its_user(place)
        return fault("disk", f"{place} cannot be written by this user", cure)
    if free < _LEAST_FREE:
        return fault("disk", told, "make room; the daemon goes on by itself once there is some")
    if found.f_files and not found.f_favail:
        return fault("disk", f"no file can be made any more at {place} (inodes)", "delete files")
    if free < max(_FREE_FOR_COMFORT, 2 * database_bytes):
        return warn("disk", told, "make room, at least for a backup of the database")
    return ok("disk", told)


def check_private_files(state_dir: Path) -> Iterator[Result]:
    """The state folder and the token in it."""
    if not state_dir.exists():
        yield ok("state folder", "is made at the first start")
        return
    state = state_dir.stat()
    mode = stat.S_IMODE(state.st_mode)
    if state.st_uid != os.geteuid():
        message = f"{state_dir} belongs to user {state.st_uid}, this is user {os.geteuid()}"
        yield warn("state folder", message, _as_its_user(state_dir))
        return
    if mode & 0o077:
        cure = f"chmod 0700 {state_dir}"
        yield warn("state folder", f"others may look into {state_dir} ({mode:04o})", cure)
    else:
        yield ok("state folder", f"{state_dir} is for its user only")
    yield _check_token(state_dir)


def _check_token(state_dir: Path) -> Result:
    if not (state_dir / TOKEN_FILE).exists():
        return ok("token", "is made at the first start")
    try:
        load_or_make_token(state_dir)
    except SprintdError as error:
        return fault("token", str(error), "delete it and restart: a new one is made")
    return ok("token", f"{state_dir / TOKEN_FILE} is for its user only")


def _as_its_user(place: Path) -> str:
    return f"run the doctor as the daemon's user: sudo -u '#{place.stat().st_uid}' sprintd doctor"
