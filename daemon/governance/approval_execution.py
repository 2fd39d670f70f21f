"""Carrying out what was approved: once, and exactly that."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial

from daemon.clock import Clock
from daemon.errors import StoreError
from daemon.governance.action_gate import ActionGate, Call, Refused
from daemon.governance.approval_evidence import EXECUTE, execution_of
from daemon.governance.approval_record import CHANGED, ApprovalRecord
from daemon.governance.approved import ImpossibleError, carry_out
from daemon.governance.incidents import Voice
from daemon.store import approvals as rows
from daemon.store.approvals import ApprovalRow
from daemon.store.database import Database

DONE_BEFORE = "the ledger has it as done already; its row was put back"
_log = logging.getLogger(__name__)


class ApprovalExecution:
    """Any number of threads and processes may try at once: the effect and its record are one
    transaction, which only the first finds in the state `approved`."""

    def __init__(
        self,
        db: Database,
        gate: ActionGate,
        clock: Clock,
        voice: Callable[[], Voice],
        record: ApprovalRecord,
    ) -> None:
        self._db, self._gate, self._clock = db, gate, clock
        self._voice, self._record = voice, record

    def carry_out(self, row: ApprovalRow) -> tuple[ApprovalRow, str]:
        """The approval afterwards, and why it still waits where it does. Raises StoreError only where
        the approval cannot be read again."""
        call = Call("approvals", EXECUTE, partial(self._arguments, row.id))
        why = ""
        try:
            result = self._gate.perform(call, partial(self._do, row), not_done=str)
            if isinstance(result, Refused):
                why = result.message
                self._refused(row, result)
        except StoreError as error:
            _log.error("%s is approved and not carried out yet: %s", row.id, error)
            why = str(error)
        return self._record.again(row), why

    def _arguments(self, approval_id: str) -> dict[str, object]:
        """From the store each time, so that what is executed is compared with what was decided."""
        row = rows.find_approval(self._db, approval_id)
        return execution_of(row) if row else {"kind": "", "approval": approval_id}

    def _do(self, asked: ApprovalRow) -> str:
        """Why it was not done; empty where it was."""
        with self._gate.books.hold(), self._db.immediate():
            row = self._record.again(asked)
            if row.state != "approved":
                return f"it is {row.state} already"
            if not self._record.is_as_decided(row):
                self._record.spoilt(row, "daemon")
                return CHANGED
            if self._record.was_done(row):
                self._record.enter("REFUSED", "daemon", row, DONE_BEFORE)
                self._record.ended(row, "refused", self._record.say("approval.done_before"))
                return DONE_BEFORE
            try:
                with self._db.immediate():
                    said = carry_out(self._db, row, self._gate, self._voice(), self._clock.now())
            except ImpossibleError as error:
                self._record.ended(row, "refused", str(error))
                return str(error)
            self._record.ended(row, "done", said)
        return ""

    def _refused(self, asked: ApprovalRow, refused: Refused) -> None:
        """An end where the policy forbids it; it waits where nothing at all can be done now."""
        if refused.by != "action" or refused.ruling.gate == "limits":
            return
        with self._gate.books.hold(), self._db.immediate():
            row = self._record.again(asked)
            if row.state == "approved" and refused.ruling.gate == "digest":
                self._record.spoilt(row, "daemon")
            elif row.state == "approved":
                self._record.enter("REFUSED", "daemon", row, refused.message)
                self._record.ended(row, "refused", refused.message)
