"""One message of each kind for `notify test`, marked as a test; none of them is true but the figures.

Their buttons lead to the answer that this was a test, whatever they lead to in a real message.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from daemon.config.phrases import Phrases
from daemon.governance.approval_words import question_message
from daemon.governance.budget import BudgetDay
from daemon.notify import message
from daemon.notify.message import Part
from daemon.reports.daily import write_daily
from daemon.reports.day_figures import take_daily
from daemon.reports.digest import render_digest
from daemon.reports.digest_message import digest_brief, digest_parts
from daemon.reports.review import take_review
from daemon.reports.review_text import write_review
from daemon.reports.written import Written
from daemon.sprint.diagnosis_text import Group, Picture, render_diagnosis
from daemon.store.approvals import ApprovalRow
from daemon.store.database import Database
from daemon.store.events import EventRow
from daemon.workspace.board import Board
from daemon.workspace.definitions import KillCriterion

PRESS = "test.press"
_LINES_OF_FILE = 400
_HOUR = timedelta(hours=1)


@dataclass(frozen=True)
class Sample:
    """`name` is what people call it; `payload` is in the outbox's form."""

    name: str
    payload: Mapping[str, Any]


@dataclass(frozen=True)
class Facts:
    """What samples are made of. `board` is None where the workspace's files have faults: there is no
    review then. `address` is where links to the page lead; empty: there are none."""

    root: Path
    db: Database
    now: datetime
    day: BudgetDay
    board: Board | None
    criteria: Sequence[KillCriterion]
    phrases: Phrases
    address: str


def build_samples(facts: Facts, prefix: str) -> tuple[Sample, ...]:
    """In the order in which they leave; `prefix` with a name is the outbox key of each."""
    say, board = facts.phrases.text, facts.board
    taken = take_daily(facts.db, facts.now, facts.now, board)
    daily = write_daily(taken, facts.phrases, facts.address)
    found = [_digest(facts), _of_report("daily", daily, facts.phrases)]
    if board is not None:
        review = take_review(facts.root, facts.db, facts.criteria, board, facts.now)
        found.append(_of_report("review", write_review(review, facts.phrases), facts.phrases))
    before, after = ([message.text(say(f"test.{name}"))] for name in ("before", "after"))
    found += [
        _alert(facts.phrases),
        _diagnosis(facts),
        _question(facts),
        _file(facts.phrases),
        _sample("thread", _links(facts), say("test.mark"), more={"thread": f"{prefix}/digest"}),
        _sample("edit_before", before, say("test.mark")),
        _sample("edit", after, say("test.mark"), more={"edits": f"{prefix}/edit_before"}),
    ]
    return tuple(Sample(one.name, _harmless(one.payload, f"{prefix}/{one.name}")) for one in found)


def _digest(facts: Facts) -> Sample:
    say, phrases = facts.phrases.text, facts.phrases
    told = {
        "criterion": "KC1",
        "score_hundredths": 82,
        "path": "memory/findings/",
        "summary": say("test.digest_summary"),
    }
    refused = {"rejections": 2, "reason": say("test.digest_reason")}
    learned, blocked = say("test.digest_learned_title"), say("test.digest_blocked_title")
    news = [
        _event(1, facts.now, "accepted", {"title": learned, **told}),
        _event(2, facts.now, "rejected", {"title": blocked, **refused}),
        _event(3, facts.now, "blocked", {"title": blocked, **refused, "rejections": 3}),
    ]
    parts = digest_parts(news, facts.day, phrases)
    text = render_digest(news, facts.day, phrases)
    return _sample("digest", parts, say("test.mark"), text=text, title=digest_brief(news, phrases))


def _event(number: int, at: datetime, kind: str, facts: Mapping[str, Any]) -> EventRow:
    return EventRow(number, at, kind, None, f"TEST-{number}", facts)


def _of_report(name: str, written: Written, phrases: Phrases) -> Sample:
    mark, parts = phrases.text("test.mark_true"), written.parts
    return _sample(name, parts, mark, text=written.body, title=written.title)


def _alert(phrases: Phrases) -> Sample:
    say = phrases.text
    parts = [message.text(f"⚠️ {say('test.alert')}"), message.small(say("test.alert_cure"))]
    return _sample("alert", parts, say("test.mark"))


def _diagnosis(facts: Facts) -> Sample:
    cause = facts.phrases.text("test.diagnosis_cause")
    group = Group("disk_full", 3, facts.now - _HOUR, facts.now, cause, ("TEST-1",))
    body = render_diagnosis(Picture(0, facts.now, 3, (group,)), "", facts.phrases)
    heading, _, rest = body.partition("\n")
    parts = [message.heading(heading.lstrip("# ")), message.text(rest.strip())]
    return _sample("diagnosis", parts, facts.phrases.text("test.mark"), text=body)


def _question(facts: Facts) -> Sample:
    """As a real one is asked; no such approval is kept, so it cannot be decided."""
    say = facts.phrases.text
    row = ApprovalRow(
        id="TEST", kind="post", title=say("test.question_title"), why=say("test.question_why"),
        if_unanswered="", asked_by="notify test", payload={}, payload_sha256="0" * 64,
        dedupe=None, state="pending", asked_at=facts.now, remind_at=None,
        expires_at=facts.now + _HOUR,
    )  # fmt: skip
    asked = question_message(row, facts.phrases)
    return _sample("question", asked["parts"], say("test.mark"), title=asked["title"])


def _file(phrases: Phrases) -> Sample:
    say = phrases.text
    lines = [say("test.file_line", number=number) for number in range(1, _LINES_OF_FILE + 1)]
    parts = [message.heading(say("test.file_title")), message.text(say("test.file_told"))]
    file = {"name": "test.md", "text": "\n".join(lines) + "\n"}
    return _sample("file", parts, say("test.mark"), more={"file": file})


def _links(facts: Facts) -> list[Part]:
    say = facts.phrases.text
    parts = [message.text(say("test.thread"))]
    if facts.address:
        page = message.line("", mark=say("test.page"), link=f"{facts.address}/")
        parts.append(message.lines([page], title=say("test.links")))
    return parts


def _sample(
    name: str,
    parts: Sequence[Part],
    mark: str,
    *,
    text: str = "",
    title: str = "",
    more: Mapping[str, Any] | None = None,
) -> Sample:
    """The mark stands below the heading, and before the text and the title."""
    place = 1 if parts and parts[0]["type"] == "heading" else 0
    shown = [*parts[:place], message.small(f"🧪 {mark}"), *parts[place:]]
    whole = f"{mark}\n\n{text or message.as_markdown(parts)}"
    short = mark.partition(".")[0]
    first = title or str(parts[place - 1 if place else 0].get("text") or "")
    named = first if first.startswith(f"{short}: ") else f"{short}: {first}"
    return Sample(name, {"title": named[:100], "text": whole, "parts": shown,
                         **(more or {})})  # fmt: skip


def _harmless(payload: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Every button answers that this was a test, in the thread of its own message."""
    return {**payload, "parts": [_without_effect(part, key) for part in payload["parts"]]}


def _without_effect(part: Part, key: str) -> dict[str, Any]:
    if part["type"] != "buttons":
        return dict(part)
    shown = [{**one, "action": PRESS, "value": key} for one in part["entries"]]
    return {**part, "entries": shown}
