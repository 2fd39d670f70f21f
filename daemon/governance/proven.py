"""What people gave, as far as the ledger bears it out: a row in the database alone raises nothing.

Whoever can write into the database could add money to a day, give a grant, or make one that was used
up good again. Each row is held against the approval that it came from, and that against the ledger.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from datetime import date
from typing import TypeGuard

from daemon.errors import LedgerError
from daemon.governance.approval_evidence import is_as_decided
from daemon.governance.ledger_in_use import LedgerInUse
from daemon.governance.ledger_words import action_facts
from daemon.knowledge.action import Action, digest
from daemon.store import approvals, cap_raises, grants
from daemon.store.approvals import ApprovalRow, Kind
from daemon.store.cap_raises import RaiseRow
from daemon.store.database import Database
from daemon.store.grants import GrantRow

_APPROVAL = re.compile(r"\(([A-Z0-9]+)\)\Z")
_log = logging.getLogger(__name__)


def proven_raises(db: Database, books: LedgerInUse) -> Callable[[str, date], int]:
    """What gives the micro-dollars that people added to a scope's cap on a day. One that the ledger
    does not bear out, or where that cannot be read, adds nothing, and the log says why once, for the
    cap is asked for with every call and every look. Raises StoreError for the database."""
    told: dict[str, str] = {}

    def counted(row: RaiseRow, scope: str, day: date) -> int:
        why = _why_no_raise(db, books, row, scope, day)
        if why and told.get(row.approval) != why:
            _log.error("the money of %s is not counted: %s", row.approval, why)
        told[row.approval] = why
        return 0 if why else row.micros

    def raised(scope: str, day: date) -> int:
        return sum(counted(row, scope, day) for row in cap_raises.list_raises(db, scope, day))

    return raised


def proven_grants(db: Database, books: LedgerInUse, action: Action) -> list[GrantRow]:
    """The grants of an action that are not used up, the oldest first. Raises StoreError."""
    found = grants.list_unspent(db, digest(action))
    return [row for row in found if _is_grant(db, books, row, action)]


def _why_no_raise(db: Database, books: LedgerInUse, row: RaiseRow, scope: str, day: date) -> str:
    """Empty where the money was given."""
    given = {"scope": scope, "day": day.isoformat(), "micros": row.micros}
    approval = approvals.find_approval(db, row.approval)
    try:
        if _is_approved(approval, "raise_cap", books) and approval.payload == given:
            return ""
    except LedgerError as error:
        return str(error)
    return "the ledger has no yes to it"


def _is_grant(db: Database, books: LedgerInUse, row: GrantRow, action: Action) -> bool:
    named = _APPROVAL.search(row.granted_by)
    approval = approvals.find_approval(db, named[1]) if named else None
    if not _is_approved(approval, "grant", books):
        _log.error("a grant (%s) is not used: the ledger has no yes to it", row.granted_by[:80])
        return False
    given = approval.payload
    same = (given["action_sha256"], given["level"]) == (row.action_sha256, row.level)
    return same and row.source in given["sources"] and not _was_used(books, approval, action)


def _is_approved(row: ApprovalRow | None, kind: Kind, books: LedgerInUse) -> TypeGuard[ApprovalRow]:
    return (
        row is not None and row.kind == kind and row.state == "done" and is_as_decided(books, row)
    )


def _was_used(books: LedgerInUse, approval: ApprovalRow, action: Action) -> bool:
    """Whether the action was let through since, whatever the row of the grant says."""
    told, after = action_facts(action), -1 if approval.decided_seq is None else approval.decided_seq
    actor = told.pop("actor")
    return any(
        one["type"] == "decision"
        and one["verdict"]["effect"] == "ALLOW"
        and one["actor"] == actor
        and one["action"] == told
        for one in books.about(action.args_sha256, after=after)
    )
