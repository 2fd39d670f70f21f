"""When a failed call is tried again, and how long to wait before it. The one layer of retries.

The SDKs below retry nothing, because each try needs money of its own set aside first.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt

from daemon.clock import Clock, utc_text
from daemon.errors import OutcomeUnknown, ProviderBusy

FIRST_WAIT_SECONDS = 2.0
LONGEST_BACKOFF_SECONDS = 60.0
LONGEST_ASKED_WAIT_SECONDS = 900.0
TRIES_AFTER_UNKNOWN = 1
_YEAR_SECONDS = 31_536_000.0


class StoppedWaiting(Exception):
    """The daemon was asked to stop during a wait; there is no further try."""


class NotAgain(OutcomeUnknown):
    """A call whose outcome is unknown and that a second try could not help."""


@dataclass(frozen=True)
class RetryRule:
    """How often and how patiently. `jitter` gives a number from 0 up to 1.

    `deadline_seconds` counts from the first try: after it, no call whose outcome is unknown is
    tried again. `busy` is told before every wait how long it may last.
    """

    clock: Clock
    max_tries: int
    deadline_seconds: float
    stop: threading.Event
    jitter: Callable[[], float]
    busy: Callable[[float], None]

    def tries(self) -> Retrying:
        """One call's tries; not to be used for a second call."""
        return _Tries(self).retrying()


class _Tries:
    def __init__(self, rule: RetryRule) -> None:
        self._rule = rule
        self._started = rule.clock.monotonic()
        self._unknown = 0

    def retrying(self) -> Retrying:
        return Retrying(
            retry=retry_if_exception(self._may_try_again),
            stop=stop_after_attempt(self._rule.max_tries),
            wait=self._wait_seconds,
            sleep=self._sleep,
            reraise=True,
        )

    def _may_try_again(self, error: BaseException) -> bool:
        if isinstance(error, ProviderBusy):
            return (_asked_wait(error) or 0.0) <= LONGEST_ASKED_WAIT_SECONDS
        if not isinstance(error, OutcomeUnknown) or isinstance(error, NotAgain):
            return False
        # Each such try may be a bill: one more is worth it, and only while it is still of use.
        self._unknown += 1
        elapsed = self._rule.clock.monotonic() - self._started
        return self._unknown <= TRIES_AFTER_UNKNOWN and elapsed < self._rule.deadline_seconds

    def _wait_seconds(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked = _asked_wait(error) if isinstance(error, ProviderBusy) else None
        backoff = min(
            LONGEST_BACKOFF_SECONDS, FIRST_WAIT_SECONDS * 2.0 ** (state.attempt_number - 1)
        )
        if asked is None:
            return backoff * (0.5 + self._rule.jitter() / 2)
        return asked + self._rule.jitter()

    def _sleep(self, seconds: float) -> None:
        # tenacity would try again after an interrupted sleep: a paid call during the shutdown.
        self._rule.busy(seconds)
        if self._rule.clock.sleep(seconds, self._rule.stop) or self._rule.stop.is_set():
            raise StoppedWaiting


def wait_told(error: ProviderBusy, now: datetime) -> datetime | None:
    """When the service wants to be asked again, where that is too far off to wait for in a call.

    None where it named no time or a near one.
    """
    asked = _asked_wait(error)
    if asked is None or asked <= LONGEST_ASKED_WAIT_SECONDS:
        return None
    return now + timedelta(seconds=min(asked, _YEAR_SECONDS))


def with_time_told(error: ProviderBusy, now: datetime) -> ProviderBusy:
    """The same error; where the service asked for a wait that is too long here, says until when."""
    until = wait_told(error, now)
    if until is None:
        return error
    return ProviderBusy(
        f"{error}; the service asks to be left alone until {utc_text(until)}",
        retry_after_seconds=error.retry_after_seconds,
        status=error.status,
        request_id=error.request_id,
    )


def _asked_wait(error: ProviderBusy) -> float | None:
    """The seconds that the service asked to wait; None where it asked for nothing sensible."""
    asked = error.retry_after_seconds
    if asked is None or math.isnan(asked) or asked <= 0:
        return None
    return asked
