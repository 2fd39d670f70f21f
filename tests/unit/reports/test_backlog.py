"""The backlog as a table."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from daemon.config.phrases import Phrases
from daemon.reports.backlog import entry_as_json, reason_in_words, render_backlog
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


def test_why_an_item_waits_is_told_in_both_languages() -> None:
    """What sprintd says is translated; what a person wrote stays as it is."""
    early = replace(entry("B1", "waiting", "not before 2027-02-01"), too_early=True)
    early = replace(early, item=replace(early.item, not_before=date(2027, 2, 1)))
    late = replace(entry("B2", "waiting", "needs B1, B3 done first"), missing=("B1", "B3"))
    own = entry("B3", "waiting", "the calendar of the council")
    for one in (early, late, own):
        assert reason_in_words(one, Phrases("en")) == one.reason
    spanish = [reason_in_words(one, Phrases("es")) for one in (early, late, own)]
    assert spanish == [
        "no antes del 2027-02-01",
        "antes hay que hacer: B1, B3",
        "the calendar of the council",
    ]
