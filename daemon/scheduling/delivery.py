"""One thread that lets messages leave, so that no job ever waits for Slack or Notion."""

from __future__ import annotations

import logging
import threading

from daemon.clock import Clock, Heartbeat
from daemon.errors import StoreError
from daemon.notify.outbox import Outbox

# Between two rounds; a round is at most one message a channel, and Slack takes about one a second.
ROUND_SECONDS = 1.0
_log = logging.getLogger(__name__)


class Delivery:
    """Delivers in rounds until `stop`. Where no channel is configured there is no thread.

    A broken database or a fault of ours ends a round, never the thread; the next round tries again.
    """

    def __init__(
        self,
        outbox: Outbox,
        clock: Clock,
        *,
        heartbeat: Heartbeat,
        stop: threading.Event,
        round_seconds: float = ROUND_SECONDS,
    ) -> None:
        self._outbox = outbox
        self._clock = clock
        self._heartbeat = heartbeat
        self._stop = stop
        self._round_seconds = round_seconds
        self._said = ""
        # A daemon thread: what it leaves half done is looked up in the next life.
        self.thread = threading.Thread(target=self._run, name="sprintd-delivery", daemon=True)

    def start(self) -> None:
        if not self._outbox.channels:
            return
        self._heartbeat.watch(self.thread)
        self._heartbeat.beat()
        self.thread.start()

    def join(self, timeout_seconds: float) -> bool:
        """Wait for the end that `stop` brings; False where a request is still under way."""
        if self.thread.ident is not None:
            self.thread.join(timeout_seconds)
        return not self.thread.is_alive()

    def turn(self) -> int:
        """One round: how many messages arrived. Raises nothing."""
        self._heartbeat.beat()
        try:
            _moved, arrived = self._outbox.deliver_round(self._clock.now())
        except Exception as error:  # noqa: BLE001 - the thread goes on
            self._say(error)
            return 0
        self._said = ""
        return arrived

    def _say(self, error: Exception) -> None:
        """Repeats of one error are said once; at a stop the database may be closed already."""
        if self._said != str(error) and not self._stop.is_set():
            trace = None if isinstance(error, StoreError) else error
            _log.error("messages wait: %s", error, exc_info=trace)
        self._said = str(error)

    def _run(self) -> None:
        while not self._stop.is_set():
            self.turn()
            self._stop.wait(self._round_seconds)
