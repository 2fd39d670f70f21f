"""What becomes known when a channel does not take messages: incidents, but never through itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from daemon.clock import Clock
from daemon.config.phrases import Phrases
from daemon.governance import incidents
from daemon.governance.approved_arrival import tell_arrival
from daemon.governance.incidents import Voice
from daemon.notify.notifier import Sender
from daemon.notify.outbox import Act, Kind, Outbox
from daemon.store import outbox
from daemon.store.database import Database
from daemon.store.outbox import OutboxRow


def build_outbox(
    db: Database,
    clock: Clock,
    senders: Mapping[str, Sender],
    phrases: Phrases,
    jitter: Callable[[], float],
    act: Act,
) -> Outbox:
    """The outbox of a workspace, whose troubles become incidents; `act` lets a message leave."""
    trouble = DeliveryTroubles(db, clock, Voice(phrases, tuple(senders)))

    def ended(row: OutboxRow, why: str) -> None:
        tell_arrival(db, phrases, row, why, clock.now())

    return Outbox(db, clock, senders, jitter=jitter, trouble=trouble, act=act, ended=ended)


class DeliveryTroubles:
    """Keeps troubles of channels as incidents, one a channel and kind until messages leave again. One
    that was refused is over only when no message of its channel is set aside any more.

    Of Slack nothing is kept or sent: an alert about it would wait in the very queue that does not
    move, and come out at its end as news. It is shown by /health, the page, `status` and the log.
    """

    def __init__(self, db: Database, clock: Clock, voice: Voice) -> None:
        self._db = db
        self._clock = clock
        self._voice = voice

    def __call__(self, channel: str, kind: Kind, sentence: str) -> None:
        """Raises StoreError."""
        if channel == "slack":
            return
        now = self._clock.now()
        if kind == "over":
            is_clear = outbox.count_refused(self._db, channel) == 0
            for cause in ("refused", "failing") if is_clear else ("failing",):
                incidents.recovered(
                    self._db, f"outbox/{channel}/{cause}", now, voice=self._elsewhere(channel)
                )
            return
        incidents.note(
            self._db,
            cause=f"outbox/{channel}/{kind}",
            detail=f"{channel}: {sentence}",
            cure=self._voice.phrases.text("outbox.cure") if kind == "refused" else "",
            place="outbox",
            now=now,
            channels=self._elsewhere(channel).channels,
        )

    def _elsewhere(self, channel: str) -> Voice:
        others = tuple(name for name in self._voice.channels if name not in (channel, "notion"))
        return Voice(self._voice.phrases, others)
