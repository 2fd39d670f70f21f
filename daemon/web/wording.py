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
_WHOLE = re.compile(
    r"(?P<ticked>`[^`\n]{1,80}`)|(?<=: )(?P<typed>sprintd(?: [\w/:-]+)+)"
    r"|(?P<moment>\b[0-9]{4}-[0-9]{2}-[0-9]{2}\b(?: [0-9]{2}:[0-9]{2}(?::[0-9]{2})?(?: UTC)?)?"
    r"|\b[0-9]+ (?:s|min|h|d)\b)",
    re.ASCII,
)


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


def pieces(text: str | None) -> list[tuple[str, str]]:
    """A sentence in pieces, each with its kind: "moment" (or a length of time) and "command" are what
    no line may end in, "" is the rest. A command is what stands in `ticks`, or begins with sprintd after a colon."""
    found, at, whole = [], 0, text or ""
    for one in _WHOLE.finditer(whole):
        kind = "moment" if one["moment"] else "command"
        found += [(whole[at : one.start()], ""), (one[0].strip("`"), kind)]
        at = one.end()
    return [(piece, kind) for piece, kind in (*found, (whole[at:], "")) if piece]


def opening(text: str) -> str:
    """A text as it begins a sentence."""
    return text[:1].upper() + text[1:]


def ago(seconds: float) -> str:
    """A length of time as people say it, in one unit that is the same in every language."""
    units = ((172_800, 86_400, "d"), (7_200, 3_600, "h"), (600, 60, "min"))
    for least, unit, name in units:
        if seconds >= least:
            return f"{seconds / unit:.0f} {name}"
    return f"{seconds:.0f} s"


def as_shown(value: object) -> object:
    """What a template is about to write; only text is changed, so that nothing in it is unseen.

    Nobody approves a file gnp.exe that reads exe.png.
    """
    return visible(value) if type(value) is str else value
