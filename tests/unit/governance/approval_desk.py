"""Approvals over a real database and a real ledger, in one life after the other."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from daemon.clock import ManualClock
from daemon.config.phrases import Phrases
from daemon.config.sections import ApprovalsSection
from daemon.governance.action_gate import ActionGate
from daemon.governance.approvals import Approvals, Decision, Question
from daemon.governance.incidents import Voice
from daemon.governance.ledger_in_use import LedgerInUse
from daemon.governance.policy_in_force import policy_of
from daemon.governance.questions import build_approvals
from daemon.knowledge.action import Policy
from daemon.knowledge.manifest import parse_manifest
from daemon.store import items, outbox
from daemon.store.approvals import ApprovalRow
from daemon.store.database import Database, open_database
from daemon.store.outbox import OutboxRow
from tests.workspaces import NOON

EMPTY_MAP = b'kcp_version: "0.32"\nproject: P\nversion: "1"\nunits: []\n'
UNBLOCK = Question("unblock", "Put T1 back", "its notes were mended", "ana", {"item": "T1"})
POST = Question(
    "post", "Tell the board", "they asked", "ana",
    {"channel": "slack", "message": {"text": "The register is found.", "to": "C0123"}},
)  # fmt: skip


class Desk:
    """`channels` are where it asks; `policy` is the one in force and may be exchanged."""

    def __init__(self, folder: Path, channels: tuple[str, ...] = ("slack", "console")) -> None:
        self.state = folder / "state"
        self.db: Database = open_database(self.state / "sprintd.db")
        self.clock = ManualClock(NOON)
        self.policy: Policy = policy_of(
            parse_manifest(EMPTY_MAP, "knowledge.yaml"), [], NOON.date()
        )
        self.voice = Voice(Phrases("en"), channels)
        self.section = ApprovalsSection()
        self.new_life()

    def new_life(self) -> None:
        """As after a start: another gate and another hold on the ledger."""
        books = LedgerInUse(self.state, self.db, self.clock)
        self.gate = ActionGate(books, lambda: self.policy, self.db, self.clock)
        self.approvals: Approvals = build_approvals(
            self.db, self.gate, self.clock, lambda: self.section, lambda: self.voice
        )

    def close(self) -> None:
        self.gate.close()
        self.db.close()

    def say(
        self, row: ApprovalRow, by: str = "U1", *, approve: bool = True, **more: str
    ) -> Decision:
        given = {"digest": row.payload_sha256[:16], **more}
        return self.approvals.decide(row.id, approve=approve, by=by, through="slack", **given)

    def row(self, approval_id: str = "A1") -> ApprovalRow:
        found = self.approvals.find(approval_id)
        assert found is not None
        return found

    def entries(self, *types: str) -> list[dict[str, Any]]:
        lines = (self.state / "ledger/log.jsonl").read_text().splitlines()
        found = [json.loads(line) for line in lines]
        return [one for one in found if one["type"] in (types or ("approval",))]

    def effects(self) -> list[tuple[str, str]]:
        """Of the ledger's entries about approvals: what, and by whom."""
        return [(one["verdict"]["effect"], one["actor"]) for one in self.entries()]

    def outcomes(self) -> list[str]:
        """What came of what was tried to carry out."""
        return [one["verdict"]["effect"] for one in self.entries("outcome")]

    def message(self, key: str) -> OutboxRow:
        found = outbox.find_message(self.db, key)
        assert found is not None, f"no message {key}"
        return found

    def waiting(self) -> list[str]:
        return [row.key for row in outbox.list_open(self.db)]

    def block(self, item: str = "T1") -> None:
        items.count_rejection(self.db, item, "rejected", 1, self.clock.now())

    def is_blocked(self, item: str = "T1") -> bool:
        return items.find_item_state(self.db, item).state == "blocked"

    def tamper(self, payload: Mapping[str, Any], approval_id: str = "A1") -> None:
        """Somebody writes into the database."""
        with self.db.immediate() as tx:
            values = (json.dumps(payload), approval_id)
            tx.execute("UPDATE approval SET payload = ? WHERE id = ?", values)

    @contextmanager
    def without_ends(self) -> Iterator[None]:
        """No transaction that ends an approval as done comes through, as where the disk is full."""
        with self.db.immediate() as tx:
            tx.execute("""CREATE TRIGGER full BEFORE UPDATE ON approval WHEN new.state = 'done'
                          BEGIN SELECT RAISE(ABORT, 'full'); END""")
        try:
            yield
        finally:
            with self.db.immediate() as tx:
                tx.execute("DROP TRIGGER full")

    @contextmanager
    def without_ledger(self) -> Iterator[None]:
        """A life in which the ledger cannot be opened; afterwards one in which it can."""
        self.gate.close()
        ledger, aside = self.state / "ledger", self.state / "aside"
        ledger.rename(aside)
        ledger.write_text("no folder")
        self.new_life()
        try:
            yield
        finally:
            self.gate.close()
            ledger.unlink()
            aside.rename(ledger)
            self.new_life()
