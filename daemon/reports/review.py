"""The weekly review of the kill criteria: what is counted, never what is concluded.

Whether a criterion is met is a judgement of evidence that no count replaces, so the verdict of every
criterion is "not yet known" here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from daemon.config.phrases import Phrases
from daemon.notify import message
from daemon.notify.message import Part
from daemon.reports.plain_text import one_line
from daemon.reports.written import Written, whole_days
from daemon.store import findings
from daemon.store.database import Database
from daemon.workspace.board import Board
from daemon.workspace.definitions import KillCriterion

_WEEK = 7


def write_review(
    db: Database, slot: datetime, criteria: Sequence[KillCriterion], board: Board, phrases: Phrases
) -> Written:
    """Findings of the seven whole UTC days before `slot`, and in all until now as the items stand."""
    say = phrases.text
    since, until = whole_days(slot, _WEEK)
    week = Counter(row.criterion for row in findings.list_findings(db, since=since, until=until))
    in_all = Counter(findings.count_by_criterion(db))
    facts = [
        _facts(criterion, board, week[criterion.id], in_all[criterion.id], slot)
        for criterion in criteria
    ]
    title = say("review.title", since=since.date(), until=until.date())
    verdict = say("review.verdict_is_yours")
    told = [_lines(one, fact, phrases) for one, fact in zip(criteria, facts, strict=True)]
    text = [title, *("\n  - ".join(lines) for lines in told), verdict]
    parts = (message.heading(title), *map(_part, told), message.small(verdict))
    return Written("\n".join(text), {"since": str(since.date()), "criteria": facts}, parts)


def _part(lines: Sequence[str]) -> Part:
    return message.lines([message.line(words) for words in lines[1:]], title=lines[0])


def _facts(
    criterion: KillCriterion, board: Board, week: int, in_all: int, slot: datetime
) -> dict[str, Any]:
    standing = Counter(
        entry.standing for entry in board.entries if entry.item.criterion == criterion.id
    )
    return {
        "criterion": criterion.id,
        "findings_this_week": week,
        "findings": in_all,
        "items": {name: standing[name] for name in ("eligible", "waiting", "blocked", "done")},
        "deadline": criterion.deadline.isoformat(),
        "days_left": (criterion.deadline - slot.date()).days,
        "verdict": "not yet known",
    }


def _lines(criterion: KillCriterion, fact: dict[str, Any], phrases: Phrases) -> list[str]:
    say, items, days = phrases.text, fact["items"], fact["days_left"]
    left = say("review.days_over" if days < 0 else "review.days_left", days=abs(days))
    return [
        say("review.criterion", id=criterion.id, name=one_line(criterion.name)),
        say("review.findings", week=fact["findings_this_week"], all=fact["findings"]),
        say(
            "review.items",
            open=items["eligible"] + items["waiting"],
            waiting=items["waiting"],
            blocked=items["blocked"],
            done=items["done"],
        ),
        say("review.deadline", deadline=criterion.deadline, left=left),
    ]
