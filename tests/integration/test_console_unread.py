"""A whole daemon whose standard output nobody reads, or whose reader went away."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from daemon.errors import StoreError
from daemon.store import incidents, sprints
from daemon.store.database import open_read_only
from tests.standins.daemon_process import PATIENCE, ROOT
from tests.workspaces import copy_sample

COMMAND = [sys.executable, "-m", "tests.standins.run_daemon"]


def first_sprint(root: Path) -> str:
    """Its state once it is over and its job's record is written; waits for that."""
    for _ in range(int(PATIENCE / 0.1)):
        threading.Event().wait(0.1)
        try:
            db = open_read_only(root / "state" / "sprintd.db")
        except StoreError:
            continue
        with_end = db.rows("SELECT state FROM job_run WHERE job = 'sprint' AND ended_at NOTNULL")
        known, met = sprints.list_sprints(db, 1), incidents.list_open(db)
        db.close()
        if with_end:
            assert [row["state"] for row in with_end] == ["done"]
            assert met == []
            return known[0].state
    raise AssertionError("no sprint ended")


@pytest.mark.parametrize("reader", ["asleep", "gone"])
def test_output_that_nobody_reads_neither_fails_a_job_nor_holds_up_the_end(
    tmp_path: Path, reader: str
) -> None:
    """A full pipe, or one without a reader: the sprint and its digest are done, SIGTERM ends it."""
    root = copy_sample(tmp_path / "venture")
    reading, writing = os.pipe()
    if reader == "asleep":
        os.set_blocking(writing, False)
        try:
            while os.write(writing, b"x" * 4096):
                pass
        except BlockingIOError:
            os.set_blocking(writing, True)
    else:
        os.close(reading)
    with subprocess.Popen(
        [*COMMAND, str(root)],
        cwd=ROOT,
        stdout=writing,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        os.close(writing)
        try:
            assert first_sprint(root) == "completed"
            process.terminate()
            assert process.wait(PATIENCE) == 0
        finally:
            process.kill()
    if reader == "asleep":
        os.close(reading)
