"""Incidents: all repeats of one error are one alert, and one "recovered" when it works again."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from daemon.clock import to_text
from daemon.config.phrases import Phrases
from daemon.governance.known_causes import (
    Healer,
    Place,
    Trouble,
    cause_named,
    explain_cause,
    incident_name,
    message_of,
)
from daemon.notify import message
from daemon.notify.message import Part
from daemon.store import errors, events, incidents, outbox
from daemon.store.database import Database
from daemon.store.incidents import IncidentRow


@dataclass(frozen=True)
class Incident:
    """`is_new`: this is the first of its repeats, the one that is told."""

    is_new: bool
    row: IncidentRow


@dataclass(frozen=True)
class Voice:
    """How people are told: the language, and the channels that messages leave through (none: the
    events alone tell, in digest and page)."""

    phrases: Phrases
    channels: tuple[str, ...] = ()


PLAIN = Voice(Phrases("en"))
_LONGEST_REASON = 300
_LONGEST_TITLE = 100


def note(
    db: Database,
    *,
    cause: str,
    detail: str,
    cure: str,
    place: Place,
    now: datetime,
    sprint_id: int | None = None,
    item: str | None = None,
    channels: Sequence[str] = (),
    told_by: str | None = None,
) -> Incident:
    """Keep an error and count it to its incident. The first one is an alert, repeats are silent.

    `cause` is a name of the table of known causes, or the caller's own. `told_by` names the event
    that tells of it in place of an alert, such as a halt; None: there is none. What is written joins
    the transaction it is called in. Raises StoreError.
    """
    with db.immediate():
        errors.record(
            db, place=place, cause=cause, message=detail, now=now, sprint_id=sprint_id, item=item
        )
        row = incidents.count(db, cause, detail, cure, now)
        incident = Incident(row.count == 1, row)
        if incident.is_new and told_by is None:
            text = f"{detail.rstrip('.')}. {cure}".strip()
            facts = {"reason": text, "cause": cause, "cure": cure, "incident": row.id}
            events.record(db, "alert", now, sprint_id=sprint_id, item=item, facts=facts)
            send(db, opened_key(row.id), "alert", text, facts, now, channels=channels,
                 parts=_alert_parts(detail, cure))  # fmt: skip
        return incident


def note_error(
    db: Database,
    error: Trouble,
    voice: Voice,
    *,
    place: Place,
    now: datetime,
    sprint_id: int | None = None,
    item: str | None = None,
    told_by: str | None = None,
) -> Incident:
    """`note` for an error as it was caught: its cause and cure come from the table."""
    name = incident_name(error)
    _, cure = explain_cause(name, voice.phrases)
    return note(
        db,
        cause=name,
        detail=message_of(error),
        cure=cure,
        place=place,
        now=now,
        sprint_id=sprint_id,
        item=item,
        channels=voice.channels,
        told_by=told_by,
    )


def recovered(
    db: Database,
    cause: str,
    now: datetime,
    *,
    voice: Voice | None = None,
) -> bool:
    """It works again: close the incident and tell so once, in the alert's place. False where none
    was open."""
    with db.immediate():
        row = incidents.find_open(db, cause)
        if row is None or not incidents.close(db, row.id, now):
            return False
        facts = {
            "reason": row.detail,
            "cause": cause,
            "count": row.count,
            "since": to_text(row.opened_at),
            "incident": row.id,
        }
        events.record(db, "recovered", now, facts=facts)
        if voice and voice.channels:
            text = recovered_text(facts, voice.phrases)
            key = f"incident/{row.id}/recovered"
            send(db, key, "recovered", text, facts, now, channels=voice.channels,
                 parts=(message.text(f"✅ {text}"),), edits=opened_key(row.id))  # fmt: skip
        return True


def heal(
    db: Database,
    by: Healer,
    now: datetime,
    *,
    voice: Voice | None = None,
    but_for: Set[str] = frozenset(),
) -> list[str]:
    """Close every open incident that this success shows to be over; their causes.

    `but_for` are causes that were met again meanwhile: they are not over.
    """
    with db.immediate():
        open_ones = [row.cause for row in incidents.list_open(db) if row.cause not in but_for]
        healed = [cause for cause in open_ones if _is_healed(cause, by)]
        return [cause for cause in healed if recovered(db, cause, now, voice=voice)]


def recovered_text(facts: Any, phrases: Phrases) -> str:
    """The sentence of a `recovered` event, from its facts."""
    reason = str(facts["reason"])
    if len(reason) > _LONGEST_REASON:
        reason = reason[: _LONGEST_REASON - 1] + "…"
    return phrases.text(
        "digest.recovered",
        count=facts["count"],
        since=f"{facts['since'][:16].replace('T', ' ')} UTC",
        reason=reason.rstrip("."),
    )


def opened_key(incident: int) -> str:
    """The key of the message that tells of an incident first; its end is told in that one's place."""
    return f"incident/{incident}/opened"


def send(
    db: Database,
    key: str,
    kind: str,
    text: str,
    facts: Any,
    now: datetime,
    *,
    channels: Sequence[str],
    parts: Sequence[Part] = (),
    edits: str = "",
    thread: str = "",
) -> None:
    """Hand a message to every channel, under a key that makes it leave each of them once.

    `parts` say what `text` says, for channels that show more. `edits` is the key of an earlier one
    that it takes the place of, and `thread` of one that it answers, where the channel can do that;
    empty: it stands by itself.
    """
    title = text if len(text) <= _LONGEST_TITLE else text[: _LONGEST_TITLE - 1] + "…"
    payload = {"kind": kind, "title": title, "text": text, "body": text, "facts": dict(facts)}
    if parts:
        payload["parts"] = [dict(part) for part in parts]
    for channel in channels:
        places = {"edits": edits, "thread": thread}
        own = {name: f"{earlier}/{channel}" for name, earlier in places.items() if earlier}
        outbox.enqueue(
            db, key=f"{key}/{channel}", channel=channel, payload={**payload, **own}, now=now
        )


def _alert_parts(detail: str, cure: str) -> tuple[Part, ...]:
    """What is wrong, and below it what to do."""
    return message.text(f"⚠️ {detail}"), *([message.small(cure)] if cure else [])


def _is_healed(name: str, by: Healer) -> bool:
    cause = cause_named(name)
    return cause is not None and cause.healed_by == by
