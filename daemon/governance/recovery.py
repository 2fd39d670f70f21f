"""The circuit breaker: how many sprints failed in a row, and what follows from it.

closed     sprints run; each that ends as `failed` is counted, `completed` sets the count to 0
open       so many failed in a row: one diagnostic sprint comes before anything else
half_open  the diagnosis is written: one trial sprint; if it fails the daemon halts

Nothing but `completed` and `failed` touches it: a sprint without work or money, a stopped one and
one that a fault of the files held up say nothing about whether sprints succeed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from daemon.governance import incidents, outage
from daemon.governance.gate import forget_rate_limit
from daemon.governance.halt_words import halt_parts
from daemon.governance.incidents import PLAIN, Voice
from daemon.governance.states import current_state, enter_state
from daemon.store import control, errors, events, items, sprints
from daemon.store.database import Database
from daemon.store.sprints import SprintRow, SprintState

Phase = Literal["closed", "open", "half_open"]
LAST_GOOD_ERROR = "diagnosis.after_error"  # the newest error when a sprint last went well
_FAILURES, _PHASE, _CUT_OFF = "consecutive_failures", "breaker", "diagnosis.cut_off"
_LAST_HALT = "halted.event"  # of the newest halt: its message is edited when a person resumes


@dataclass(frozen=True)
class Reset:
    """What `reset_failures` put back."""

    failures: int
    was_halted: bool
    unblocked: tuple[str, ...]


def consecutive_failures(db: Database) -> int:
    """How many sprints failed since the last good one."""
    kept = control.get(db, _FAILURES)
    return int(kept) if kept is not None else 0


def breaker_phase(db: Database) -> Phase:
    """Closed in a new database."""
    kept: Phase | None = control.get(db, _PHASE)
    return kept or "closed"


def record_outcome(
    db: Database,
    state: SprintState,
    reason: str,
    now: datetime,
    *,
    limit: int,
    voice: Voice = PLAIN,
) -> Phase:
    """Count the end of a regular sprint; the breaker's phase after it.

    `limit` failures in a row open a closed breaker. A failed trial sprint halts the daemon.
    """
    with db.immediate():
        phase = breaker_phase(db)
        if state == "completed":
            _set(db, 0, "closed", now)
            control.put(db, LAST_GOOD_ERROR, errors.last_id(db), now)
            return "closed"
        if state != "failed":
            return phase
        failures = consecutive_failures(db) + 1
        if phase == "half_open":
            halt(db, voice.phrases.text("breaker.trial_failed", reason=reason), now, voice=voice)
        opens = phase == "half_open" or failures >= limit
        phase = "open" if opens else phase
        _set(db, failures, phase, now)
        return phase


def begin_diagnosis(db: Database, now: datetime, reason: str) -> SprintRow | None:
    """The one diagnostic sprint of an open breaker; None where there must be none.

    One that a crash cut off is gone on with. While one runs there is no second, whoever asks.
    """
    with db.immediate():
        state = current_state(db)
        halted = state is not None and state.name == "halted"
        if halted or breaker_phase(db) != "open":
            return None
        running = _running_diagnosis(db)
        if running is not None and control.get(db, _CUT_OFF) != running.id:
            return None
        if enter_state(db, "diagnosing", reason, now).name != "diagnosing":
            return None
        control.delete(db, _CUT_OFF)
        if running is not None:
            return running
        return sprints.find_sprint(db, sprints.open_sprint(db, "DIAGNOSTIC", None, now))


def end_diagnosis(
    db: Database, sprint_id: int, failure: str, now: datetime, *, voice: Voice = PLAIN
) -> bool:
    """Close the diagnostic sprint: written (an empty `failure`), or failed, which halts.

    False where it had ended before. A person's reset in the meantime is not undone.
    """
    with db.immediate():
        state: SprintState = "failed" if failure else "completed"
        reason = failure or voice.phrases.text("diagnosis.written")
        if not sprints.close_sprint(db, sprint_id, state, reason, now):
            return False
        if breaker_phase(db) != "open":
            return True
        if failure:
            halt(db, voice.phrases.text("breaker.no_diagnosis", reason=failure), now, voice=voice)
        else:
            control.put(db, _PHASE, "half_open", now)
        return True


def take_up_diagnosis(db: Database, now: datetime, reason: str) -> str | None:
    """At a start: a diagnosis that a crash cut off goes on with the next tick, or ends.

    Only for the holder of the workspace's lock, who knows that nobody else runs it. What was done,
    as a line, or None.
    """
    with db.immediate():
        running = _running_diagnosis(db)
        if running is None or control.get(db, _CUT_OFF) == running.id:
            return None
        if breaker_phase(db) == "open":
            control.put(db, _CUT_OFF, running.id, now)
            return f"diagnostic sprint {running.id} was cut off: it goes on"
        sprints.close_sprint(db, running.id, "interrupted", reason, now)
        return f"diagnostic sprint {running.id} was interrupted"


def halt(
    db: Database, reason: str, now: datetime, *, voice: Voice = PLAIN, cause: str = ""
) -> bool:
    """Stop all spending until a person resets; False where it was halted already (no second alert).

    `cause` is the name of the known cause, or empty.
    """
    with db.immediate():
        before = current_state(db)
        if before and before.name == "halted":
            return False
        enter_state(db, "halted", reason, now)
        facts = {"reason": reason, "cause": cause}
        event = events.record(db, "halted", now, facts=facts)
        text = voice.phrases.text("digest.halted", reason=reason.rstrip("."))
        parts = halt_parts(reason, voice.phrases)
        incidents.send(
            db, f"halted/{event}", "halted", text, facts, now, channels=voice.channels, parts=parts
        )
        control.put(db, _LAST_HALT, event, now)
        return True


def reset_failures(
    db: Database, now: datetime, *, item: str | None = None, voice: Voice = PLAIN
) -> Reset:
    """Close the breaker and put blocked items back: one `item`, or None for all of them.

    With an item only that item is put back and the breaker stays as it is.
    """
    with db.immediate():
        if item is not None:
            put_back = items.unblock(db, item, now)
            return Reset(0, was_halted=False, unblocked=(item,) if put_back else ())
        failures, state = consecutive_failures(db), current_state(db)
        was_halted = state is not None and state.name == "halted"
        _set(db, 0, "closed", now)
        forget_rate_limit(db)
        outage.over(db)
        if was_halted:
            _tell_resumed(db, state.reason if state else "", now, voice)
            enter_state(db, "idle", voice.phrases.text("breaker.reset"), now, by="person")
        unblocked = tuple(items.unblock_all(db, now))
        facts = {"failures": failures, "was_halted": was_halted, "unblocked": list(unblocked)}
        events.record(db, "reset", now, facts=facts)
        return Reset(failures, was_halted, unblocked)


def _tell_resumed(db: Database, reason: str, now: datetime, voice: Voice) -> None:
    """Take the button away that the halt's message has: nobody needs to press it any more."""
    event = control.get(db, _LAST_HALT)
    if event is not None:
        key, facts = f"halted/{event}", {"reason": reason}
        text = voice.phrases.text("digest.was_resumed", reason=reason.rstrip("."))
        incidents.send(db, f"{key}/over", "resumed", text, facts, now, channels=voice.channels,
                       edits=key)  # fmt: skip


def _set(db: Database, failures: int, phase: Phase, now: datetime) -> None:
    control.put(db, _FAILURES, failures, now)
    control.put(db, _PHASE, phase, now)


def _running_diagnosis(db: Database) -> SprintRow | None:
    running = (row for row in sprints.list_running(db) if row.kind == "DIAGNOSTIC")
    return next(running, None)
