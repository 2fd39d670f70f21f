"""Whether a message that a person approved arrived: said where its approval is told of."""

from __future__ import annotations

import logging
from datetime import datetime

from daemon.config.phrases import Phrases
from daemon.errors import StoreError
from daemon.governance import approval_words as words
from daemon.governance.approved import key_of
from daemon.store import approvals as rows
from daemon.store.database import Database
from daemon.store.outbox import OutboxRow

_LONGEST_REASON = 300
_log = logging.getLogger(__name__)


def tell_arrival(
    db: Database, phrases: Phrases, message: OutboxRow, why: str, now: datetime
) -> None:
    """`why` a message was set aside, empty where it arrived. The approval stays done, for it was handed
    over; its outcome, and the question's place in each channel, say what became of it.

    An arrival is told only after a refusal. No fault here may hold up the message itself.
    """
    if message.payload.get("approval") is None:
        return
    try:
        with db.immediate():
            _tell(db, phrases, message, why, now)
    except StoreError as error:
        _log.error("what became of %s cannot be told: %s", message.key, error)


def _tell(db: Database, phrases: Phrases, message: OutboxRow, why: str, now: datetime) -> None:
    row = rows.find_approval(db, str(message.payload["approval"]))
    if row is None or row.kind not in ("publish", "post") or key_of(row) != message.key:
        return
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
