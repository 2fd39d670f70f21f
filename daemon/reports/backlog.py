"""The backlog with where each item stands and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from daemon.config.phrases import Phrases
from daemon.reports.plain_text import render_table
from daemon.workspace.board import BoardEntry

_WORDS = {"eligible": "", "done": "has its finding", "blocked": "rejected too often"}


def entry_as_json(entry: BoardEntry) -> dict[str, Any]:
    """One item; `reason` is empty where nothing stands in its way."""
    item = entry.item
    return {
        "item": item.id,
        "title": item.title,
        "criterion": item.criterion,
        "agent": item.agent,
        "playbook": item.playbook,
        "priority": item.priority,
        "standing": entry.standing,
        "reason": entry.reason,
        "rejections": entry.rejections,
    }


def reason_in_words(entry: BoardEntry, phrases: Phrases) -> str:
    """Why it stands there in the workspace's language; people's own words stay as they are."""
    if entry.too_early:
        return phrases.text("page.not_before", day=entry.item.not_before)
    if entry.missing:
        return phrases.text("page.needs_first", items=", ".join(entry.missing))
    return entry.reason


def render_backlog(entries: Sequence[BoardEntry], width: int) -> str:
    """A table in the file's order, and how many stand where."""
    titles = ("item", "pr", "criterion", "standing", "agent", "title and reason")
    rows = [
        (e.item.id, str(e.item.priority), e.item.criterion, e.standing, e.item.agent, _told(e))
        for e in entries
    ]
    if not rows:
        return "No item matches."
    return render_table(titles, rows, width=width) + f"\n\n{render_counts(_counts(entries))}"


def render_counts(counts: Iterable[tuple[str, int]]) -> str:
    """3 eligible, 1 waiting"""
    return ", ".join(f"{number} {standing}" for standing, number in counts)


def _told(entry: BoardEntry) -> str:
    tries = f"{entry.rejections} rejected" if entry.rejections else ""
    told = [entry.reason.rstrip(".") or _WORDS.get(entry.standing, ""), tries]
    words = "; ".join(text for text in told if text)
    return f"{entry.item.title} ({words})" if words else entry.item.title


def _counts(entries: Sequence[BoardEntry]) -> list[tuple[str, int]]:
    standings = ("eligible", "waiting", "done", "blocked")
    counted = ((s, sum(entry.standing == s for entry in entries)) for s in standings)
    return [(standing, number) for standing, number in counted if number]
