"""Whether a person approved a page that leaves for people outside, exactly as it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from daemon.governance.approved import message_of
from daemon.ledger.entry import digest_of
from daemon.store import approvals
from daemon.store.database import Database


def is_approved(db: Database, payload: Mapping[str, Any]) -> bool:
    """The payload must be the one that was shown, and nothing may have changed since. Raises StoreError."""
    row = approvals.find_approval(db, str(payload.get("approval", "")))
    if row is None or row.kind != "publish" or row.state not in ("approved", "done"):
        return False
    return digest_of(row.payload) == row.payload_sha256 and message_of(row) == dict(payload)
