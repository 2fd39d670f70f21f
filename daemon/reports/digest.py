"""The digest: what happened since the last one, in a few lines; nothing where nothing happened."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from datetime import datetime

from daemon.config.phrases import Phrases
from daemon.governance.budget import BudgetDay
from daemon.notify.message import Part
from daemon.reports.digest_message import digest_brief, digest_parts
from daemon.reports.digest_words import (
    HUMAN,
    LONGEST_SUMMARY,
    changed_of,
    finding_values,
    human_of,
    money_line,
    newest_of,
    sentence_of,
    sprints_line,
)
from daemon.reports.mended import drop_what_works_again, mended_by_now
from daemon.reports.plain_text import one_line, points
from daemon.store import control, events
from daemon.store.database import Database
from daemon.store.events import EventRow

_LAST = "digest.last_event"
_MOST_LINES = 20
_MOST_EVENTS = 5_000  # of one digest; what is beyond comes with the next one
# An idle tick or an orderly stop is no news; everything else is.
_NEWS = frozenset(
    {"accepted", "rejected", "recovered", "reset", "reopened", "sprint_completed", "sprint_failed",
     "sprint_paused_budget", *HUMAN}
)  # fmt: skip


@dataclass(frozen=True)
class Digest:
    """`last_event` is the newest event that it covers; `parts` say the same as `text`, for where
    there are links and buttons, and `title` how much there is of what."""

    text: str
    last_event: int
    parts: tuple[Part, ...] = ()
    title: str = ""


def prepare_digest(
    db: Database, day: BudgetDay, phrases: Phrases, address: str = ""
) -> Digest | None:
    """The digest of what happened since the last kept one; None where there is no news.

    `address` is where links to the page lead; empty: there are none.
    """
    last = int(control.get(db, _LAST) or 0)
    news: list[EventRow] = []
    # Page by page: months of idle ticks must not hide the first event that is news again.
    while len(news) < _MOST_EVENTS and (found := events.list_after(db, last)):
        news += [event for event in found if _is_news(event)]
        last = found[-1].id
    news = drop_what_works_again(news)
    mended = mended_by_now(db, news)
    if not news:
        return None
    text = render_digest(news, day, phrases, mended)
    parts = digest_parts(news, day, phrases, mended, address)
    return Digest(text, last, parts, digest_brief(news, phrases, mended))


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
    lines += _section(say("digest.learned"), newest_of(news, "accepted"), phrases)
    lines += _section(say("digest.rejected"), newest_of(news, "rejected"), phrases)
    standing, over = human_of(news, mended)
    lines += _section(say("digest.needs_you"), standing, phrases)
    lines += _section(say("digest.mended"), over, phrases, was="was_")
    lines += [sentence_of(event, phrases) for event in changed_of(news, _MOST_LINES)]
    lines += filter(None, [sprints_line(news, phrases)])
    lines.append(money_line(day, phrases))
    return "\n".join(lines)


def _is_news(event: EventRow) -> bool:
    if event.kind == "reset" and not event.facts.get("was_halted", True):
        return bool(event.facts["failures"] or event.facts["unblocked"])
    return event.kind in _NEWS


def _section(
    title: str, found: Sequence[EventRow], phrases: Phrases, *, was: str = ""
) -> list[str]:
    if not found:
        return []
    told = [_line(event, phrases, was=was) for event in found]
    return [f"{title} ({len(found)})", *points(told, _MOST_LINES)]


def _line(event: EventRow, phrases: Phrases, *, was: str = "") -> str:
    if event.kind == "accepted":
        return _finding(event, phrases)
    return sentence_of(event, phrases, was=was)


def _finding(event: EventRow, phrases: Phrases) -> str:
    """What it is about, what it says, and where it stands: three lines."""
    facts = event.facts
    head = phrases.text("digest.finding", **finding_values(event, phrases))
    summary = one_line(str(facts.get("summary", "")), LONGEST_SUMMARY)
    return "\n    ".join(filter(None, (head, summary, one_line(facts["path"]))))
