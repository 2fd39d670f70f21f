"""A broken edit never stops the daemon."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.config.last_good import LastGood
from daemon.errors import Fault, WorkspaceInvalid


class Reader:
    """Reads a file that may hold only a number, and counts how often it did."""

    def __init__(self, path: Path) -> None:
        self.path, self.reads = path, 0

    def __call__(self) -> int:
        self.reads += 1
        try:
            return int(self.path.read_text())
        except ValueError:
            raise WorkspaceInvalid([Fault("n.txt", 1, "", "is no number")]) from None


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    (tmp_path / "n.txt").write_text("1")
    return Reader(tmp_path / "n.txt")


def test_a_broken_edit_keeps_the_last_good_reading(reader: Reader) -> None:
    """The fault is named while it lasts, and gone when it is mended."""
    kept = LastGood(reader, lambda: [reader.path])
    assert kept.load() == 1
    reader.path.write_text("one")
    assert kept.load() == 1
    assert [fault.message for fault in kept.faults] == ["is no number"]
    reader.path.write_text("22")
    assert kept.load() == 22
    assert not kept.faults


def test_what_did_not_change_is_not_read_again(reader: Reader) -> None:
    """Asking is cheap: only names, times and sizes are looked at."""
    kept = LastGood(reader, lambda: [reader.path])
    assert [kept.load(), kept.load(), kept.load()] == [1, 1, 1]
    assert reader.reads == 1


def test_a_reading_that_is_at_hand_is_used(reader: Reader) -> None:
    """What was read at the start is not read a second time until the file changes."""
    kept = LastGood(reader, lambda: [reader.path], first=7)
    assert (kept.latest, kept.load(), reader.reads) == (7, 7, 0)
    reader.path.write_text("33")
    assert kept.load() == 33


def test_where_there_never_was_a_good_one_the_faults_are_raised(reader: Reader) -> None:
    """There is nothing to go on with."""
    reader.path.write_text("one")
    kept = LastGood(reader, lambda: [reader.path])
    with pytest.raises(WorkspaceInvalid, match="is no number"):
        kept.load()
    assert kept.latest is None
