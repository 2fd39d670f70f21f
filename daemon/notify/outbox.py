"""Carries what waits in the store to the far side: each message once, and in order per channel."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Literal

from daemon.clock import Clock
from daemon.config.redaction import redact
from daemon.errors import (
    SendError,
    SendHeld,
    SendLater,
    SendRefused,
    SendUncertain,
    StoreError,
)
from daemon.notify.notifier import Sender
from daemon.notify.waits import first_try_of, is_due, wait_after
from daemon.store import outbox, outbox_hold
from daemon.store.approvals import UnreadableRow
from daemon.store.database import Database
from daemon.store.outbox import OutboxRow

SETTLE_SECONDS = 10.0
KNOWN_CHANNELS = ("notion", "slack")
MOST_ANSWERS = 10  # one upon another, until their thread's head is taken to be found
FAILURES_TOLD = 5  # in a row, before anybody is told: two minutes or so
_CLOCK_SLACK = timedelta(minutes=1)
_log = logging.getLogger(__name__)

Kind = Literal["refused", "failing", "held", "over"]
Trouble = Callable[[str, Kind, str], None]
End = Literal["sent", "set_aside", "waiting"]
Send = Callable[[], str]
Act = Callable[[OutboxRow, str, Send], str]
Ended = Callable[[OutboxRow, str], None]


class Outbox:
    """The messages of one workspace. One thread delivers; any thread may ask what waits.

    `senders` has one for each channel that is configured; messages of another channel wait.
    `jitter` gives numbers from 0 to 1. `settle_seconds` is how long the far side may take to show a
    message that it took, so that a look-up which finds nothing is believed. `trouble` hears, with a
    channel and a sentence, when a message is refused, when a channel fails for the fifth time in a
    row or is held (it takes nothing until a person changes something), and when that is over; it must
    not send through this outbox what it hears of Slack.
    `act` lets a message leave, by its key at the far side; it may raise what a sender may. `ended` hears,
    in the transaction that writes it, of a message that arrived or was set aside, and then why; `hold`
    is entered before that transaction.
    """

    def __init__(
        self,
        db: Database,
        clock: Clock,
        senders: Mapping[str, Sender],
        *,
        jitter: Callable[[], float],
        trouble: Trouble | None = None,
        settle_seconds: float = SETTLE_SECONDS,
        act: Act = lambda _row, _key, send: send(),
        ended: Ended = lambda _row, _why: None,
        hold: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self._db = db
        self._clock = clock
        self._senders = dict(senders)
        self._jitter = jitter
        self._settle = timedelta(seconds=settle_seconds)
        self._trouble = trouble
        self._act = act
        self._ended, self._held_by = ended, hold
        self._failures = dict.fromkeys(senders, 0)
        self._faults: Counter[str] = Counter()  # of ours, by the message that met them
        self._causes: dict[str, str] = {}
        self._latest: datetime | None = None

    @property
    def channels(self) -> tuple[str, ...]:
        return tuple(self._senders)

    def pending(self) -> list[OutboxRow]:
        """What has not left yet, the oldest first (at most 1,000)."""
        return outbox.list_open(self._db)

    def set_aside(self) -> list[OutboxRow]:
        """What waits for a person, the oldest first (at most 1,000)."""
        return outbox.list_set_aside(self._db)

    def deliver_due(self, now: datetime) -> int:
        """Deliver all that is due at `now`; how many arrived. Raises StoreError."""
        arrived = 0
        while True:
            moved, more = self.deliver_round(now)
            arrived += more
            if not moved:
                return arrived

    def deliver_round(self, now: datetime) -> tuple[int, int]:
        """At most one message of each channel: how many left the queue, and arrived.

        A channel whose first message must wait holds up nobody but itself. Raises StoreError; what
        was not written then is looked up later.
        """
        self._mind_the_clock(now)
        moved, arrived = self._refuse_strangers(), 0
        for channel, sender in self._senders.items():
            row = outbox.find_head(self._db, channel)
            if row is None or not is_due(row, now):
                continue
            end = self._deliver(row, sender)
            moved += end != "waiting"
            arrived += end == "sent"
        return moved, arrived

    def _refuse_strangers(self) -> int:
        """One message for each channel that there is not, which would else wait for ever unseen; how many.
        One that is there and not set up keeps its messages."""
        strange = outbox.count_waiting(self._db).keys() - {*KNOWN_CHANNELS, *self._senders}
        heads = [outbox.find_head(self._db, channel) for channel in sorted(strange)]
        for row in filter(None, heads):
            known = ", ".join(KNOWN_CHANNELS)
            why = SendRefused(f"there is no channel {row.channel[:40]!r}; there are {known}")
            self._settle_failure(row, why, uncertain=False)
        return len(heads)

    def close(self) -> None:
        for sender in self._senders.values():
            sender.close()

    def _deliver(self, row: OutboxRow, sender: Sender) -> End:
        """The state that the message is in afterwards. Steps:

        1. Where an earlier try may have arrived, ask; found: done. So too where it was set aside, and
           what takes its place has arrived meanwhile: a question after its answer would mislead.
        2. Write that the request is about to leave.
        3. Send, and write what came of it.
        """
        if row.damage:
            refused = SendRefused(f"it is damaged in the database: {row.damage}")
            return self._settle_failure(row, refused, uncertain=False)
        key = f"{row.key}#{outbox.find_scope(self._db, self._clock.now())}"
        in_doubt = row.uncertain or row.state == "sending"
        try:
            since, payload = first_try_of(row, self._clock.now()), self._payload(row)
            found = sender.find(key, payload, since=since) if in_doubt else None
            if in_doubt and found is None and (newer := outbox.find_edit(self._db, row)):
                found = newer.remote_id or newer.key
        except Exception as error:  # noqa: BLE001 - a fault of a sender stops no other message
            return self._settle_failure(row, error, uncertain=True)
        if found is None:
            look_up_at = self._clock.now() + self._settle
            if not outbox.begin_sending(self._db, row.key, look_up_at=look_up_at):
                return "waiting"
            try:
                found = self._act(row, key, partial(sender.send, key, payload))
            except Exception as error:  # noqa: BLE001 - the same
                uncertain = not isinstance(error, SendLater | SendRefused)
                return self._settle_failure(row, error, uncertain=uncertain)
        with self._held_by(), self._db.immediate():
            outbox.mark_sent(self._db, row.key, found, self._clock.now())
            self._ended(row, "")
        self._faults.pop(row.key, None)
        self._recovered(row)
        return "sent"

    def _payload(self, row: OutboxRow) -> Mapping[str, Any]:
        """With the far side's names of the messages that it edits and answers.

        Where one of them never arrived, its name is missing, and this is a message of its own.
        """
        places = {
            "_edits_ts": self._remote_id(row, row.payload.get("edits")),
            "_thread_ts": self._remote_id(row, self._root_of(row.payload.get("thread"))),
        }
        return {**row.payload, **{name: place for name, place in places.items() if place}}

    def _remote_id(self, row: OutboxRow, key: object) -> str | None:
        earlier = outbox.find_message(self._db, str(key)) if key else None
        if earlier is None or earlier.channel != row.channel or earlier.state != "sent":
            return None
        return earlier.remote_id

    def _root_of(self, key: object) -> object:
        """The key of the message at the head of a thread: an answer to an answer hangs on it too."""
        for _ in range(MOST_ANSWERS):
            earlier = outbox.find_message(self._db, str(key)) if key else None
            above = earlier.payload.get("thread") or earlier.payload.get("edits") if earlier else ""
            if not above:
                break
            key = above
        return key

    def _settle_failure(self, row: OutboxRow, error: Exception, *, uncertain: bool) -> End:
        if not isinstance(error, SendError):
            error = self._as_send_error(row, error)
        now, why = self._clock.now(), redact(str(error))
        is_held = isinstance(error, SendHeld)
        if isinstance(error, SendRefused) and not is_held:
            with self._held_by(), self._db.immediate():
                outbox.set_aside(self._db, row.key, error=why, now=now)
                self._ended(row, why)
            self._faults.pop(row.key, None)
            self._refused(row, why)
            return "set_aside"
        wait = wait_after(error, self._failures[row.channel], self._jitter())
        if uncertain:
            wait = max(wait, self._settle)
        outbox.put_back(self._db, row.key, next_try_at=now + wait, error=why, uncertain=uncertain)
        (self._hold if is_held else self._fails)(row.channel, why)
        return "waiting"

    def _as_send_error(self, row: OutboxRow, error: Exception) -> SendError:
        """What a fault of ours means. A message that breaks its sender again and again, in a look-up
        too, must not hold up the others for ever; one that meets a broken store is not to blame."""
        if isinstance(error, UnreadableRow):
            return SendRefused(f"what a person approved cannot be read any more: {error}")
        _log.error("the sender of %s failed", row.channel, exc_info=error)
        self._faults[row.key] += not isinstance(error, StoreError)
        kind = SendRefused if self._faults[row.key] > FAILURES_TOLD else SendUncertain
        return kind(f"the sender failed: {type(error).__name__}")

    def _refused(self, row: OutboxRow, why: str) -> None:
        sentence = f"{row.key} was set aside: {why}"
        self._note(row.channel, "refused", sentence, cause=why)
        self._tell(row.channel, "refused", sentence)

    def _fails(self, channel: str, why: str) -> None:
        self._failures[channel] += 1
        sentence = f"{why}; messages wait, none is lost"
        self._note(channel, "failing", sentence, cause=why)
        if self._failures[channel] == FAILURES_TOLD:
            self._tell(channel, "failing", sentence)

    def _hold(self, channel: str, why: str) -> None:
        """Tell at once, and once: no message of the channel can leave before a person did something."""
        self._failures[channel] += 1
        sentence = f"{why}; messages wait, none is lost"
        self._note(channel, "held", sentence, cause=why)
        if outbox_hold.hold(self._db, channel, why, self._clock.now()):
            self._tell(channel, "held", sentence)

    def _recovered(self, row: OutboxRow) -> None:
        """A message that arrives after an error may end what an earlier life was told of."""
        channel = row.channel
        self._failures[channel] = 0
        was_down = self._causes.pop(channel, None) is not None
        was_held = outbox_hold.release(self._db, channel, self._clock.now())
        if was_down:
            _log.warning("%s takes messages again", channel)
        if was_down or was_held or row.error is not None:
            self._tell(channel, "over", "takes messages again")

    def _note(self, channel: str, kind: Kind, sentence: str, *, cause: str) -> None:
        """Into the log, repeats of one cause once."""
        if self._causes.get(channel) != cause:
            _log.log(
                logging.WARNING if kind == "failing" else logging.ERROR, "%s: %s", channel, sentence
            )
        self._causes[channel] = cause

    def _tell(self, channel: str, kind: Kind, sentence: str) -> None:
        if self._trouble:
            self._trouble(channel, kind, sentence)

    def _mind_the_clock(self, now: datetime) -> None:
        """After a jump backwards nothing may wait for a moment that is far away now; at the start of a life
        what was held is tried at once, for a restart is what most cures say."""
        if self._latest is None:
            outbox_hold.hurry(self._db, self._senders.keys(), now)
        elif now < self._latest - _CLOCK_SLACK:
            outbox.shorten_waits(self._db, now)
        self._latest = now
