"""The backlog as a table."""

from __future__ import annotations

from datetime import date

from daemon.reports.backlog import entry_as_json, render_backlog
from daemon.workspace.board import BoardEntry, Standing
from daemon.workspace.definitions import BacklogItem


def entry(item: str, standing: Standing, reason: str = "", rejections: int = 0) -> BoardEntry:
    found = BacklogItem(item, f"Title {item}", "Q?", "analyst", "KC1", "note", 2, date(2026, 1, 1))
    return BoardEntry(found, standing, reason, rejections)


def test_each_standing_is_told_with_its_reason() -> None:
    """Nothing for an eligible item; why not, for the others; how often it was rejected."""
    text = render_backlog(
        [
            entry("B1", "eligible"),
            entry("B2", "eligible", rejections=1),
            entry("B3", "done"),
            entry("B4", "waiting", "needs B1 done first"),
            entry("B5", "blocked", "It is too short.", 3),
        ],
        100,
    )
    assert "Title B1\n" in text
    assert "Title B2 (1 rejected)" in text
    assert "Title B3 (has its finding)" in text
    assert "Title B4 (needs B1 done first)" in text
    assert "Title B5 (It is too short; 3 rejected)" in text
    assert text.splitlines()[-1] == "2 eligible, 1 waiting, 1 done, 1 blocked"


def test_json_is_flat() -> None:
    found = entry_as_json(entry("B5", "blocked", "It is too short.", 3))
    assert (found["item"], found["standing"], found["rejections"]) == ("B5", "blocked", 3)
