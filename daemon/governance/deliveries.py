"""What becomes known when a channel does not take messages: incidents, but never through itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from datetime import datetime
from typing import Final

from daemon.clock import Clock
from daemon.config.phrases import Phrases
from daemon.governance import incidents
from daemon.governance.approved_arrival import tell_arrival
from daemon.governance.incidents import Voice
from daemon.governance.ledger_in_use import LedgerInUse
from daemon.notify.notifier import Sender
from daemon.notify.outbox import Act, Kind, Outbox
from daemon.store import outbox
from daemon.store.database import Database
from daemon.store.outbox import OutboxRow

_CURES: Final[Mapping[Kind, str]] = {"refused": "outbox.cure", "held": "outbox.cure_held"}


def build_outbox(
    db: Database,
    clock: Clock,
    senders: Mapping[str, Sender],
    phrases: Phrases,
    jitter: Callable[[], float],
    act: Act,
    books: LedgerInUse | None = None,
) -> Outbox:
    """The outbox of a workspace, whose troubles become incidents; `act` lets a message leave. `books`
    keeps what became of messages that a person approved (None: nowhere)."""
    trouble = DeliveryTroubles(db, clock, Voice(phrases, tuple(senders)))

    def ended(row: OutboxRow, why: str) -> None:
        tell_arrival(db, phrases, row, why, clock.now(), books)

    return Outbox(
        db, clock, senders, jitter=jitter, trouble=trouble, act=act, ended=ended,
        hold=books.hold if books else nullcontext,
    )  # fmt: skip


class DeliveryTroubles:
    """Keeps troubles of channels as incidents, one a channel and kind until messages leave again. One
    that was refused is over only when no message of its channel is set aside any more.

    Nothing about Slack is sent: an alert about it would wait in the very queue that does not move,
    and come out at its end as news. That it takes nothing at all is an incident on the page all the
    same, for a person has to act; what else it does is shown by /health, `status` and the log.
    """

    def __init__(self, db: Database, clock: Clock, voice: Voice) -> None:
        self._db = db
        self._clock = clock
        self._voice = voice

    def __call__(self, channel: str, kind: Kind, sentence: str) -> None:
        """Raises StoreError."""
        if channel == "slack" and kind in ("failing", "refused"):
            return
        now = self._clock.now()
        if kind == "over":
            self._over(channel, now)
            return
        incidents.note(
            self._db,
            cause=f"outbox/{channel}/{kind}",
            detail=f"{channel}: {sentence}",
            cure=self._voice.phrases.text(_CURES[kind]) if kind in _CURES else "",
            place="outbox",
            now=now,
            channels=self._elsewhere(channel).channels,
        )

    def _over(self, channel: str, now: datetime) -> None:
        ended: tuple[Kind, ...] = ("held", "failing")
        if outbox.count_refused(self._db, channel) == 0:
            ended = ("refused", *ended)
        for kind in ended:
            voice = self._elsewhere(channel)
            incidents.recovered(self._db, f"outbox/{channel}/{kind}", now, voice=voice)

    def _elsewhere(self, channel: str) -> Voice:
        others = tuple(name for name in self._voice.channels if name not in (channel, "notion"))
        return Voice(self._voice.phrases, others)
