"""Approvals: what only a person may let happen is asked, answered once, and carried out once.

1. A question is kept with exactly what would be executed, and the digest of that.
2. A person answers, naming the digest that they saw; or nobody does, which is a no.
3. What was approved passes the action gate and has its effect in one transaction, whoever gets
   there first: the thread that was answered, the next life, or the next run of the job.
Every answer has an entry in the ledger, those that were refused too. The entry comes first: where it
cannot be written, nothing is decided.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Literal

from daemon.clock import Clock
from daemon.config.sections import ApprovalsSection
from daemon.governance import approval_words as words
from daemon.governance.action_gate import ActionGate
from daemon.governance.approval_evidence import asked_words
from daemon.governance.approval_execution import ApprovalExecution
from daemon.governance.approval_record import ApprovalRecord, actor_of
from daemon.governance.approval_standing import standing_of
from daemon.governance.approved import check_payload, latest_end
from daemon.governance.incidents import Voice
from daemon.ledger.entry import digest_of
from daemon.store import approvals as rows
from daemon.store.approvals import ApprovalRow, Kind, Through
from daemon.store.database import Database
from daemon.store.stored_text import from_json, repair_text, to_json

Outcome = Literal["approved", "rejected", "already", "expired", "unknown", "not_allowed", "changed"]

LEAST_DIGITS = 16  # of a digest; a button has room for no more
LONGEST_HOURS = 720.0
_AT_ONCE: frozenset[Kind] = frozenset({"unblock", "resume"})
_LONGEST_ID = 40
_CLOCK_SLACK = timedelta(minutes=1)


@dataclass(frozen=True)
class Question:
    """What is to be asked; `payload` is exactly what would be executed (see `approved.py`).

    Of an open question with the same `dedupe` there is only one. `hours` until nobody's answer is a
    no; None: as configured.
    """

    kind: Kind
    title: str
    why: str
    asked_by: str
    payload: Mapping[str, Any]
    if_unanswered: str = ""
    dedupe: str | None = None
    hours: float | None = None


@dataclass(frozen=True)
class Decision:
    """What came of an answer: one line for people, and the approval as it is now (None: there is
    none)."""

    outcome: Outcome
    words: str
    row: ApprovalRow | None = None


class Approvals:
    """The approvals of one workspace; safe in threads, and beside other processes.

    `section` and `voice` give what is in force. Everything here raises StoreError where the database
    cannot be used, and LedgerError where the ledger cannot be written: then nothing was decided.
    """

    def __init__(
        self,
        db: Database,
        gate: ActionGate,
        clock: Clock,
        section: Callable[[], ApprovalsSection],
        voice: Callable[[], Voice],
    ) -> None:
        self._db, self._books, self._clock = db, gate.books, clock
        self._section, self._voice = section, voice
        self._record = ApprovalRecord(db, gate.books, clock, voice)
        self._execution = ApprovalExecution(db, gate, clock, voice, self._record)

    @property
    def section(self) -> ApprovalsSection:
        """The settings in force."""
        return self._section()

    def ask(self, question: Question) -> ApprovalRow:
        """Keep a question and send it to every channel; the open one with the same `dedupe` where
        there is one. Raises SprintdError for a payload that could not be carried out."""
        with self._books.hold(), self._db.immediate():
            earlier = self._open_one(question)
            if earlier is not None:
                return earlier
            row = self._keep(question)
            words.send_question(self._db, row, self._voice(), self._clock.now())
        return row

    def decide(
        self,
        id: str,  # noqa: A002 - as people call it
        *,
        approve: bool,
        by: str,
        through: Through,
        digest: str,
        why: str = "",
    ) -> Decision:
        """Take a person's answer, and carry out what is approved now. A second one changes nothing.

        `digest` is that of the payload which the person saw, or at least its first 16 digits; `why`
        is theirs, and may be empty.
        """
        who = actor_of(through, by)
        with self._books.hold(), self._db.immediate():
            row = self.find(id)
            if row is None:
                self._record.refuse(who, id, "there is no question with this id")
                name = id.strip()[:_LONGEST_ID]
                return Decision("unknown", self._record.say("approval.unknown", id=name))
            objection = self._objection(row, who, digest)
            if objection is not None:
                return objection
            row = self._answered(row, approve=approve, by=by, through=through, why=why)
        return self._carried_out(row) if approve else self._told("rejected", row)

    def act_at_once(self, question: Question, *, by: str, through: Through) -> Decision:
        """Ask and approve in one, for a person who presses "unblock" or "resume"."""
        if question.kind not in _AT_ONCE:
            self.refuse("-", by=by, through=through, why=f"{question.kind} has to be asked first")
            return Decision("not_allowed", self._record.say("approval.ask_first"))
        with self._books.hold(), self._db.immediate():
            row = self._open_one(question) or self._keep(question)
            if row.state == "pending":
                row = self._answered(row, approve=True, by=by, through=through)
        return self._carried_out(row)

    def refuse(self, id: str, *, by: str, through: Through, why: str) -> None:  # noqa: A002
        """Keep in the ledger that an answer was not taken, and why; nothing else changes."""
        self._record.refuse(actor_of(through, by), id, why)

    def execute_left(self) -> int:
        """Carry out what was approved and is not done: a crash came between, or something was in
        the way. How many it ended. One that fails holds up no other."""
        left = rows.list_in_state(self._db, "approved")
        return sum(self._execution.carry_out(row)[0].state != "approved" for row in left)

    def expire_due(self) -> list[ApprovalRow]:
        """Nobody answered in time, which is a no; those that ended so now."""
        now = self._clock.now()
        self._mind_the_clock(now)
        with self._books.hold(), self._db.immediate():
            due = [row for row in self.list_waiting() if row.expires_at <= now]
            return [self._record.expired(row) for row in due]

    def remind(self) -> int:
        """Say once of each question, when half of its time is over, that it waits; how many."""
        now, said = self._clock.now(), 0
        with self._db.immediate():
            for row in self.list_waiting():
                is_due = row.remind_at is not None and row.remind_at <= now < row.expires_at
                if is_due and rows.take_reminder(self._db, row.id):
                    words.send_reminder(self._db, row, self._voice().phrases, now)
                    said += 1
        return said

    def list_waiting(self) -> list[ApprovalRow]:
        """What waits for an answer, the oldest first."""
        return rows.list_in_state(self._db, "pending")

    def find(self, id: str) -> ApprovalRow | None:  # noqa: A002
        """By its id as people type it; None where there is none."""
        return rows.find_approval(self._db, id.strip().upper())

    def _open_one(self, question: Question) -> ApprovalRow | None:
        """The open one with the same `dedupe`; one whose time is over is ended first."""
        found = rows.find_open(self._db, question.dedupe) if question.dedupe else None
        if found and found.state == "pending" and found.expires_at <= self._clock.now():
            self._record.expired(found)
            return None
        return found

    def _keep(self, question: Question) -> ApprovalRow:
        now = self._clock.now()
        payload = from_json(to_json(question.payload))  # as it will be read again
        check_payload(question.kind, payload)
        hours = min(question.hours or float(self.section.expire_hours), LONGEST_HOURS)
        ends = latest_end(question.kind, payload)
        expires = now + timedelta(hours=hours)
        expires = min(expires, ends) if ends else expires
        row = ApprovalRow(
            id=rows.next_id(self._db), kind=question.kind, title=repair_text(question.title),
            why=repair_text(question.why), if_unanswered=question.if_unanswered,
            asked_by=repair_text(question.asked_by), payload=payload,
            payload_sha256=digest_of(payload), dedupe=question.dedupe, state="pending",
            asked_at=now, remind_at=now + (expires - now) / 2, expires_at=expires,
        )  # fmt: skip
        rows.save_question(self._db, row)
        self._record.tell("approval_asked", row)
        self._record.enter("ASKED", row.asked_by, row, asked_words(row))
        return row

    def _objection(self, row: ApprovalRow, who: str, digest: str) -> Decision | None:
        """Why this answer is not taken; None where it is."""
        if not self._is_sound(row):
            return self._told("changed", self._record.spoilt(row, who))
        if row.state == "pending" and row.expires_at <= self._clock.now():
            row = self._record.expired(row)
        if row.state != "pending":
            self._record.enter("REFUSED", who, row, f"it is {row.state} already")
            return self._told("expired" if row.state == "expired" else "already", row)
        if not _is_of(digest, row.payload_sha256):
            self._record.enter("REFUSED", who, row, "the person saw something else than this")
            return Decision("changed", self._record.say("approval.stale", id=row.id), row)
        return None

    def _is_sound(self, row: ApprovalRow) -> bool:
        """Whether an open one is what was asked and decided; what is ended is told of as it is."""
        if row.state == "pending":
            return self._record.is_as_asked(row)
        return row.state != "approved" or self._record.is_as_decided(row)

    def _answered(
        self, row: ApprovalRow, *, approve: bool, by: str, through: Through, why: str = ""
    ) -> ApprovalRow:
        now, who = self._clock.now(), actor_of(through, by)
        state: Literal["approved", "rejected"] = "approved" if approve else "rejected"
        effect: Literal["APPROVED", "REJECTED"] = "APPROVED" if approve else "REJECTED"
        seq = self._record.enter(effect, who, row, f"{row.title}: {why}" if why else row.title)
        rows.decide(self._db, row.id, state, by=by, through=through, seq=seq, now=now)
        row = self._record.again(row)
        if approve:
            return row
        return self._record.ended(row, "rejected", why or self._record.say("approval.left_undone"))

    def _carried_out(self, row: ApprovalRow) -> Decision:
        row, why = self._execution.carry_out(row)
        if row.state != "approved":
            return self._told("approved", row)
        return Decision("approved", self._record.say("approval.held", id=row.id, reason=why), row)

    def _told(self, outcome: Outcome, row: ApprovalRow) -> Decision:
        line = words.end_line(row, self._voice().phrases, standing_of(self._db, row))
        return Decision(outcome, line, row)

    def _mind_the_clock(self, now: datetime) -> None:
        """After a jump backwards a question has its whole time again, and no more than that."""
        with self._db.immediate():
            for row in self.list_waiting():
                back = row.asked_at - now
                if back > _CLOCK_SLACK:
                    due = row.remind_at - back if row.remind_at else None
                    ends = row.expires_at - back
                    dated = replace(row, asked_at=now, remind_at=due, expires_at=ends)
                    rows.set_times(self._db, dated)


def _is_of(digits: str, sha256: str) -> bool:
    """Whether these are the digest, or enough of its first digits."""
    given = digits.strip().lower()
    return (
        given.isascii()
        and len(given) >= LEAST_DIGITS
        and hmac.compare_digest(given.encode(), sha256[: len(given)].encode())
    )
