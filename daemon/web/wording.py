"""Values in the words of a page: moments, spans, long texts."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal

from daemon.clock import utc_text
from daemon.config.visible import visible
from daemon.store.sprints import SprintRow

_LONGEST_ANSWER = 20_000
_LONGEST_TITLE = 300
_DATE = re.compile(r"(\b[0-9]{4}-[0-9]{2}-[0-9]{2}\b)", re.ASCII)


def when(moment: datetime | None) -> str:
    """A moment for people, always with its zone; empty for None."""
    return utc_text(moment) if moment else ""


def span_of(sprint: SprintRow) -> str:
    """When a sprint ran, in one cell: its day, and from when to when."""
    began, ended = sprint.started_at, sprint.ended_at
    if ended is None:
        return f"{began:%Y-%m-%d %H:%M}–"
    same_day = began.date() == ended.date()
    if same_day and f"{began:%H:%M}" == f"{ended:%H:%M}":
        return f"{began:%Y-%m-%d %H:%M}"
    return f"{began:%Y-%m-%d %H:%M}–{ended:{'%H:%M' if same_day else '%Y-%m-%d %H:%M'}}"


def cents(micros: int | None) -> str:
    """Money in USD to the cent, for tables and pictures; what is less than a cent is not told as nothing.
    Empty for None."""
    if micros is None:
        return ""
    if 0 < micros < 5_000:
        return "<0.01"
    return f"{micros / 1_000_000:,.2f}"


def figure_text(value: float) -> str:
    """A figure with all its digits: 1,234,567 and 0.5, never 1.23457e+06."""
    return f"{Decimal(repr(value)).normalize():,f}"


def shortened(text: str | None) -> str:
    """An answer that fits a page."""
    if text is None or len(text) <= _LONGEST_ANSWER:
        return text or ""
    return text[:_LONGEST_ANSWER] + "…"


def brief(text: object, most: int = 400) -> str:
    """A name or a sentence that fits its place, whatever a model made of it; empty for None."""
    shown = "" if text is None else str(text)
    return shown if len(shown) <= most else shown[:most] + "…"


def number_of(text: str | None) -> int | None:
    """A whole number from an address; None where it is none, or too long to be one of ours."""
    is_one = text is not None and text.isascii() and text.isdecimal() and len(text) <= 15
    return int(text) if text is not None and is_one else None


def first_line(text: str) -> tuple[str, str]:
    """The first line of a Markdown text without its marks, as a title, and the rest of the text."""
    first, _, rest = text.lstrip().partition("\n")
    return first.strip("#* ").strip()[:_LONGEST_TITLE], rest.lstrip("\n")


def around_dates(text: str) -> list[str]:
    """A text cut so that every second part is a date such as 2026-11-30, at which no line may end."""
    return _DATE.split(text)


def as_shown(value: object) -> object:
    """What a template is about to write; only text is changed, so that nothing in it is unseen.

    Nobody approves a file gnp.exe that reads exe.png.
    """
    return visible(value) if type(value) is str else value
