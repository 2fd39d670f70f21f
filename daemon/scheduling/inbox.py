"""One thread that works off what people pressed and typed, after it was acknowledged."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from contextlib import suppress

from daemon.bootstrap import Services
from daemon.clock import Clock, Heartbeat, day_of
from daemon.config.phrases import Phrases
from daemon.errors import StoreError
from daemon.governance.interactions import Interactions
from daemon.notify.inbound import Inbound
from daemon.reports.mute import find_mute
from daemon.reports.serving import Serving, provider_line
from daemon.reports.status import render_status, take_status
from daemon.store import inbox
from daemon.store.database import Database
from daemon.store.items import list_item_states
from daemon.workspace.board import count_standings

ROUND_SECONDS = 2.0  # where nothing arrives; what arrives wakes the thread
LEFT_EVERY_SECONDS = 300.0
PRUNE_EVERY_SECONDS = 3_600.0
STRANGERS_EVERY_SECONDS = 60.0  # so that nobody outside can fill the ledger
_WIDE = 1_000  # Slack wraps lines itself
_log = logging.getLogger(__name__)


class InboxWork:
    """Works off until `stop`. `execute_left` carries out what was approved before a crash.

    What a broken store keeps from its effect stays open for the next round; a fault of ours ends one
    row, never the thread.
    """

    def __init__(
        self,
        db: Database,
        clock: Clock,
        inbound: Inbound,
        interactions: Interactions,
        *,
        execute_left: Callable[[], int],
        heartbeat: Heartbeat,
        stop: threading.Event,
        round_seconds: float = ROUND_SECONDS,
    ) -> None:
        self._db, self._clock = db, clock
        self._inbound, self._interactions = inbound, interactions
        self._execute_left = execute_left
        self._heartbeat = heartbeat
        self._stop = stop
        self._round_seconds = round_seconds
        self._said = ""
        self._strangers, self._why = 0, ""
        self._told_at: float | None = None
        self._left_at: float | None = None
        self._pruned_at: float | None = None
        # A daemon thread: what it leaves half done is worked off in the next life.
        self.thread = threading.Thread(target=self._run, name="sprintd-inbox", daemon=True)

    def start(self) -> None:
        self._heartbeat.watch(self.thread)
        self._heartbeat.beat()
        self.thread.start()

    def join(self, timeout_seconds: float) -> bool:
        """Wait for the end that `stop` brings; False where something is still under way."""
        self._inbound.arrived.set()
        if self.thread.ident is not None:
            self.thread.join(timeout_seconds)
        return not self.thread.is_alive()

    def turn(self) -> int:
        """One round: how many rows were worked off. Raises nothing."""
        self._heartbeat.beat()
        self._inbound.arrived.clear()
        try:
            done = self._work_off()
            self._tell_of_strangers()
            self._interactions.tell_held_back()
            self._finish_left()
            self._prune()
        except Exception as error:  # noqa: BLE001 - the thread goes on
            self._say(error)
            return 0
        self._said = ""
        return done

    def _work_off(self) -> int:
        done = 0
        for row in inbox.list_open(self._db):
            if self._stop.is_set():
                break
            try:
                self._interactions.work_off(row)
            except StoreError:
                raise
            except Exception as error:  # noqa: BLE001 - one row must not hold up the others
                _log.error("what was pressed had no effect (%s)", row.key, exc_info=error)
                outcome = f"failed: {type(error).__name__}"
                inbox.mark_handled(self._db, row.key, outcome, self._clock.now())
            done += 1
            self._heartbeat.beat()
        return done

    def _tell_of_strangers(self) -> None:
        found = self._inbound.take_strangers()
        self._strangers, self._why = self._strangers + found.count, found.why or self._why
        if not self._strangers or not self._is_time(self._told_at, STRANGERS_EVERY_SECONDS):
            return
        self._interactions.turn_away(self._strangers, self._why)
        self._strangers, self._told_at = 0, self._clock.monotonic()

    def _finish_left(self) -> None:
        """At the start of a life, and now and then."""
        if self._is_time(self._left_at, LEFT_EVERY_SECONDS):
            self._left_at = self._clock.monotonic()
            self._execute_left()

    def _prune(self) -> None:
        if self._is_time(self._pruned_at, PRUNE_EVERY_SECONDS):
            self._pruned_at = self._clock.monotonic()
            inbox.prune_handled(self._db, self._clock.now())

    def _is_time(self, last: float | None, every_seconds: float) -> bool:
        return last is None or self._clock.monotonic() - last >= every_seconds

    def _say(self, error: Exception) -> None:
        """Repeats of one error are said once; at a stop the database may be closed already."""
        if self._said != str(error) and not self._stop.is_set():
            trace = None if isinstance(error, StoreError) else error
            _log.error("what people pressed waits: %s", error, exc_info=trace)
        self._said = str(error)

    def _run(self) -> None:
        while not self._stop.is_set():
            self.turn()
            self._inbound.arrived.wait(self._round_seconds)
        with suppress(StoreError):  # the log has each of them
            self._interactions.tell_held_back(at_end=True)


def build_inbox(services: Services, resumed: Callable[[], object]) -> InboxWork:
    """The thread's work for one life; `resumed` wakes what may go on after a decision."""
    interactions = Interactions(
        services.db,
        services.clock,
        services.approvals,
        services.phrases,
        home=services.config.slack.channel,
        may_decide=services.inbound.may_decide,
        status=lambda: status_text(services),
        resumed=resumed,
        is_genuine=services.inbound.is_genuine,
    )
    return InboxWork(
        services.db,
        services.clock,
        services.inbound,
        interactions,
        execute_left=services.approvals.execute_left,
        heartbeat=services.inbox_heartbeat,
        stop=services.stop,
    )


def status_text(services: Services) -> str:
    """What `sprintd status` says, without the process and the page. Raises StoreError."""
    workspace, metered = services.source.latest, services.metered
    counts: dict[str, int] = {}
    if workspace is not None:
        states, today = list_item_states(services.db), day_of(services.clock.now())
        counts = dict(count_standings(workspace, states, today).items())
    line = provider_line(metered.provider_name, metered.describe(), Phrases("en"))
    status = take_status(
        services.db,
        services.budget,
        provider=line,
        backlog=counts,
        faults=services.source.faults,
        serving=Serving(os.getpid(), line, ""),
        mute=find_mute(services.db, services.config, services.outbox.channels),
    )
    lines = render_status(status, {"pid": None}, _WIDE).splitlines()
    return "\n".join(line for line in lines if not line.startswith("Process: "))
