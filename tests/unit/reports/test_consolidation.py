"""What a consolidation is told as."""

from __future__ import annotations

from datetime import UTC, datetime

from daemon.config.phrases import Phrases
from daemon.memory.consolidation import Merged
from daemon.memory.merge_terms import MergePlan, Move
from daemon.memory.snapshot import Snapshot
from daemon.reports.consolidation import write_consolidation

SUNDAY = datetime(2026, 12, 6, 6, 0, tzinfo=UTC)
NOTE = "memory/findings/KC1/T01-1.md"
NOTHING_SEEN = Snapshot((), (), (), (), ())


def body_of(plan: MergePlan) -> str:
    merged = Merged(plan, NOTHING_SEEN)
    return write_consolidation(SUNDAY, merged, 16_000, (), Phrases("en")).body


def test_a_run_without_notes_says_that_no_file_was_changed() -> None:
    """Nothing is kept in an archive then."""
    told = body_of(MergePlan("2026-W49"))
    assert "No note was to be merged; no file was changed." in told
    assert "memory/archive/" not in told


def test_a_run_whose_notes_say_nothing_new_does_not_say_that_there_were_none() -> None:
    """They moved into the archive, and no document grew."""
    move = Move(NOTE, f"memory/archive/2026-W49/{NOTE.removeprefix('memory/')}", "0" * 64)
    plan = MergePlan("2026-W49", moves=(move,), taken={NOTE: "memory/consolidated/prices.md"})
    told = body_of(plan)
    assert "1 note merged" in told
    assert "stood in documents already; no document was changed" in told
    assert "No note was to be merged" not in told
    assert "memory/archive/2026-W49/" in told
