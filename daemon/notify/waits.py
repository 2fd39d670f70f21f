"""How long a message waits after a failure, and from when on it may have arrived."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from daemon.errors import SendError
from daemon.store.outbox import OutboxRow

FIRST_WAIT_SECONDS = 5.0
LONGEST_WAIT_SECONDS = 900.0
LONGEST_TOLD_SECONDS = 86_400.0
_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


def wait_after(error: SendError, failures: int, jitter: float) -> timedelta:
    """As long as the far side asks for; else longer with each of the `failures` in a row before this
    one. `jitter` is from 0 to 1."""
    told = getattr(error, "retry_after_seconds", None)
    if told is not None:
        return timedelta(seconds=min(max(0.0, told), LONGEST_TOLD_SECONDS) + jitter)
    full = min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2.0 ** min(failures, 20))
    return timedelta(seconds=full * (0.5 + jitter / 2))


def is_due(row: OutboxRow, now: datetime) -> bool:
    """A wait longer than any that is ever written comes from a clock that was wrong then."""
    longest = timedelta(seconds=LONGEST_TOLD_SECONDS + LONGEST_WAIT_SECONDS)
    return row.next_try_at <= now or row.next_try_at > now + longest


def first_try_of(row: OutboxRow, now: datetime) -> datetime:
    """From when on the far side may have the message; always, where a wrong clock dated it."""
    return row.created_at if row.created_at <= now else _LONG_AGO
