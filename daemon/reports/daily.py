"""The daily report: a whole UTC day and the one that runs, in figures, with what waits for a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from daemon.config.phrases import Phrases
from daemon.governance.budget import usd_text
from daemon.notify import message
from daemon.notify.message import Part
from daemon.reports.day_figures import Daily, DayFigures, daily_as_json
from daemon.reports.pages import item_page
from daemon.reports.plain_text import one_line, points
from daemon.reports.written import Written
from daemon.store.api_calls import CostRow
from daemon.store.findings import FindingRow

_MOST_REASON = 300


@dataclass(frozen=True)
class Told:
    """What came of asking a model for the summary: its `words`, or why they are left out (`left_out`).

    Nobody was asked where both are empty. `cost_micros` is what the asking has cost.
    """

    words: str = ""
    model: str = ""
    left_out: str = ""
    cost_micros: int = 0


NOBODY_ASKED = Told()


def write_daily(
    found: Daily, phrases: Phrases, address: str = "", told: Told = NOBODY_ASKED
) -> Written:
    """`address` is where links to the page lead; empty: there are none.

    The summary is a model's where `told` has its words, else the one that is worked out here.
    """
    say, day = phrases.text, found.before
    title = say("daily.title", day=day.day)
    brief = summary_of(found, phrases)
    summary = [say("daily.narrated", words=told.words, model=told.model)] if told.words else [brief]
    summary += list(_remarks(found, phrases, told))
    done, paid = _done(day, phrases), _money(day, phrases)
    lists = list(_lists(found, phrases))
    rest = [today_line(found, phrases), *backlog_lines(found.backlog, phrases)]
    ledger = _ledger(found, phrases)
    blocked = _blocked(found, phrases, address)
    text = [title, *summary, *_told(blocked), *_findings(day, phrases), *done, paid, *rest]
    text += _told(lists)
    text += [line for words, note in ledger for line in (words, "```", *note.splitlines(), "```")]
    parts = (
        message.heading(title),
        message.text(summary[0]),
        *map(message.small, summary[1:]),
        *(message.lines(entries, title=heading) for heading, entries in blocked),
        _learned(day, phrases, address),
        *map(message.small, done),
        message.small(paid)
        if day.cap_micros is None
        else message.bar(paid, day.spent_micros, day.cap_micros),
        *map(message.small, rest),
        *(message.lines(entries, title=heading) for heading, entries in lists),
        *(message.text(f"{words}\n```\n{note.strip()}\n```") for words, note in ledger),
    )
    facts = {**daily_as_json(found), "summary": summary[0], "narrator": _narrator(told)}
    return Written("\n".join(text), facts, parts, title=brief)


def summary_of(found: Daily, phrases: Phrases) -> str:
    """Both days in two sentences, worked out without a model."""
    before, today = found.before, found.today
    return phrases.text(
        "daily.summary",
        day=before.day,
        findings=len(before.findings),
        rejected=before.rejected,
        spent=usd_text(before.spent_micros),
        today=today.day,
        at=until_text(found),
        findings_today=len(today.findings),
        rejected_today=today.rejected,
        spent_today=usd_text(today.spent_micros),
        blocked=len(found.blocked),
    )


def until_text(found: Daily) -> str:
    """Up to when the running day is told: 13:00, or 24:00 for a whole one."""
    return "24:00" if found.until.date() != found.today.day else f"{found.until:%H:%M}"


def today_line(found: Daily, phrases: Phrases) -> str:
    today = found.today
    return phrases.text(
        "daily.today",
        day=today.day,
        at=until_text(found),
        findings=len(today.findings),
        rejected=today.rejected,
        sprints=_sprints(today, phrases),
        money=_spent(today, phrases),
    )


def backlog_lines(backlog: Mapping[str, int], phrases: Phrases) -> list[str]:
    """How the items stand, as one line; no line where that is not known."""
    told = count_words("page.counted", backlog, phrases)
    return [phrases.text("daily.backlog", backlog=told)] if backlog else []


def count_words(key: str, counts: Mapping[str, int], phrases: Phrases) -> str:
    """As "3 completed, 1 failed", each by its phrase key_name: zeros are left out, and "none" stands
    where nothing is left."""
    told = (phrases.text(f"{key}_{name}", count=n) for name, n in counts.items() if n)
    return ", ".join(told) or phrases.text("daily.none")


def _remarks(found: Daily, phrases: Phrases, told: Told) -> Iterator[str]:
    if told.left_out:
        yield phrases.text("daily.summary_replaced", why=one_line(told.left_out, 300).rstrip("."))
    if told.cost_micros:
        yield phrases.text(
            "daily.summary_cost", usd=usd_text(told.cost_micros), day=found.until.date()
        )


def _narrator(told: Told) -> dict[str, object]:
    return {"model": told.model, "left_out": told.left_out, "cost_micros": told.cost_micros}


def _done(day: DayFigures, phrases: Phrases) -> list[str]:
    return [
        phrases.text("daily.rejected", count=day.rejected),
        phrases.text("daily.sprints", sprints=_sprints(day, phrases)),
    ]


def _sprints(day: DayFigures, phrases: Phrases) -> str:
    return count_words("page.sprints", dict(sorted(day.sprints.items())), phrases)


def _money(day: DayFigures, phrases: Phrases) -> str:
    if day.cap_micros is None:
        return phrases.text("daily.no_money")
    if day.is_offline:
        return phrases.text("daily.money_offline", calls=day.calls)
    spent, cap = usd_text(day.spent_micros), usd_text(day.cap_micros)
    return phrases.text("daily.money", spent=spent, cap=cap, calls=day.calls)


def _spent(day: DayFigures, phrases: Phrases) -> str:
    """What the running day cost so far."""
    if day.is_offline:
        return phrases.text("money.offline", calls=day.calls)
    if not day.calls and not day.spent_micros:
        return phrases.text("money.nobody_asked")
    return phrases.text("money.spent", spent=usd_text(day.spent_micros), calls=day.calls)


def _blocked(found: Daily, phrases: Phrases, address: str) -> list[tuple[str, Sequence[Part]]]:
    """What waits for a person, and why; no list where nothing does."""
    entries = [
        message.line(
            one_line(one.title),
            mark=one.item,
            detail=one_line(one.reason, _MOST_REASON),
            link=item_page(address, one.item),
        )
        for one in found.blocked
    ]
    return [(phrases.text("daily.blocked", count=len(entries)), entries)] if entries else []


def _lists(found: Daily, phrases: Phrases) -> Iterator[tuple[str, Sequence[Part]]]:
    """The money of both days by agent and by item; no empty list."""
    say = phrases.text
    for name, nameless, before, today in (
        ("by_agent", "no_agent", found.before.agents, found.today.agents),
        ("by_item", "no_item", found.before.items, found.today.items),
    ):
        costs = _costs(found, before, today, say(f"day_close.{nameless}"), phrases)
        if costs:
            yield say(f"daily.{name}"), costs


def _costs(
    found: Daily,
    before: Sequence[CostRow],
    today: Sequence[CostRow],
    nameless: str,
    phrases: Phrases,
) -> list[Part]:
    was, now = ({row.name: row for row in rows} for rows in (before, today))
    lines = []
    for name in dict.fromkeys([*was, *now]):
        told = phrases.text(
            "daily.cost",
            name=one_line(name or nameless),
            usd=_usd(was.get(name)),
            calls=_calls(was.get(name)),
        )
        if name in now:
            told += phrases.text(
                "daily.cost_today",
                day=found.today.day,
                usd=_usd(now.get(name)),
                calls=_calls(now.get(name)),
            )
        lines.append(message.line(told))
    return lines


def _usd(row: CostRow | None) -> str:
    return usd_text(row.cost_micros if row else 0)


def _calls(row: CostRow | None) -> int:
    return row.calls if row else 0


def _ledger(found: Daily, phrases: Phrases) -> list[tuple[str, str]]:
    """The newest checkpoint: who keeps it elsewhere can tell that the log was not cut below it."""
    end = found.end
    if end is None:
        return []
    return [(phrases.text("daily.ledger", entries=f"{end.size:,}", root=end.root), end.note)]


def _learned(day: DayFigures, phrases: Phrases, address: str) -> Part:
    if not day.findings:
        return message.text(phrases.text("daily.no_findings"))
    entries = [
        message.line(
            one_line(row.title),
            detail=phrases.text(
                "digest.short_finding",
                score=f"{row.score_hundredths / 100:.2f}",
                criterion=row.criterion,
                how=_how(row, day, phrases),
            ),
            mark=row.item,
            link=item_page(address, row.item),
        )
        for row in day.findings
    ]
    return message.lines(entries, title=phrases.text("daily.findings", count=len(day.findings)))


def _findings(day: DayFigures, phrases: Phrases) -> list[str]:
    if not day.findings:
        return [phrases.text("daily.no_findings")]
    lines = [
        phrases.text(
            "daily.finding",
            item=row.item,
            title=one_line(row.title),
            criterion=row.criterion,
            score=f"{row.score_hundredths / 100:.2f}",
            how=_how(row, day, phrases),
            path=one_line(row.path),
        )
        for row in day.findings
    ]
    return [phrases.text("daily.findings", count=len(lines)), *points(lines)]


def _told(lists: Sequence[tuple[str, Sequence[Part]]]) -> list[str]:
    """Each list as lines under its heading."""
    return [line for heading, entries in lists for line in (heading, *_as_lines(entries))]


def _as_lines(entries: Sequence[Part]) -> list[str]:
    told = (
        f"{one['mark']} {one['words']}".strip() + f": {one['detail']}"
        if one["mark"]
        else one["words"]
        for one in entries
    )
    return points([" ".join(str(line).split()) for line in told])


def _how(row: FindingRow, day: DayFigures, phrases: Phrases) -> str:
    """How a finding was made, where that is not as usual."""
    quoted = row.attempt_id in day.quoted
    return f"; {phrases.text('finding.quotes_only')}" if quoted else ""
