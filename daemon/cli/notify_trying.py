"""Lets test messages leave through the outbox and the gate, and says which of them arrived.

While the daemon runs it delivers them, and this waits; else this process owns the workspace for so
long and delivers itself, what waited before them first.
"""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlsplit

from daemon.bootstrap import state_dir_of
from daemon.cli.approvals_desk import Desk
from daemon.cli.doctor_reach import ask_health
from daemon.cli.notify_samples import Sample
from daemon.cli.output import progress
from daemon.config.addresses import is_this_machine
from daemon.errors import SprintdError
from daemon.governance.acting import message_sender
from daemon.governance.deliveries import build_outbox
from daemon.governance.published import is_approved
from daemon.notify.outbox import Outbox
from daemon.notify.senders import build_senders
from daemon.store import outbox as store
from daemon.store import outbox_hold
from daemon.store.notion import NotionShelf
from daemon.store.outbox import OutboxRow
from daemon.store.outbox_hold import Hold
from daemon.store.owner_lock import OwnerLock

PREFIX = "notify-test/"
_ROUND_SECONDS = 1.0  # Slack takes about one message a second
_NEAR_SECONDS = 0.01
_LOOK_SECONDS = 0.2
_NO_TURN = "its turn did not come in time"
_MISSING = {
    "slack": "slack.channel must be set, and the secret slack_bot_token be there (docs/slack.md)",
    "notion": "the secret notion_token must be there (docs/notion.md)",
}


@dataclass(frozen=True)
class Arrival:
    """What became of one message. `error` is why it did not arrive, empty where it did."""

    channel: str
    name: str
    state: str
    error: str

    @property
    def arrived(self) -> bool:
        return self.state == "sent"


def let_leave(
    desk: Desk, channel: str, samples: Sequence[Sample], prefix: str, *, seconds: float
) -> list[Arrival]:
    """Hand them over and wait for so long at most. Raises SprintdError where the channel is not set up.

    What was refused is taken out again, so that a later retry does not post an old test, and so is all
    that waits where the channel takes nothing; what else waits leaves later, in its turn.
    """
    with _deliverer(desk, channel) as outbox:
        now = desk.clock.now()
        with desk.db.immediate():
            outbox_hold.hurry(desk.db, (channel,), now)
            for one in samples:
                store.enqueue(
                    desk.db, key=f"{prefix}/{one.name}", channel=channel, payload=one.payload, now=now
                )  # fmt: skip
        _wait(desk, channel, outbox, [f"{prefix}/{one.name}" for one in samples], seconds)
    rows = {one.name: store.find_message(desk.db, f"{prefix}/{one.name}") for one in samples}
    held = outbox_hold.find_holds(desk.db).get(channel)
    found = [_arrival(channel, name, row, held) for name, row in rows.items()]
    store.drop_refused(desk.db, prefix)
    outbox_hold.drop_held(desk.db, prefix)
    return found


def daemon_runs(desk: Desk) -> bool:
    return OwnerLock(state_dir_of(desk.root)).holder() is not None


@contextmanager
def _deliverer(desk: Desk, channel: str) -> Iterator[Outbox | None]:
    """What delivers here, None where the daemon that runs does. Raises SprintdError."""
    lock = OwnerLock(state_dir_of(desk.root))
    if lock.holder() is not None:
        _check_daemon(desk, channel)
        yield None
        return
    lock.acquire(desk.clock.now())
    try:
        outbox = _build(desk)
        try:
            if channel not in outbox.channels:
                raise SprintdError(f"{channel} is not set up: {_MISSING[channel]}")
            yield outbox
        finally:
            outbox.close()
    finally:
        lock.release()


def _check_daemon(desk: Desk, channel: str) -> None:
    health = ask_health(state_dir_of(desk.root))
    if not isinstance(health, Mapping):
        raise SprintdError(f"the daemon that runs here does not answer: {health}")
    if channel not in (health.get("delivery") or {}).get("channels", ()):
        raise SprintdError(
            f"the daemon that runs here has no {channel}: {_MISSING[channel]}, then restart it"
        )


def _build(desk: Desk) -> Outbox:
    config, state_dir = desk.config, state_dir_of(desk.root)
    shelf = NotionShelf(desk.db, desk.clock, findings=config.notion.findings_data_source)
    senders = build_senders(
        config, os.environ, state_dir, lambda _seconds: None, shelf=shelf,
        approved=partial(is_approved, desk.db),
    )  # fmt: skip
    act = message_sender(desk.gate, config)
    jitter = random.SystemRandom().random
    return build_outbox(desk.db, desk.clock, senders, desk.phrases, jitter, act, desk.gate.books)


def _wait(
    desk: Desk, channel: str, outbox: Outbox | None, keys: Sequence[str], seconds: float
) -> None:
    """Until all of them ended, or the time is over; each end is told as it comes."""
    ends, told = desk.clock.monotonic() + seconds, set[str]()
    pause, never = _pause(desk, channel) if outbox else _LOOK_SECONDS, threading.Event()
    while True:
        if outbox:
            outbox.deliver_round(desk.clock.now())
        for key in [key for key in keys if key not in told]:
            row = store.find_message(desk.db, key)
            if row and row.state in ("sent", "set_aside"):
                told.add(key)
                progress(f"{key.rpartition('/')[2]}: {row.state.replace('_', ' ')}")
        if len(told) == len(keys) or desk.clock.monotonic() >= ends or _is_held(desk, channel):
            return
        desk.clock.sleep(pause, never)


def _is_held(desk: Desk, channel: str) -> bool:
    """Whether the channel was just tried and takes nothing: no other message fares better."""
    head = store.find_head(desk.db, channel)
    is_held = channel in outbox_hold.find_holds(desk.db)
    return is_held and head is not None and head.next_try_at > desk.clock.now()


def _pause(desk: Desk, channel: str) -> float:
    """A server on this machine has no limit."""
    own = {"slack": desk.config.slack.base_url, "notion": desk.config.notion.base_url}[channel]
    near = bool(own) and is_this_machine(urlsplit(own).hostname or "")
    return _NEAR_SECONDS if near else _ROUND_SECONDS


def _arrival(channel: str, name: str, row: OutboxRow | None, held: Hold | None) -> Arrival:
    if row is None:
        return Arrival(channel, name, "gone", "it was taken out of the outbox meanwhile")
    if row.state == "sent":
        return Arrival(channel, name, "sent", "")
    return Arrival(channel, name, row.state, row.error or (held.why if held else _NO_TURN))
