"""Values in the words of a page: moments, spans, long texts."""

from __future__ import annotations

from datetime import datetime

from daemon.store.sprints import SprintRow

_LONGEST_ANSWER = 20_000


def when(moment: datetime | None) -> str:
    """A moment for people, always with its zone; empty for None."""
    return f"{moment:%Y-%m-%d %H:%M} UTC" if moment else ""


def span_of(sprint: SprintRow) -> str:
    """When a sprint ran, in one cell: its day, and from when to when."""
    began, ended = sprint.started_at, sprint.ended_at
    if ended is None:
        return f"{began:%Y-%m-%d %H:%M}–"
    same_day = began.date() == ended.date()
    if same_day and f"{began:%H:%M}" == f"{ended:%H:%M}":
        return f"{began:%Y-%m-%d %H:%M}"
    return f"{began:%Y-%m-%d %H:%M}–{ended:{'%H:%M' if same_day else '%Y-%m-%d %H:%M'}}"


def shortened(text: str | None) -> str:
    """An answer that fits a page."""
    if text is None or len(text) <= _LONGEST_ANSWER:
        return text or ""
    return text[:_LONGEST_ANSWER] + "…"
