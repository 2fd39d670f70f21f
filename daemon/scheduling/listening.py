"""Two threads that hold Slack's line open: one connects again and again, one keeps what arrives.

What arrives is written, then acknowledged, then worked off by somebody else (`scheduling/inbox`). Where it
cannot be written it is not acknowledged, and Slack sends it again. Only the process that owns the
workspace listens.
"""

from __future__ import annotations

import logging
import queue
import random
import threading
from collections.abc import Callable
from typing import Any

from daemon.bootstrap import Services
from daemon.clock import Clock
from daemon.errors import SendError, SendLater, SendRefused, StoreError
from daemon.notify.inbound import Inbound
from daemon.notify.slack_app import LINE_CURES
from daemon.notify.slack_events import Sent, Unreadable, parse_envelope
from daemon.notify.slack_socket import Connection, SlackSocket

SOURCE = "slack.socket"
SHORTEST_WAIT_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 60.0
REFUSED_WAIT_SECONDS = 300.0  # a person must change something, though not always here
LONGEST_TOLD_SECONDS = 3_600.0
STEADY_SECONDS = 30.0  # a connection that lived so long was a good one
_LONG_WAIT = ("link_disabled", "too_many_websockets")
_RENEWALS = ("refresh_requested", "warning")
_LONGEST_ID = 200
_TURN_SECONDS = 0.5
_READ_SECONDS = 15.0
_BASE_URL = "https://slack.com/api/"
_log = logging.getLogger(__name__)


class Listening:
    """`jitter` gives numbers from 0 to 1. Nothing is opened before `start`."""

    def __init__(
        self,
        inbound: Inbound,
        slack: SlackSocket,
        clock: Clock,
        *,
        stop: threading.Event,
        jitter: Callable[[], float],
    ) -> None:
        self._inbound = inbound
        self._slack = slack
        self._clock = clock
        self._stop = stop
        self._jitter = jitter
        self._failures = 0
        self._held: Connection | None = None
        self._said = ""
        # Daemon threads: what they leave behind was not acknowledged, so it comes again.
        self.threads = tuple(
            threading.Thread(target=target, name=f"sprintd-slack-{name}", daemon=True)
            for name, target in (("line", self._hold_line), ("keep", self._keep_all))
        )

    def start(self) -> None:
        for thread in self.threads:
            thread.start()

    def join(self, timeout_seconds: float) -> bool:
        """Wait for the end that `stop` brings; False where a request is still under way."""
        for thread in self.threads:
            if thread.ident is not None:
                thread.join(timeout_seconds)
        return not any(thread.is_alive() for thread in self.threads)

    def keep(self, connection: Connection, envelope: dict[str, Any]) -> bool:
        """Keep and acknowledge one envelope; False where it is not acknowledged. Raises nothing."""
        name = envelope.get("envelope_id")
        if not isinstance(name, str) or not 0 < len(name) <= _LONGEST_ID:
            return False
        found = self._read(envelope)
        try:
            self._inbound.receive(SOURCE, found)
        except StoreError as error:
            _log.error("a press in Slack is not kept, so Slack sends it again: %s", error)
            return False
        answer = self._inbound.answer_at_once(found)
        connection.acknowledge(name, answer if envelope.get("accepts_response_payload") else "")
        return True

    def _read(self, envelope: dict[str, Any]) -> tuple[Sent, ...]:
        """Nothing in what cannot be read, for it would come again as it is."""
        try:
            return parse_envelope(envelope)
        except Unreadable as error:
            _log.warning("Slack sent what cannot be read: %s", error)
            return ()

    def _keep_all(self) -> None:
        while not self._stop.is_set():
            try:
                found = self._slack.envelopes.get(timeout=_TURN_SECONDS)
            except queue.Empty:
                continue
            try:
                if found is not None:
                    self.keep(*found)
            except Exception as error:  # noqa: BLE001 - the thread goes on
                _log.error("a press in Slack is not kept", exc_info=error)

    def _hold_line(self) -> None:
        while not self._stop.is_set():
            try:
                wait = self._hold_once()
            except Exception as error:  # noqa: BLE001 - the thread goes on
                _log.error("the line to Slack broke", exc_info=error)
                wait = LONGEST_WAIT_SECONDS
            if wait:
                self._clock.sleep(wait, self._stop)
        self._replace(None)
        self._slack.wake()

    def _hold_once(self) -> float:
        """Connect and watch until that ends; seconds to wait before the next time. Steps:

        1. Connect. The connection before, if there is one, still takes what comes until then.
        2. Watch until the far side is gone or asks for another one.
        3. Wait longer after each failure in a row; not at all where a steady line is renewed.
        """
        try:
            connection = self._slack.connect()
        except SendError as error:
            return self._failed(error)
        self._replace(connection)
        self._inbound.is_up()
        self._said = ""
        began = self._clock.monotonic()
        self._slack.watch(connection, self._stop)
        if self._stop.is_set():
            return 0.0
        return self._ended(connection.why, self._clock.monotonic() - began)

    def _failed(self, error: SendError) -> float:
        told = error.retry_after_seconds if isinstance(error, SendLater) else None
        least = REFUSED_WAIT_SECONDS if isinstance(error, SendRefused) else 0.0
        self._say(str(error))
        return max(self._backoff(), least, min(told or 0.0, LONGEST_TOLD_SECONDS))

    def _ended(self, why: str, lived_seconds: float) -> float:
        if lived_seconds >= STEADY_SECONDS:
            self._failures = 0
        renewal = why in _RENEWALS
        if renewal and not self._failures:
            self._failures = 1
            return 0.0
        if not renewal:
            self._replace(None)
            cure = LINE_CURES.get(why)
            self._say(f"{self._slack.host}: {why}" + (f"; {cure}" if cure else ""))
        return max(self._backoff(), LONGEST_WAIT_SECONDS if why in _LONG_WAIT else 0.0)

    def _backoff(self) -> float:
        """Seconds: twice as long after each failure in a row, by half of it shorter at random."""
        whole = min(LONGEST_WAIT_SECONDS, SHORTEST_WAIT_SECONDS * 2.0 ** min(self._failures, 10))
        self._failures += 1
        return whole * (1 - self._jitter() / 2)

    def _replace(self, connection: Connection | None) -> None:
        held, self._held = self._held, connection
        if held is not None:
            held.cut()

    def _say(self, problem: str) -> None:
        """Never through Slack: in the log, once for one and the same; and in health and page."""
        self._inbound.is_down(problem)
        if problem != self._said:
            _log.warning("nothing comes in from Slack: %s", problem)
        self._said = problem


def build_listening(services: Services) -> Listening | None:
    """The line to Slack; None where presses do not come in by it."""
    inbound = services.inbound
    if inbound.way != "socket" or not inbound.app_token:
        return None
    slack = SlackSocket(
        app_token=inbound.app_token,
        base_url=services.config.slack.base_url or _BASE_URL,
        read_seconds=_READ_SECONDS,
    )
    jitter = random.SystemRandom().random
    return Listening(inbound, slack, services.clock, stop=services.stop, jitter=jitter)
