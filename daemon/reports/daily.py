"""The daily report: one whole UTC day in a few lines, also where nothing happened on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from daemon.config.phrases import Phrases
from daemon.governance.budget import SCOPE, usd_text
from daemon.governance.ledger_in_use import known_end
from daemon.llm.provider import OFFLINE_MODEL
from daemon.notify import message
from daemon.notify.message import Part
from daemon.reports.pages import item_page
from daemon.reports.plain_text import one_line
from daemon.reports.written import Written, whole_days
from daemon.store import attempts, budget, findings, sprints
from daemon.store.api_calls import costs_by
from daemon.store.database import Database
from daemon.store.findings import FindingRow

_MOST_LINES = 20


def write_daily(
    db: Database,
    slot: datetime,
    backlog: Mapping[str, int],
    phrases: Phrases,
    address: str = "",
) -> Written:
    """About the UTC day before `slot`; `backlog` is how the items stand now, empty if unknown.

    `address` is where links to the page lead; empty: there are none.
    """
    say = phrases.text
    since, until = whole_days(slot, 1)
    day = since.date()
    found = findings.list_findings(db, since=since, until=until)
    ended = attempts.count_ended_since(db, since, until)
    began = sprints.count_states(db, since, until)
    money = budget.find_day(db, SCOPE, day)
    spent, cap = (money.spent_micros, money.cap_micros) if money else (0, 0)
    calls = sum(row.calls for row in costs_by(db, "day", day, day))
    rejected = ended.get("rejected", 0)
    title, done = say("daily.title", day=day), [say("daily.rejected", count=rejected)]
    told = count_words(
        {say(f"page.sprint_{name}"): n for name, n in sorted(began.items())}, phrases
    )
    done.append(say("daily.sprints", sprints=told))
    key = "daily.money" if money else "daily.no_money"
    values = {"spent": usd_text(spent), "cap": usd_text(cap), "calls": calls} if money else {}
    paid, rest = say(key, **values), backlog_lines(backlog, phrases)
    end = known_end(db)
    if end is not None:  # who keeps this report can tell that the log was not cut below it
        rest.append(say("daily.ledger", entries=f"{end.size:,}", root=end.root[:16]))
    lines = [title, *_findings(db, found, phrases), *done, paid, *rest]
    parts = (
        message.heading(title),
        _learned(db, found, phrases, address),
        *map(message.small, done),
        message.bar(paid, spent, cap) if money else message.small(paid),
        *map(message.small, rest),
    )
    facts = {
        "day": day.isoformat(),
        "findings": [row.path for row in found],
        "rejected": rejected,
        "sprints": began,
        "spent_micros": spent,
        "calls": calls,
        "backlog": dict(backlog),
        "checkpoint": end.note if end else None,
    }
    return Written("\n".join(lines), facts, parts)


def backlog_lines(backlog: Mapping[str, int], phrases: Phrases) -> list[str]:
    """How the items stand, as one line; no line where that is not known."""
    counts = {phrases.text(f"page.standing_{name}"): number for name, number in backlog.items()}
    return [phrases.text("daily.backlog", backlog=count_words(counts, phrases))] if counts else []


def count_words(counts: Mapping[str, int], phrases: Phrases) -> str:
    """As "3 completed, 1 failed": zeros are left out, and "none" stands where nothing is left."""
    told = ", ".join(f"{number} {name}" for name, number in counts.items() if number)
    return told or phrases.text("daily.none")


def _learned(db: Database, found: Sequence[FindingRow], phrases: Phrases, address: str) -> Part:
    if not found:
        return message.text(phrases.text("daily.no_findings"))
    models = findings.models_by_attempt(db, found)
    entries = [
        message.line(
            one_line(row.title),
            detail=phrases.text(
                "digest.short_finding",
                score=f"{row.score_hundredths / 100:.2f}",
                criterion=row.criterion,
                how=_how(models.get(row.attempt_id), phrases),
            ),
            mark=row.item,
            link=item_page(address, row.item),
        )
        for row in found
    ]
    return message.lines(entries, title=phrases.text("daily.findings", count=len(found)))


def _findings(db: Database, found: Sequence[FindingRow], phrases: Phrases) -> list[str]:
    if not found:
        return [phrases.text("daily.no_findings")]
    models = findings.models_by_attempt(db, found[:_MOST_LINES])
    shown = [
        phrases.text(
            "daily.finding",
            item=row.item,
            title=one_line(row.title),
            criterion=row.criterion,
            score=f"{row.score_hundredths / 100:.2f}",
            how=_how(models.get(row.attempt_id), phrases),
            path=one_line(row.path),
        )
        for row in found[:_MOST_LINES]
    ]
    more = len(found) - len(shown)
    heading = phrases.text("daily.findings", count=len(found))
    return [heading, *(f"  - {line}" for line in shown), *([f"  - … +{more}"] if more else [])]


def _how(model: str | None, phrases: Phrases) -> str:
    """How a finding was made, where that is not as usual."""
    return f"; {phrases.text('finding.quotes_only')}" if model == OFFLINE_MODEL else ""
