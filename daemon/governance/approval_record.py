"""What is written of an approval: its entries in the ledger, its ends, and who is told of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from daemon.clock import Clock, to_text
from daemon.governance import approval_evidence as evidence
from daemon.governance import approval_words as words
from daemon.governance import incidents
from daemon.governance.incidents import Voice
from daemon.governance.ledger_in_use import LedgerInUse
from daemon.store import approvals as rows
from daemon.store import events
from daemon.store.approvals import ApprovalRow, ApprovalState, Through
from daemon.store.database import Database

Effect = Literal["ASKED", "APPROVED", "REJECTED", "EXPIRED", "REFUSED"]
End = Literal["rejected", "expired", "done", "refused"]

CHANGED = "what would be executed is not what was asked for: it was changed since"
_LONGEST_ID = 40
_BEFORE_AN_END: tuple[ApprovalState, ...] = ("pending", "approved", "rejected")


class ApprovalRecord:
    """Writes into the transaction that it is called in, so that an entry which cannot be written
    undoes what it was about. Raises LedgerError then."""

    def __init__(
        self, db: Database, books: LedgerInUse, clock: Clock, voice: Callable[[], Voice]
    ) -> None:
        self._db, self._books, self._clock, self._voice = db, books, clock, voice

    def enter(self, effect: Effect, who: str, row: ApprovalRow, reason: str) -> int:
        """One entry about an approval; its place in the ledger."""
        return self._append(effect, who, row.id, reason, row.kind, row.payload_sha256)

    def refuse(self, who: str, approval_id: str, reason: str) -> None:
        """An entry about an answer that was not taken; the id may be anything."""
        self._append("REFUSED", who, approval_id.strip()[:_LONGEST_ID], reason, "", "")

    def is_as_asked(self, row: ApprovalRow) -> bool:
        """Whether it still is what the ledger says was asked."""
        return evidence.is_as_asked(self._books, row)

    def is_as_decided(self, row: ApprovalRow) -> bool:
        """Whether it is what was asked for, and the ledger has a person's yes to it."""
        return evidence.is_as_decided(self._books, row)

    def was_done(self, row: ApprovalRow) -> bool:
        """Whether the ledger has its effect already."""
        return evidence.was_done(self._books, row)

    def ended(self, row: ApprovalRow, state: End, outcome: str) -> ApprovalRow:
        """Write its end, and have every message about it show that."""
        now = self._clock.now()
        rows.end(self._db, row.id, state, after=_BEFORE_AN_END, outcome=outcome, now=now)
        end = self.again(row)
        self.tell("approval_ended", end)
        words.send_end(self._db, end, self._voice().phrases, now)
        return end

    def expired(self, row: ApprovalRow) -> ApprovalRow:
        self.enter("EXPIRED", "daemon", row, "nobody answered in time, which is a no")
        return self.ended(row, "expired", self.say("approval.outcome_expired"))

    def spoilt(self, row: ApprovalRow, who: str) -> ApprovalRow:
        """End one whose payload is not what was asked for any more, and raise the alarm."""
        self.enter("REFUSED", who, row, CHANGED)
        end = self.ended(row, "refused", self.say("approval.outcome_changed"))
        incidents.note(
            self._db,
            cause=f"approval_changed/{row.id}",
            detail=self.say("approval.alert", id=row.id),
            cure=self.say("approval.alert_cure"),
            place="store",
            now=self._clock.now(),
            channels=self._voice().channels,
        )
        return end

    def tell(self, event: str, row: ApprovalRow) -> None:
        """Keep an event of it, for digest and page."""
        facts = {
            "id": row.id, "kind": row.kind, "title": row.title, "state": row.state,
            "outcome": row.outcome, "by": row.decided_by, "expires_at": to_text(row.expires_at),
        }  # fmt: skip
        events.record(self._db, event, self._clock.now(), facts=facts)

    def again(self, row: ApprovalRow) -> ApprovalRow:
        """The row as it is now."""
        return rows.find_approval(self._db, row.id) or row

    def say(self, key: str, **values: object) -> str:
        return self._voice().phrases.text(key, **values)

    def _append(
        self, effect: Effect, who: str, approval_id: str, reason: str, kind: str, digest: str
    ) -> int:
        told = {
            "effect": effect,
            "gate": "approval",
            "reason": reason[: evidence.LONGEST_REASON],
            "final": 0,
        }
        receipt = self._books.append(
            "approval",
            actor=who[: evidence.LONGEST_REASON],
            tool=f"approval.{kind}" if kind else "",
            args_sha256=digest,
            targets=[evidence.target_of(approval_id)],
            verdict=told,
        )
        return receipt.seq


def actor_of(through: Through, by: str) -> str:
    """Who answers, as the ledger names them: slack:U0123, cli:ana, page."""
    return f"{through}:{by}" if by else through
