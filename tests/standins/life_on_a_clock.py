"""Whole lives of the daemon on a clock that jumps from one due moment to the next.

Everything is the daemon's own (schedule, slots, worker, jobs, store); only threads and the waiting
are left out: each slot is asked for at its moment, and the worker's turns follow at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from itertools import groupby
from pathlib import Path

from daemon.bootstrap import Services, build_services
from daemon.clock import ManualClock
from daemon.scheduling.scheduler import Schedule
from daemon.scheduling.work import Work
from tests.standins.priced_writer import PricedWriter, price_the_writer


class LifeOnAClock:
    """One life, from its start on; `posted` is what was shown, each with its moment."""

    def __init__(self, services: Services, clock: ManualClock) -> None:
        self.services, self.clock, self.db = services, clock, services.db
        self.posted: list[tuple[datetime, str]] = []
        self.work = Work.build(services, services.config, self._post)
        self._schedule = Schedule(services.config, clock.now())

    def begin(self) -> None:
        """As the daemon starts: what was missed, then a sprint."""
        self.work.slots.begin()
        self.work.slots.ask_now("sprint")
        self._work_off()

    def go_on_until(self, end: datetime) -> None:
        """Every slot up to `end`, in order."""
        due = self._schedule.due(self.clock.now(), end)
        for slot, at_once in groupby(due, key=lambda one: one.slot):
            self.clock.advance(slot - self.clock.now())
            for one in at_once:
                self.work.slots.ask(one.job, one.slot)
            self._work_off()
        self.clock.advance(end - self.clock.now())

    def _work_off(self) -> None:
        while self.work.worker.turn(0) is not None:
            pass

    def _post(self, text: str) -> None:
        self.posted.append((self.clock.now(), text))


@contextmanager
def life(
    root: Path, clock: ManualClock, provider: PricedWriter | None = None
) -> Iterator[LifeOnAClock]:
    """A life over a workspace; it has begun. Its end is that of a process that was killed."""
    services = build_services(
        price_the_writer(root),
        environ={},
        say=lambda line: None,
        clock=clock,
        provider=provider or PricedWriter(),
    )
    try:
        built = LifeOnAClock(services, clock)
        built.begin()
        yield built
    finally:
        services.close()
