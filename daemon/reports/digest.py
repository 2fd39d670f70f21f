"""The digest: what happened since the last one, in a few lines; nothing where nothing happened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from daemon.config.phrases import Phrases
from daemon.governance.budget import BudgetDay, usd_text
from daemon.llm.provider import OFFLINE_MODEL
from daemon.reports.mended import drop_what_works_again, mended_by_now
from daemon.reports.plain_text import one_line
from daemon.store import control, events
from daemon.store.database import Database
from daemon.store.events import EventRow

__all__ = ["Digest", "keep_digest", "one_line", "prepare_digest", "render_digest"]

_LAST = "digest.last_event"
_MOST_LINES = 20
_LONGEST_SUMMARY = 160
_MOST_EVENTS = 5_000  # of one digest; what is beyond comes with the next one
_HUMAN = (
    "halted", "blocked", "workspace_faults", "alert", "bill_above_hold", "unpriced_reply",
    "budget_warning", "diagnosis",
)  # fmt: skip
# An idle tick or an orderly stop is no news; everything else is.
_NEWS = frozenset(
    {"accepted", "rejected", "recovered", "reset", "reopened", "sprint_completed", "sprint_failed",
     "sprint_paused_budget", *_HUMAN}
)  # fmt: skip


@dataclass(frozen=True)
class Digest:
    """`last_event` is the newest event that it covers."""

    text: str
    last_event: int


def prepare_digest(db: Database, day: BudgetDay, phrases: Phrases) -> Digest | None:
    """The digest of what happened since the last kept one; None where there is no news."""
    last = int(control.get(db, _LAST) or 0)
    news: list[EventRow] = []
    # Page by page: months of idle ticks must not hide the first event that is news again.
    while len(news) < _MOST_EVENTS and (found := events.list_after(db, last)):
        news += [event for event in found if _is_news(event)]
        last = found[-1].id
    news = drop_what_works_again(news)
    mended = mended_by_now(db, news)
    return Digest(render_digest(news, day, phrases, mended), last) if news else None


def keep_digest(db: Database, digest: Digest, now: datetime) -> None:
    """Remember that a digest was handed on, so that its events do not come again."""
    control.put(db, _LAST, digest.last_event, now)


def render_digest(
    news: Sequence[EventRow], day: BudgetDay, phrases: Phrases, mended: Set[int] = frozenset()
) -> str:
    """Findings first, then what was rejected and why, what needs a human, and the money.

    `mended` are the ids of events that need nobody any more.
    """
    say = phrases.text
    lines = [say("digest.title", at=f"{news[-1].at:%Y-%m-%d %H:%M}")]
    lines += _section(say("digest.learned"), _of(news, "accepted"), phrases)
    lines += _section(say("digest.rejected"), _of(news, "rejected"), phrases)
    human = _of(news, *_HUMAN)
    standing = [event for event in human if event.id not in mended]
    lines += _section(say("digest.needs_you"), standing, phrases)
    over = [event for event in human if event.id in mended]
    lines += _section(say("digest.mended"), over, phrases, was="was_")
    lines += [_line(event, phrases) for event in _of(news, "recovered")[-_MOST_LINES:]]
    lines += [_line(event, phrases) for event in _of(news, "reset")[-1:]]
    lines += [_line(event, phrases) for event in _of(news, "reopened")[-_MOST_LINES:]]
    counted = Counter(event.kind for event in news)
    sprints = {kind[7:]: n for kind, n in counted.items() if kind.startswith("sprint_")}
    if sprints:
        told = ", ".join(f"{n} {say('sprint.' + state)}" for state, n in sorted(sprints.items()))
        lines.append(say("digest.sprints", sprints=told))
    lines.append(
        say("digest.money", spent=usd_text(day.spent_micros), cap=usd_text(day.cap_micros),
            remaining=usd_text(day.remaining_micros))
    )  # fmt: skip
    return "\n".join(lines)


def _of(news: Sequence[EventRow], *kinds: str) -> list[EventRow]:
    """Events of these kinds, kind by kind; of the same words about an item only the newest."""
    found = [event for kind in kinds for event in news if event.kind == kind]
    newest = {(event.kind, event.item, str(event.facts)): event for event in found}
    return list(newest.values())


def _is_news(event: EventRow) -> bool:
    if event.kind == "reset" and not event.facts.get("was_halted", True):
        return bool(event.facts["failures"] or event.facts["unblocked"])
    return event.kind in _NEWS


def _section(
    title: str, found: Sequence[EventRow], phrases: Phrases, *, was: str = ""
) -> list[str]:
    if not found:
        return []
    shown = [f"  - {_line(event, phrases, was=was)}" for event in found[:_MOST_LINES]]
    more = len(found) - len(shown)
    return [f"{title} ({len(found)})", *shown, *([f"  - … +{more}"] if more else [])]


def _line(event: EventRow, phrases: Phrases, *, was: str = "") -> str:
    kind = {"rejected": "rejection"}.get(event.kind, event.kind)
    if event.kind == "accepted":
        return _finding(event, phrases)
    return phrases.text(f"digest.{was}{kind}", **_VALUES[event.kind](event))


def _finding(event: EventRow, phrases: Phrases) -> str:
    """What it is about, what it says, and where it stands: three lines."""
    facts = event.facts
    quoted = facts.get("model") == OFFLINE_MODEL
    how = f"; {phrases.text('finding.quotes_only')}" if quoted else ""
    head = phrases.text("digest.finding", **_accepted(event), how=how)
    summary = one_line(str(facts.get("summary", "")), _LONGEST_SUMMARY)
    return "\n    ".join(filter(None, (head, summary, one_line(facts["path"]))))


def _accepted(event: EventRow) -> dict[str, Any]:
    facts = event.facts
    return {
        "item": event.item,
        "title": one_line(facts["title"]),
        "criterion": one_line(facts["criterion"]),
        "score": f"{facts['score_hundredths'] / 100:.2f}",
    }


def _rejected(event: EventRow) -> dict[str, Any]:
    facts = event.facts
    return {
        "item": event.item,
        "title": one_line(facts["title"]),
        "number": facts["rejections"],
        "reason": _reason(event)["reason"],
    }


def _reason(event: EventRow) -> dict[str, Any]:
    # Without its full stop, because the sentence around it has one.
    return {"reason": one_line(str(event.facts.get("reason", "")), 300).rstrip(".")}


def _bill(event: EventRow) -> dict[str, Any]:
    return {
        "cost": usd_text(event.facts["cost_micros"]),
        "held": usd_text(event.facts["held_micros"]),
    }


def _warning(event: EventRow) -> dict[str, Any]:
    facts = event.facts
    spent, cap = usd_text(facts["spent_micros"]), usd_text(facts["cap_micros"])
    return {"percent": facts["percent"], "spent": spent, "cap": cap}


def _recovered(event: EventRow) -> dict[str, Any]:
    since = f"{event.facts['since'][:16].replace('T', ' ')} UTC"
    return {"count": event.facts["count"], "since": since, **_reason(event)}


def _diagnosis(event: EventRow) -> dict[str, Any]:
    return {"failures": event.facts["failures"], **_reason(event)}


def _reset(event: EventRow) -> dict[str, Any]:
    return {"failures": event.facts["failures"], "count": len(event.facts["unblocked"])}


def _reopened(event: EventRow) -> dict[str, Any]:
    return {"items": one_line(", ".join(event.facts["items"]), 300)}


_VALUES: dict[str, Callable[[EventRow], dict[str, Any]]] = {
    "rejected": _rejected,
    "blocked": _rejected,
    "halted": _reason,
    "workspace_faults": _reason,
    "alert": _reason,
    "unpriced_reply": _reason,
    "bill_above_hold": _bill,
    "budget_warning": _warning,
    "diagnosis": _diagnosis,
    "recovered": _recovered,
    "reset": _reset,
    "reopened": _reopened,
}
