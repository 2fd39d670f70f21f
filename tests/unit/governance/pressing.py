"""Presses as they come out of the inbox, over a real database, ledger and approvals."""

from __future__ import annotations

from itertools import count
from pathlib import Path

from daemon.config.phrases import Phrases
from daemon.governance.interactions import Interactions
from daemon.notify.slack_events import Sent, parse_envelope
from daemon.store import inbox, outbox
from daemon.store.inbox import InboxRow
from tests.standins.slack_socket import mentioned, pressed, slash
from tests.unit.governance.approval_desk import Desk

FOUNDER, OTHER, STRANGER = "U0FOUNDER", "U0PARTNER", "U0STRANGER"
HOME = "C0123456789"


class PressedDesk(Desk):
    """`deciders` may be exchanged; `resumed` counts how often the work was woken."""

    def __init__(self, folder: Path) -> None:
        self.deciders: tuple[str, ...] = (FOUNDER, OTHER)
        self.resumed = 0
        self.is_genuine = True
        self.status = "State: idle\nMoney: 1.00 USD"
        self._numbers = count(1)
        super().__init__(folder)

    def new_life(self) -> None:
        super().new_life()
        self.interactions = Interactions(
            self.db, self.clock, self.approvals, Phrases("en"),
            home=HOME, may_decide=lambda user: user in self.deciders,
            status=lambda: self.status, resumed=self._wake,
            is_genuine=lambda _row: self.is_genuine,
        )  # fmt: skip

    def keep(self, envelope: dict[str, object]) -> InboxRow:
        """As it is kept before anything comes of it."""
        (sent,) = parse_envelope(envelope)
        return self.keep_sent(sent)

    def keep_sent(self, sent: Sent) -> InboxRow:
        inbox.receive(self.db, sent.key, "slack.socket", sent.as_payload(), self.clock.now())
        return self.received(sent.key)

    def received(self, key: str) -> InboxRow:
        found = inbox.find_received(self.db, key)
        assert found is not None
        return found

    def press(self, action: str, value: str = "", user: str = FOUNDER) -> str:
        """Press and work it off; what came of it."""
        trigger = f"trigger.{next(self._numbers)}"
        row = self.keep(pressed("E1", action=action, value=value, user=user, trigger=trigger))
        return self.interactions.work_off(row)

    def type(self, words: str, user: str = FOUNDER) -> InboxRow:
        return self.keep(slash("E1", words, user=user, trigger=f"t.{next(self._numbers)}"))

    def mention(self, words: str) -> InboxRow:
        return self.keep(mentioned("E1", words, event=f"Ev{next(self._numbers)}"))

    def value(self, approval_id: str = "A1") -> str:
        return f"{approval_id}:{self.row(approval_id).payload_sha256[:16]}"

    def sent(self, start: str = "") -> list[str]:
        """The keys of what waits to leave for Slack."""
        rows = outbox.list_open(self.db)
        return [row.key for row in rows if row.channel == "slack" and row.key.startswith(start)]

    def _wake(self) -> None:
        self.resumed += 1
