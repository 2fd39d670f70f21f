"""Whether a message that a person approved arrived: said where its approval is told of."""

from __future__ import annotations

import logging
from datetime import datetime

from daemon.config.phrases import Phrases
from daemon.errors import StoreError
from daemon.governance import approval_words as words
from daemon.governance.approval_evidence import LONGEST_REASON, target_of
from daemon.governance.approved import key_of
from daemon.governance.ledger_in_use import LedgerInUse
from daemon.store import approvals as rows
from daemon.store.approvals import ApprovalRow
from daemon.store.database import Database
from daemon.store.outbox import OutboxRow

_LONGEST_REASON = 300
_log = logging.getLogger(__name__)


def tell_arrival(
    db: Database,
    phrases: Phrases,
    message: OutboxRow,
    why: str,
    now: datetime,
    books: LedgerInUse | None = None,
) -> None:
    """`why` a message was set aside, empty where it arrived. The approval stays done, for it was handed
    over; its outcome, the question's place in each channel, and the ledger (`books` None: not) say what
    became of it.

    People are told of an arrival only after a refusal. No fault here may hold up the message itself.
    """
    if message.payload.get("approval") is None:
        return
    try:
        with db.immediate():
            _tell(db, phrases, message, why, now, books)
    except StoreError as error:
        _log.error("what became of %s cannot be told: %s", message.key, error)


def _tell(
    db: Database,
    phrases: Phrases,
    message: OutboxRow,
    why: str,
    now: datetime,
    books: LedgerInUse | None,
) -> None:
    row = rows.find_approval(db, str(message.payload["approval"]))
    if row is None or row.kind not in ("publish", "post") or key_of(row) != message.key:
        return
    if books is not None:
        _enter(books, row, message, why)
    channel = message.channel
    if not why and row.outcome == phrases.text("approval.done_message", channel=channel):
        return
    reason = why if len(why) <= _LONGEST_REASON else f"{why[: _LONGEST_REASON - 1]}…"
    outcome = phrases.text("approval.message_arrived", channel=channel)
    if why:
        outcome = phrases.text(
            "approval.message_refused", channel=channel, key=message.key, reason=reason.rstrip(".")
        )
    if rows.set_outcome(db, row.id, outcome):
        again = rows.find_approval(db, row.id) or row
        end = "refused" if why else "arrived"
        words.send_end(db, again, phrases, now, further=f"{end}/{message.attempts + 1}")


def _enter(books: LedgerInUse, row: ApprovalRow, message: OutboxRow, why: str) -> None:
    """It happened already, so what cannot be written now is written later."""
    reason = f"{message.key} to {message.channel}{f': {why}' if why else ''}"
    books.settle(
        "approval",
        actor="daemon",
        tool=f"approval.{row.kind}",
        args_sha256=row.payload_sha256,
        targets=[target_of(row.id)],
        verdict={
            "effect": "NOT ARRIVED" if why else "ARRIVED",
            "gate": "approval",
            "reason": reason[:LONGEST_REASON],
            "final": 0,
        },
    )
