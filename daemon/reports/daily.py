"""The daily report: one whole UTC day in a few lines, also where nothing happened on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from daemon.config.phrases import Phrases
from daemon.governance.budget import SCOPE, usd_text
from daemon.governance.ledger_in_use import known_end
from daemon.llm.provider import OFFLINE_MODEL
from daemon.reports.plain_text import one_line
from daemon.reports.written import Written, whole_days
from daemon.store import attempts, budget, findings, sprints
from daemon.store.api_calls import costs_by
from daemon.store.database import Database
from daemon.store.findings import FindingRow

_MOST_LINES = 20


def write_daily(
    db: Database, slot: datetime, backlog: Mapping[str, int], phrases: Phrases
) -> Written:
    """About the UTC day before `slot`; `backlog` is how the items stand now, empty if unknown."""
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
    lines = [say("daily.title", day=day), *_findings(db, found, phrases)]
    lines.append(say("daily.rejected", count=rejected))
    told = count_words(
        {say(f"page.sprint_{name}"): n for name, n in sorted(began.items())}, phrases
    )
    lines.append(say("daily.sprints", sprints=told))
    key = "daily.money" if money else "daily.no_money"
    lines.append(
        say(
            key,
            **({"spent": usd_text(spent), "cap": usd_text(cap), "calls": calls} if money else {}),
        )
    )
    lines += backlog_lines(backlog, phrases)
    end = known_end(db)
    if end is not None:  # who keeps this report can tell that the log was not cut below it
        lines.append(say("daily.ledger", entries=f"{end.size:,}", root=end.root[:16]))
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
    return Written("\n".join(lines), facts)


def backlog_lines(backlog: Mapping[str, int], phrases: Phrases) -> list[str]:
    """How the items stand, as one line; no line where that is not known."""
    counts = {phrases.text(f"page.standing_{name}"): number for name, number in backlog.items()}
    return [phrases.text("daily.backlog", backlog=count_words(counts, phrases))] if counts else []


def count_words(counts: Mapping[str, int], phrases: Phrases) -> str:
    """As "3 completed, 1 failed": zeros are left out, and "none" stands where nothing is left."""
    told = ", ".join(f"{number} {name}" for name, number in counts.items() if number)
    return told or phrases.text("daily.none")


def _findings(db: Database, found: Sequence[FindingRow], phrases: Phrases) -> list[str]:
    if not found:
        return [phrases.text("daily.no_findings")]
    models = findings.models_by_attempt(db, found[:_MOST_LINES])
    quotes = f"; {phrases.text('finding.quotes_only')}"
    shown = [
        phrases.text(
            "daily.finding",
            item=row.item,
            title=one_line(row.title),
            criterion=row.criterion,
            score=f"{row.score_hundredths / 100:.2f}",
            how=quotes if models.get(row.attempt_id) == OFFLINE_MODEL else "",
            path=one_line(row.path),
        )
        for row in found[:_MOST_LINES]
    ]
    more = len(found) - len(shown)
    heading = phrases.text("daily.findings", count=len(found))
    return [heading, *(f"  - {line}" for line in shown), *([f"  - … +{more}"] if more else [])]
