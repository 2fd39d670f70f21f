"""The diagnostic sprint: what went wrong, why, and what to do, written for whoever has to mend it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from daemon.clock import from_text, to_text
from daemon.errors import ProviderPermanent, SprintdError, StoreError
from daemon.governance import incidents, recovery
from daemon.governance.budget import Caller
from daemon.governance.known_causes import explain_cause, incident_name, message_of
from daemon.llm.provider import Completion
from daemon.memory.writing import MemoryUnwritable
from daemon.sprint.diagnosis_text import Group, Picture, reading_prompt, render_diagnosis
from daemon.sprint.keeping import keep_file
from daemon.sprint.parts import SprintParts
from daemon.sprint.steps import Steps
from daemon.store import control, errors, events
from daemon.store.errors import ErrorRow
from daemon.store.sprints import SprintRow

FOLDER = "memory/diagnoses"
_MOST_ERRORS = 500
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Diagnosis:
    """`slot` is when its sprint began: the name under which it is posted once."""

    sprint_id: int
    slot: datetime
    body: str
    facts: dict[str, Any]


Post = Callable[[Diagnosis], None]


def run_diagnosis(parts: SprintParts, post: Post) -> bool | None:
    """One diagnostic sprint of an open circuit breaker.

    1. Open its row, or go on with the one that a crash cut off. None: there must be none now.
    2. Read the errors since the last good sprint, and group them by cause.
    3. Ask a model what it makes of them, if there is one and money; it may fail.
    4. Write the diagnosis to memory; where that cannot be done, what is posted says why.
    5. Post it: `post` does so once for a slot, however often it is called.
    6. Close the sprint: True, and a trial sprint is next; False, and the daemon is halted.

    Raises StoreError where nothing can be written down; it goes on after `runner.recover`.
    """
    failures = recovery.consecutive_failures(parts.db)
    reason = parts.phrases.text("diagnosis.runs", failures=failures)
    row = recovery.begin_diagnosis(parts.db, parts.clock.now(), reason)
    if row is None:
        return None
    failure = ""
    try:
        _diagnose(parts, row, failures, post)
    except StoreError:
        raise
    except SprintdError as error:
        failure = str(error)
    except Exception as error:  # noqa: BLE001 - then nothing repairs itself any more
        _log.exception("the diagnosis failed")
        failure = f"{type(error).__name__}: {error}"
    recovery.end_diagnosis(parts.db, row.id, failure, parts.clock.now(), voice=parts.voice)
    parts.say(f"diagnostic sprint {row.id} {'failed: ' + failure if failure else 'completed'}")
    return not failure


def path_of(row: SprintRow) -> str:
    """Where the diagnosis of a sprint stands in the workspace."""
    return f"{FOLDER}/{row.started_at:%Y-%m-%d}-sprint-{row.id}.md"


def _diagnose(parts: SprintParts, row: SprintRow, failures: int, post: Post) -> None:
    steps, phrases = Steps(parts, row.id), parts.phrases
    parts.say(f"diagnostic sprint {row.id} begins")
    parts.at("open")
    picture = _picture(steps.step("errors", lambda: _as_json(_look(parts, row, failures))))
    reading = steps.step("reading", lambda: _read(parts, row, picture))
    body = render_diagnosis(picture, str(reading), phrases)
    path = path_of(row)
    fault = steps.passed("memory", lambda: _keep(parts, row, body), lambda kept: kept or path)
    if fault:
        path, body = "", body + "\n" + phrases.text("diagnosis.not_kept", reason=fault) + "\n"
    what, cure = explain_cause(picture.likely.cause, phrases) if picture.groups else ("", "")
    facts = {
        "failures": picture.failures,
        "reason": f"{what} {cure}".strip() or phrases.text("diagnosis.none"),
        "cause": picture.likely.cause if picture.groups else "",
        "path": path,
    }
    diagnosis = Diagnosis(row.id, row.started_at, body, facts)
    steps.passed("post", lambda: _post(parts, diagnosis, post), lambda _: None)


def _keep(parts: SprintParts, row: SprintRow, body: str) -> str:
    """Write it to memory; why that cannot be done, or empty. The troubles it tells of go before."""
    try:
        refused = keep_file(parts, path_of(row), body.encode(), actor="diagnosis", sprint=row.id)
    except MemoryUnwritable as error:
        now = parts.clock.now()
        incidents.note_error(
            parts.db, error, parts.voice, place="sprint", now=now, sprint_id=row.id
        )
        return str(error)
    return refused.message if refused else ""


def _post(parts: SprintParts, diagnosis: Diagnosis, post: Post) -> None:
    """The event and the report are one transaction, so neither comes twice after a crash."""
    db, now = parts.db, parts.clock.now()
    with db.immediate():
        if control.get(db, "diagnosis.told") != diagnosis.sprint_id:
            events.record(
                db, "diagnosis", now, sprint_id=diagnosis.sprint_id, facts=diagnosis.facts
            )
            control.put(db, "diagnosis.told", diagnosis.sprint_id, now)
    post(diagnosis)


def _look(parts: SprintParts, row: SprintRow, failures: int) -> Picture:
    """The errors since the last good sprint by cause, the most frequent first."""
    after = int(control.get(parts.db, recovery.LAST_GOOD_ERROR) or 0)
    found = errors.list_after(parts.db, after, _MOST_ERRORS)
    by_cause: dict[str, list[ErrorRow]] = {}
    for error in found:
        by_cause.setdefault(error.cause, []).append(error)
    groups = sorted(
        map(_group, by_cause.values()), key=lambda g: (g.count, g.last_at), reverse=True
    )
    return Picture(row.id, row.started_at, failures, tuple(groups))


def _group(same: list[ErrorRow]) -> Group:
    newest = same[-1]
    items = sorted({error.item for error in same if error.item})
    return Group(newest.cause, len(same), same[0].at, newest.at, newest.message, tuple(items))


def _read(parts: SprintParts, row: SprintRow, picture: Picture) -> str:
    """What a model makes of it, or nothing; no failure of it is one of the diagnosis."""
    if not parts.metered.writes_json:
        return ""  # the offline writer answers from notes and has none about this
    prompt = reading_prompt(parts.metered.model_for("routine"), picture, parts.phrases)
    caller = Caller("diagnosis", sprint_id=row.id)
    try:
        reply = parts.metered.complete(f"sprint/{row.id}/diagnosis", prompt, caller)
    except SprintdError as error:
        parts.say(f"no reading by a model: {error}")
        _keep_failure(parts, row, error)
        return ""
    if not isinstance(reply, Completion):
        parts.say(f"no reading by a model: {reply.message}")
        return ""
    return "" if reply.stop_reason == "refusal" else reply.text


def _keep_failure(parts: SprintParts, row: SprintRow, error: SprintdError) -> None:
    """The reading's error is one like any other: a permanent one halts at once."""
    now, permanent = parts.clock.now(), isinstance(error, ProviderPermanent)
    incidents.note_error(
        parts.db, error, parts.voice, place="provider", now=now, sprint_id=row.id,
        told_by="halted" if permanent else None,
    )  # fmt: skip
    if permanent:
        cause = incident_name(error)
        recovery.halt(parts.db, message_of(error), now, voice=parts.voice, cause=cause)


def _as_json(picture: Picture) -> dict[str, Any]:
    groups = [
        {**asdict(g), "first_at": to_text(g.first_at), "last_at": to_text(g.last_at)}
        for g in picture.groups
    ]
    return {**asdict(picture), "at": to_text(picture.at), "groups": groups}


def _picture(kept: dict[str, Any]) -> Picture:
    groups = tuple(
        Group(
            **{
                **group,
                "first_at": from_text(group["first_at"]),
                "last_at": from_text(group["last_at"]),
                "items": tuple(group["items"]),
            }
        )
        for group in kept["groups"]
    )
    return Picture(**{**kept, "at": from_text(kept["at"]), "groups": groups})
