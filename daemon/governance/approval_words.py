"""What people read of an approval: the question, its reminder, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from daemon.clock import to_text, utc_text
from daemon.config.phrases import Phrases
from daemon.governance.approval_standing import Standing, standing_of
from daemon.governance.incidents import Voice
from daemon.notify import message
from daemon.notify.message import Part
from daemon.store import outbox
from daemon.store.approvals import ApprovalRow
from daemon.store.database import Database

DIGITS_SHOWN = 16
_INSET = "    "
_LONGEST_TITLE = 140  # with "A7: " before it, still a header of Slack


def send_question(db: Database, row: ApprovalRow, voice: Voice, now: datetime) -> None:
    """Hand the question to every channel, in the transaction that keeps it."""
    payload = question_message(row, voice.phrases)
    for channel in voice.channels:
        key = message_key(row.id, channel)
        outbox.enqueue(db, key=key, channel=channel, payload=payload, now=now)


def send_reminder(db: Database, row: ApprovalRow, phrases: Phrases, now: datetime) -> None:
    """Say below the question, wherever it was asked, that it waits."""
    for channel in _asked_in(db, row):
        asked = message_key(row.id, channel)
        payload = {**reminder_message(row, phrases), "thread": asked}
        outbox.enqueue(db, key=f"{asked}/reminder", channel=channel, payload=payload, now=now)


def send_end(
    db: Database, row: ApprovalRow, phrases: Phrases, now: datetime, *, further: str = ""
) -> None:
    """Put what came of it in the place of the question, wherever it was asked: no buttons stay.

    `further` names what became known after that, once each; empty for the decision.
    """
    standing = standing_of(db, row)
    for channel in _asked_in(db, row):
        asked = message_key(row.id, channel)
        payload = {**end_message(row, phrases, standing), "edits": asked}
        key = f"{asked}/{further or 'decided'}"
        outbox.enqueue(db, key=key, channel=channel, payload=payload, now=now)


def message_key(approval_id: str, channel: str) -> str:
    """The outbox key of a question in a channel."""
    return f"approval/{approval_id}/{channel}"


def question_message(row: ApprovalRow, phrases: Phrases) -> dict[str, Any]:
    say = phrases.text
    name, facts = _heading(row, phrases), _facts_in_words(row, phrases)
    value = f"{row.id}:{row.payload_sha256[:DIGITS_SHOWN]}"
    told = [row.why] if row.why else []
    answers = message.buttons(
        [
            message.button(say("approval.approve"), "approval.approve", value, style="primary"),
            message.button(say("approval.reject"), "approval.reject", value, style="danger"),
            message.button(say("approval.details"), "approval.details", value),
        ]
    )
    shown = [*_why(row), message.small(facts)]
    return _payload(row, name, [*shown, answers], [*told, facts, say("approval.how", id=row.id)])


def reminder_message(row: ApprovalRow, phrases: Phrases) -> dict[str, Any]:
    words = phrases.text("approval.reminder", id=row.id, at=utc_text(row.expires_at))
    return _payload(row, _heading(row, phrases), [message.text(words)], [words], headed=False)


def end_message(
    row: ApprovalRow, phrases: Phrases, standing: Standing | None = None
) -> dict[str, Any]:
    line = end_line(row, phrases, standing)
    shown = [*_why(row), message.text(line)]
    return _payload(row, _heading(row, phrases), shown, [line])


def end_line(row: ApprovalRow, phrases: Phrases, standing: Standing | None = None) -> str:
    """Who decided and what came of it, in one line. `standing` None: that of its state."""
    who = decided_by(row, phrases)
    at = utc_text(row.decided_at or row.ended_at or row.asked_at)
    state = phrases.text(f"approval.state_{standing or row.state}")
    line = phrases.text("approval.end", id=row.id, state=state, who=who, at=at)
    return f"{line} {_whole(row.outcome)}" if row.outcome else line


def decided_by(row: ApprovalRow, phrases: Phrases) -> str:
    """Who decided and where; that nobody did, where it ended by itself."""
    if row.decided_by is None or row.decided_through is None:
        return phrases.text("approval.nobody")
    return f"{row.decided_by} ({row.decided_through})" if row.decided_by else row.decided_through


def details(row: ApprovalRow, phrases: Phrases) -> str:
    """Everything about it that fits a private answer, as plain lines."""
    lines = [_heading(row, phrases), row.why, _facts_in_words(row, phrases), *payload_lines(row)]
    if row.state != "pending":
        lines.append(end_line(row, phrases))
    return "\n".join(line for line in lines if line)


def payload_lines(row: ApprovalRow) -> list[str]:
    """What would be executed, a line for each value, with the digest of the whole."""
    found = [f"{_inside(name)}: {_inside(value)}" for name, value in _flat(row.payload)]
    return [*found, f"SHA-256: {row.payload_sha256}"]


def _whole(reason: str) -> str:
    """A reason as people type it, as a sentence."""
    told = reason.rstrip()
    return told if told.endswith((".", "!", "?", "…")) else f"{told}."


def _inside(value: object) -> str:
    """As text in which no line can pass for the name of another value, or for the digest."""
    return f"\n{_INSET}".join(str(value).splitlines())


def _why(row: ApprovalRow) -> list[Part]:
    """Nothing where nobody said why."""
    return [message.text(row.why)] if row.why else []


def _heading(row: ApprovalRow, phrases: Phrases) -> str:
    return phrases.text("approval.heading", id=row.id, title=row.title[:_LONGEST_TITLE])


def _facts_in_words(row: ApprovalRow, phrases: Phrases) -> str:
    say = phrases.text
    unanswered = row.if_unanswered or say("approval.if_unanswered")
    at, digits = utc_text(row.expires_at), row.payload_sha256[:DIGITS_SHOWN]
    asked = say("approval.asked_by", by=row.asked_by, at=at, digits=digits)
    return f"{say('approval.unanswered', words=unanswered)} {asked}"


def _payload(
    row: ApprovalRow, title: str, parts: list[Part], lines: list[str], *, headed: bool = True
) -> dict[str, Any]:
    text = "\n\n".join((title, *lines))
    facts = {"id": row.id, "kind": row.kind, "state": row.state, "at": to_text(row.expires_at)}
    shown = [message.heading(title), *parts] if headed else parts
    return {
        "kind": "approval",
        "title": title,
        "text": text,
        "body": text,
        "parts": [dict(part) for part in shown],
        "facts": facts,
    }


def _asked_in(db: Database, row: ApprovalRow) -> list[str]:
    """The channels that the question was handed to, whatever is configured now."""
    return outbox.channels_of(db, f"approval/{row.id}/")


def _flat(value: Any, name: str = "") -> list[tuple[str, Any]]:
    """Each value by its path, of a list by its number from 1; what is empty stands as it is."""
    entries: list[tuple[Any, Any]] = []
    if isinstance(value, Mapping):
        entries = list(value.items())
    elif isinstance(value, list | tuple):
        entries = list(enumerate(value, 1))
    if not entries:
        return [(name, value)] if name else []
    found: list[tuple[str, Any]] = []
    for step, entry in entries:
        found += _flat(entry, f"{name}.{step}" if name else str(step))
    return found
