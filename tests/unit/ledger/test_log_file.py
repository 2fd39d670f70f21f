"""The file of the log: who waits for its lock does not wait for ever."""

from __future__ import annotations

import fcntl
from pathlib import Path

import pytest

from daemon.errors import LedgerError
from daemon.ledger.log_file import LogFile


def test_a_lock_that_is_held_for_long_is_an_error_and_not_the_end_of_all_work(
    tmp_path: Path,
) -> None:
    """As by a command that was stopped halfway; when it lets go, the work goes on."""
    tmp_path.chmod(0o700)
    log = LogFile(tmp_path / "log.jsonl", tries=3)
    log.create()
    with log.path.open() as holder:
        fcntl.flock(holder, fcntl.LOCK_EX)
        with pytest.raises(LedgerError, match="another process has held its lock"), log.locked():
            pytest.fail("two have the lock")
    with log.locked() as descriptor:
        assert descriptor >= 0
