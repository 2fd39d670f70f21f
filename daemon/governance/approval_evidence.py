"""What the ledger has of an approval: whoever writes into the database alone changes nothing by it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from daemon.errors import LedgerError
from daemon.governance.ledger_in_use import LedgerInUse
from daemon.ledger.entry import digest_of
from daemon.store.approvals import ApprovalRow

EXECUTE = "approval.execute"
LONGEST_REASON = 1_000
_ENDS = ("APPROVED", "REJECTED", "EXPIRED")


def asked_words(row: ApprovalRow) -> str:
    """What the entry of the question says of it."""
    return f"{row.title}: {row.why}"[:LONGEST_REASON]


def target_of(approval_id: str) -> str:
    """How the ledger names an approval."""
    return f"approval:{approval_id}"


def execution_of(row: ApprovalRow) -> dict[str, object]:
    """The arguments of carrying it out, as the action gate judges and digests them."""
    return {"kind": row.kind, "approval": row.id, "payload_sha256": payload_digest(row.payload)}


def payload_digest(payload: Mapping[str, Any]) -> str:
    """Empty for one that has no digest, which nobody ever asked."""
    try:
        return digest_of(payload)
    except LedgerError:
        return ""


def is_changed(row: ApprovalRow) -> bool:
    """Whether the payload is not the one that the row was asked with."""
    return payload_digest(row.payload) != row.payload_sha256


def is_as_asked(books: LedgerInUse, row: ApprovalRow) -> bool:
    """Whether kind, words and payload are those that were asked. Raises LedgerError."""
    if is_changed(row):
        return False
    asked = next((one for one in books.about(target_of(row.id)) if _effect(one) == "ASKED"), None)
    return asked is not None and _is_of(asked, row) and _reason(asked) == asked_words(row)


def is_as_decided(books: LedgerInUse, row: ApprovalRow) -> bool:
    """Whether kind and payload are those that a person said yes to, and that was the last word on
    it: a crash can leave an answer in the ledger that came to nothing. Raises LedgerError."""
    if is_changed(row) or row.decided_seq is None:
        return False
    last = next((one for one in books.about(target_of(row.id)) if _effect(one) in _ENDS), None)
    if last is None or last["seq"] != row.decided_seq:
        return False
    return _effect(last) == "APPROVED" and _is_of(last, row)


def was_done(books: LedgerInUse, row: ApprovalRow) -> bool:
    """Whether it had its effect since it was decided, whatever its row says: somebody put the row
    back, or an older copy of the database. Raises LedgerError."""
    after = -1 if row.decided_seq is None else row.decided_seq
    found = books.about(digest_of(execution_of(row)), after=after)
    return any(one["type"] == "outcome" and one["verdict"]["effect"] == "DONE" for one in found)


def _is_of(entry: dict[str, Any], row: ApprovalRow) -> bool:
    told = {
        "args_sha256": row.payload_sha256,
        "targets": [target_of(row.id)],
        "tool": f"approval.{row.kind}",
    }
    return bool(entry["action"] == told)


def _effect(entry: dict[str, Any]) -> str:
    """Of an entry about an approval; empty for any other."""
    return str(entry["verdict"]["effect"]) if entry["type"] == "approval" else ""


def _reason(entry: dict[str, Any]) -> str:
    return str(entry["verdict"]["reason"])
