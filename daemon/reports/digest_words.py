"""What an event says, as the values of its sentence; and which of many events are told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence, Set
from typing import Any

from daemon.config.phrases import Phrases
from daemon.governance.budget import BudgetDay, usd_text
from daemon.llm.provider import OFFLINE_MODEL
from daemon.reports.plain_text import one_line
from daemon.store.events import EventRow

HUMAN = (
    "halted", "blocked", "workspace_faults", "alert", "bill_above_hold", "unpriced_reply",
    "budget_warning", "diagnosis",
)  # fmt: skip
LONGEST_SUMMARY = 160


def newest_of(news: Sequence[EventRow], *kinds: str) -> list[EventRow]:
    """Events of these kinds, kind by kind; of the same words about an item only the newest."""
    found = [event for kind in kinds for event in news if event.kind == kind]
    newest = {(event.kind, event.item, str(event.facts)): event for event in found}
    return list(newest.values())


def human_of(news: Sequence[EventRow], mended: Set[int]) -> tuple[list[EventRow], list[EventRow]]:
    """What needs a person, and what needed one: `mended` are the ids of events that are over."""
    human = newest_of(news, *HUMAN)
    standing = [event for event in human if event.id not in mended]
    return standing, [event for event in human if event.id in mended]


def changed_of(news: Sequence[EventRow], most: int) -> list[EventRow]:
    """What works again, the newest reset by a person, and what was put back; `most` of each."""
    found = newest_of(news, "recovered")[-most:] + newest_of(news, "reset")[-1:]
    return found + newest_of(news, "reopened")[-most:]


def sprints_line(news: Sequence[EventRow], phrases: Phrases) -> str:
    """How the sprints ended, as a sentence; empty where none did."""
    counted = Counter(event.kind for event in news)
    ended = sorted((kind[7:], n) for kind, n in counted.items() if kind.startswith("sprint_"))
    told = ", ".join(phrases.text(f"page.sprints_{state}", count=n) for state, n in ended)
    return phrases.text("digest.sprints", sprints=told) if told else ""


def money_line(day: BudgetDay, phrases: Phrases) -> str:
    """Of today, to the micro-dollar: rounded figures beside exact ones are two figures for one thing."""
    return phrases.text(
        "digest.money",
        spent=usd_text(day.spent_micros),
        cap=usd_text(day.cap_micros),
        remaining=usd_text(day.remaining_micros),
    )


def values_of(event: EventRow) -> dict[str, Any]:
    """The placeholders of the sentence `digest.KIND`."""
    return _VALUES[event.kind](event)


def sentence_of(event: EventRow, phrases: Phrases, *, was: str = "") -> str:
    """The whole sentence of an event that is not a finding."""
    kind = {"rejected": "rejection"}.get(event.kind, event.kind)
    return phrases.text(f"digest.{was}{kind}", **values_of(event))


def finding_values(event: EventRow, phrases: Phrases) -> dict[str, Any]:
    """Of an accepted finding, with how it was made."""
    quoted = event.facts.get("model") == OFFLINE_MODEL
    how = f"; {phrases.text('finding.quotes_only')}" if quoted else ""
    return {**_accepted(event), "how": how}


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
