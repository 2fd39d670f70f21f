"""How an approval stands for people: a message that was let leave is done only once it arrived."""

from __future__ import annotations

from typing import Literal

from daemon.governance.approved import key_of
from daemon.store import outbox
from daemon.store.approvals import ApprovalRow, ApprovalState
from daemon.store.database import Database

Standing = ApprovalState | Literal["on_its_way", "not_arrived"]


def standing_of(db: Database, row: ApprovalRow) -> Standing:
    """Its state; of a message that was handed over, `on_its_way` until it arrived, and `not_arrived`
    where its channel refused it. Raises StoreError."""
    if row.state != "done" or row.kind not in ("publish", "post"):
        return row.state
    message = outbox.find_message(db, key_of(row))
    if message is None or message.payload.get("approval", row.id) != row.id:
        return row.state
    if message.state == "sent":
        return "done"
    return "not_arrived" if message.state == "set_aside" else "on_its_way"
