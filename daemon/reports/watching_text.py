"""`sprintd watch` as lines that fit a terminal of any size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from daemon import __version__
from daemon.clock import utc_text
from daemon.config.visible import visible
from daemon.governance.budget import usd_text
from daemon.reports.plain_text import columns, one_line
from daemon.reports.status import OVERDUE_CURE, state_name
from daemon.reports.watching import Happened, Watching

Tone = Literal["plain", "bold", "dim", "good", "wait", "bad"]

NARROWEST = 20
_ONE_LINE = str.maketrans("\t\n\r", "   ")
_CELLS = 20
_LEAST_EVENTS = 3
_MOST_WAITING = 6
_OF_STATE: dict[str, Tone] = {
    "working": "good", "idle": "good", "paused_budget": "wait", "diagnosing": "wait",
    "halted": "bad", "stopping": "wait",
}  # fmt: skip
_OF_EVENT: dict[str, Tone] = {
    "accepted": "good", "recovered": "good", "halted": "bad", "blocked": "bad", "alert": "bad",
    "rejected": "wait", "budget_warning": "wait", "diagnosis": "wait", "workspace_faults": "wait",
}  # fmt: skip


@dataclass(frozen=True)
class Line:
    """One line for a terminal, in a tone that may become a colour."""

    text: str
    tone: Tone = "plain"


def render_watching(view: Watching, width: int, height: int) -> list[Line]:
    """At most `height` lines of at most `width` columns; events take what is left.

    Where there is room for little, the state and the money stay.
    """
    head = [*_head(view), *_money(view, width), *_sprint(view)]
    waits = list(_waiting(view, max(1, min(_MOST_WAITING, height - len(head) - 6))))
    left = height - len(head) - len(waits) - 2
    shown = view.events[: max(left, _LEAST_EVENTS)]
    events = [Line(""), Line("Last events", "bold"), *map(event_line, shown)] if shown else []
    return [fit(line, width) for line in [*head, *waits, *events][:height]]


def event_line(event: Happened) -> Line:
    return Line(f"{event.at:%m-%d %H:%M}  {event.words}", _OF_EVENT.get(event.kind, "plain"))


def state_line(view: Watching) -> Line:
    """The state in one line; also whether anything runs at all."""
    state = view.status.state
    if state is None:
        begun = "" if view.holder else " To begin: sprintd run"
        return Line(f"Nothing ran here yet.{begun}", "wait")
    name = state_name(state, runs=view.holder is not None)
    away = "" if view.holder or name == "stopped" else " (no daemon runs)"
    tone = _OF_STATE[state.name] if view.holder or state.name == "halted" else "wait"
    since = utc_text(state.since)
    return Line(f"{name}{away} since {since}: {one_line(state.reason, 500)}", tone)


def fit(line: Line, width: int) -> Line:
    """Cut to the width, with an … where something is missing, and without what moves a cursor."""
    width = max(width, 1)
    shown = visible(line.text.translate(_ONE_LINE))
    if columns(shown) <= width:
        return Line(shown, line.tone)
    text = shown[:width]
    while text and columns(text) > width - 1:
        text = text[:-1]
    return Line(text.rstrip() + "…", line.tone)


def _head(view: Watching) -> Iterator[Line]:
    yield Line(
        f"sprintd {__version__}  {view.at:%Y-%m-%d %H:%M:%S} UTC  {view.status.provider}", "bold"
    )
    yield state_line(view)
    due = view.status.next_sprint_at
    if due and view.holder:
        late = view.status.overdue
        when = f"has not begun. {OVERDUE_CURE}" if late else _until(view.at, due)
        yield Line(f"next sprint at {utc_text(due)}, {when}", "bad" if late else "plain")


def _money(view: Watching, width: int) -> Iterator[Line]:
    """Whole in any width of 40 columns and more: first the bar gives way, then what is nothing."""
    day = view.status.day
    used = day.spent_micros + day.reserved_micros
    share = used / day.cap_micros if day.cap_micros > 0 else 1.0
    tone: Tone = "bad" if day.remaining_micros <= 0 else "plain"
    spent, left = usd_text(day.spent_micros), usd_text(day.remaining_micros)
    of = f"{spent} of {usd_text(day.cap_micros)} USD"
    held = f" {usd_text(day.reserved_micros)} reserved," if day.reserved_micros else ""
    percent = f"{int(share * 100)} %"
    yield _first_that_fits(
        [
            f"money  {_bar(share, _CELLS)} {percent}  {of} spent,{held} {left} left",
            f"money  {_bar(share, _CELLS // 2)} {percent}  {of} spent,{held} {left} left",
            f"money  {of} spent,{held} {left} left",
            f"money  {of}, {left} left",
        ],
        width,
        tone,
    )
    counts = dict(view.status.backlog)
    if not counts:
        yield Line("items  unknown: the files have faults")
        return
    known = [counts, {name: number for name, number in counts.items() if number}]
    forms = [", ".join(f"{number} {name}" for name, number in one.items()) for one in known]
    yield _first_that_fits([f"items  {form}" for form in forms if form], width, "plain")


def _bar(share: float, cells: int) -> str:
    full = min(cells, -int(-share * cells // 1))
    return "█" * full + "░" * (cells - full)


def _first_that_fits(forms: Sequence[str], width: int, tone: Tone) -> Line:
    """Of the same said at length and shorter and shorter; the last one where none fits."""
    return Line(next((form for form in forms if columns(form) <= width), forms[-1]), tone)


def _sprint(view: Watching) -> Iterator[Line]:
    if view.sprint is None:
        last = view.status.last_sprint
        told = f"{last.id} {last.state}" if last else "none yet"
        yield Line(f"sprint none runs; the last one: {told}", "dim")
        return
    sprint = view.sprint
    focus = sprint.focus or (sprint.plan or {}).get("focus")
    about = f", {focus}" if focus else ""
    step = f"; done last: {view.step}" if view.step else "; it plans"
    began = _for(sprint.started_at, view.at)
    yield Line(f"sprint {sprint.id} ({sprint.kind.lower()}{about}) runs for {began}{step}", "bold")
    for track in view.tracks:
        yield Line(f"  {track.state:<9} {track.item} {one_line(track.title)}  ({track.agent})")


def _waiting(view: Watching, most: int) -> Iterator[Line]:
    if not view.waiting:
        return
    yield Line("")
    yield Line(f"Waits for a person ({len(view.waiting)})", "bold")
    shown = view.waiting[:most]
    for one in shown:
        yield Line(f"  {one.command}  -  {one.words}", "wait")
    if len(view.waiting) > len(shown):
        yield Line(f"  … and {len(view.waiting) - len(shown)} more", "dim")


def _until(now: datetime, due: datetime) -> str:
    return f"in {_for(now, due)}" if due > now else "now"


def _for(since: datetime, until: datetime) -> str:
    seconds = max(0, int((until - since).total_seconds()))
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {seconds:02} s"


def join_lines(lines: Sequence[Line]) -> str:
    """Without tones, for where there is no terminal."""
    return "\n".join(line.text.rstrip() for line in lines)
