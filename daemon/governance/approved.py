"""What each kind of approval does once a person said yes, and the payload that it takes.

publish, post  {"channel", "message", "key" (may be missing)}: hand that message to the channel
raise_cap      {"scope", "day", "micros"}: add to the cap of that UTC day, today alone
unblock        {"item"}: put a blocked item back
resume         {}: end a halt, as `sprintd reset-failures` does
grant          {"actor", "tool", "targets", "args_sha256", "action_sha256", "sources", "level"}: raise
               those sources to the level for that one action, once; never one that is forbidden for good
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from typing import Any

from daemon.clock import day_of, end_of_day
from daemon.errors import SprintdError
from daemon.governance import recovery
from daemon.governance.action_gate import ActionGate
from daemon.governance.approval_evidence import is_as_decided, payload_digest
from daemon.governance.budget import usd_text
from daemon.governance.incidents import Voice
from daemon.governance.ledger_in_use import LedgerInUse
from daemon.governance.states import current_state, enter_state
from daemon.knowledge.action import LEVELS, Action, Grant, Target, digest
from daemon.store import approvals as rows
from daemon.store import cap_raises, grants, outbox
from daemon.store.approvals import ApprovalRow, Kind
from daemon.store.database import Database
from daemon.store.outbox import OutboxRow

_CHANNEL = re.compile(r"[a-z][a-z0-9_-]{0,39}")
PLACE = re.compile(r"[CGDU][A-Z0-9]{2,30}")  # as Slack makes ids
_DIGEST = re.compile(r"[0-9a-f]{64}")
_MOST_MICROS = 1_000_000_000_000
_LONGEST_KEY = 200
MOST_SOURCES = 10


class ImpossibleError(Exception):
    """Why what was approved cannot be done any more, in one line for people. Nothing was done."""


def check_payload(kind: Kind, payload: Mapping[str, Any]) -> None:
    """Raises SprintdError, naming the key, for a payload that could never be carried out."""
    expected, checks = _FORMS[kind]
    more = sorted(set(payload) - set(checks))
    fault = f"has no {more[0]!r}" if more else ""
    for name, check in checks.items():
        if not fault and name not in payload and name in expected:
            fault = f"needs {name}"
        if not fault and name in payload and not check(payload[name]):
            fault = f"{name} cannot be {str(payload[name])[:80]!r}"
    if not fault and kind == "grant" and digest(_action_of(payload)) != payload["action_sha256"]:
        fault = "action_sha256 is not the digest of the action"
    if fault:
        raise SprintdError(f"an approval of the kind {kind}: {fault}")


def latest_end(kind: Kind, payload: Mapping[str, Any]) -> datetime | None:
    """When a question has no sense any more, whatever its hours; None: there is no such moment."""
    if kind != "raise_cap":
        return None
    day = date.fromisoformat(payload["day"])
    return end_of_day(datetime.combine(day, datetime.min.time(), tzinfo=UTC))


def carry_out(db: Database, row: ApprovalRow, gate: ActionGate, voice: Voice, now: datetime) -> str:
    """Do it, in the transaction that this is called in; what came of it, in one line.

    Raises ImpossibleError where it cannot be done any more.
    """
    match row.kind:
        case "publish" | "post":
            return _hand_over(db, row, voice, now)
        case "raise_cap":
            return _raise_cap(db, row, voice, now)
        case "unblock":
            return _unblock(db, row, voice, now)
        case "resume":
            return _resume(db, voice, now)
        case "grant":
            return _grant(db, row, gate, voice, now)


def message_of(row: ApprovalRow) -> dict[str, Any]:
    """The payload of the message that a publish or post lets leave, as the outbox keeps it."""
    return {**row.payload["message"], "approval": row.id}


def key_of(row: ApprovalRow) -> str:
    """The outbox key under which that message leaves, once."""
    return str(row.payload.get("key") or f"approval/{row.id}/message")


def why_not_permitted(db: Database, books: LedgerInUse, message: OutboxRow) -> str:
    """Why a message may not leave, asked again at the moment of sending; empty where it may.

    One for another place than its channel's own, or with a permit, leaves only as it was approved,
    under the key that was handed over. Raises LedgerError where the ledger cannot be read.
    """
    permit = message.payload.get("approval")
    if permit is None and not message.payload.get("to"):
        return ""
    row = rows.find_approval(db, str(permit))
    if row is None or row.state != "done" or row.kind not in ("publish", "post"):
        return f"{message.key} takes a person's approval, and has none"
    same = is_as_decided(books, row) and row.payload["channel"] == message.channel
    if not same or message.key != key_of(row) or not _is_same(message.payload, message_of(row)):
        return f"{message.key} is not what was approved with {row.id}"
    return ""


def _is_same(payload: Mapping[str, Any], approved: Mapping[str, Any]) -> bool:
    """By their digests, for Python takes 1 and true for the same."""
    found = payload_digest(payload)
    return found != "" and found == payload_digest(approved)


def _hand_over(db: Database, row: ApprovalRow, voice: Voice, now: datetime) -> str:
    key, channel = key_of(row), row.payload["channel"]
    if not outbox.enqueue(db, key=key, channel=channel, payload=message_of(row), now=now):
        raise ImpossibleError(voice.phrases.text("approval.key_taken", key=key))
    return voice.phrases.text("approval.done_message", channel=channel)


def _raise_cap(db: Database, row: ApprovalRow, voice: Voice, now: datetime) -> str:
    say, day = voice.phrases.text, date.fromisoformat(row.payload["day"])
    if day != day_of(now):
        raise ImpossibleError(say("approval.day_over", day=day.isoformat()))
    scope, micros = row.payload["scope"], row.payload["micros"]
    cap_raises.add_raise(db, approval=row.id, scope=scope, day=day, micros=micros, now=now)
    state = current_state(db)
    if state is not None and state.name == "paused_budget":
        enter_state(db, "idle", say("approval.cap_raised", id=row.id), now)
    amount = usd_text(micros)
    return say("approval.done_raise_cap", amount=amount, day=day.isoformat())


def _unblock(db: Database, row: ApprovalRow, voice: Voice, now: datetime) -> str:
    item = row.payload["item"]
    reset = recovery.reset_failures(db, now, item=item, voice=voice)
    key = "approval.done_unblock" if reset.unblocked else "approval.not_blocked"
    return voice.phrases.text(key, item=item)


def _resume(db: Database, voice: Voice, now: datetime) -> str:
    reset = recovery.reset_failures(db, now, voice=voice)
    key = "approval.done_resume" if reset.was_halted else "approval.not_halted"
    return voice.phrases.text(key, count=len(reset.unblocked))


def _grant(db: Database, row: ApprovalRow, gate: ActionGate, voice: Voice, now: datetime) -> str:
    """What is forbidden for good stays so: the policy is asked again, with the grants."""
    wanted, action = row.payload, _action_of(row.payload)
    given = [Grant(one, wanted["level"], wanted["action_sha256"]) for one in wanted["sources"]]
    ruling = gate.rule_on(action, given)
    if ruling.final or ruling.gate == "policy":
        reason = ruling.reason
        raise ImpossibleError(voice.phrases.text("approval.stays_forbidden", reason=reason))
    by = f"{row.decided_through}:{row.decided_by} ({row.id})"
    for one in given:
        grants.give(db, one.action_sha256, one.source, one.level, by=by, now=now)
    return voice.phrases.text("approval.done_grant")


def _action_of(payload: Mapping[str, Any]) -> Action:
    targets = tuple(Target(kind, value) for kind, value in payload["targets"])
    return Action(payload["actor"], payload["tool"], targets, payload["args_sha256"])


def _is_text(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _LONGEST_KEY


def _is_digest(value: object) -> bool:
    return isinstance(value, str) and bool(_DIGEST.fullmatch(value))


def _is_day(value: object) -> bool:
    try:
        return isinstance(value, str) and date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


def _are_targets(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(one, str) for one in pair)
        for pair in value
    )


def _are_sources(value: object) -> bool:
    return isinstance(value, list) and 0 < len(value) <= MOST_SOURCES and all(map(_is_text, value))


def _is_message(value: object) -> bool:
    """`approval` is added when it is carried out, and the outbox adds names that begin with a line;
    nobody brings their own. `to` is an id, so that what is shown of it is where it goes."""
    if not isinstance(value, dict) or not value or "approval" in value:
        return False
    place = value.get("to")
    own = any(str(name).startswith("_") for name in value)
    if own or "to" not in value:
        return not own
    return isinstance(place, str) and bool(PLACE.fullmatch(place))


_Checks = Mapping[str, Callable[[Any], bool]]
_MESSAGE: tuple[tuple[str, ...], _Checks] = (
    ("channel", "message"),
    {
        "channel": lambda value: isinstance(value, str) and bool(_CHANNEL.fullmatch(value)),
        "message": _is_message,
        "key": _is_text,
    },
)
_GRANT: _Checks = {
    "actor": _is_text,
    "tool": _is_text,
    "targets": _are_targets,
    "args_sha256": _is_digest,
    "action_sha256": _is_digest,
    "sources": _are_sources,
    "level": LEVELS.__contains__,
}
_RAISE: _Checks = {
    "scope": _is_text,
    "day": _is_day,
    "micros": lambda value: type(value) is int and 0 < value <= _MOST_MICROS,
}
_FORMS: Mapping[Kind, tuple[tuple[str, ...], _Checks]] = {
    "publish": _MESSAGE,
    "post": _MESSAGE,
    "raise_cap": (tuple(_RAISE), _RAISE),
    "unblock": (("item",), {"item": _is_text}),
    "resume": ((), {}),
    "grant": (tuple(_GRANT), _GRANT),
}
