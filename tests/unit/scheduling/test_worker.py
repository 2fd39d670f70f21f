"""One thread, one queue, and nothing that ends it but the stop flag."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest

from daemon.clock import Heartbeat, ManualClock
from daemon.scheduling.worker import Worker
from tests.workspaces import NOON


class Workshop:
    """A worker over jobs that write down what happened."""

    def __init__(self, **jobs: Callable[[], None]) -> None:
        self.log: list[str] = []
        self.reports: list[tuple[str, Exception]] = []
        self.stop = threading.Event()
        self.clock = ManualClock(NOON)
        self.heartbeat = Heartbeat(self.clock, stale_after_seconds=120)
        self.worker = Worker(
            {"first": lambda: self.log.append("first"), "second": lambda: self.log.append("second"), **jobs},
            heartbeat=self.heartbeat,
            stop=self.stop,
            idle=lambda: self.log.append("idle"),
            report=lambda job, error: self.reports.append((job, error)),
        )  # fmt: skip


def test_jobs_run_in_the_order_asked_for() -> None:
    """One after the other, and between jobs the idle look."""
    shop = Workshop()
    shop.worker.enqueue("second")
    shop.worker.enqueue("first")
    assert [shop.worker.turn(0), shop.worker.turn(0), shop.worker.turn(0)] == [
        "second",
        "first",
        None,
    ]
    assert shop.log == ["second", "first", "idle"]


def test_a_job_that_waits_is_not_queued_twice() -> None:
    """A slow job does not pile up beats of the timetable; a running one may be asked for again."""
    shop = Workshop()
    assert shop.worker.enqueue("first")
    assert not shop.worker.enqueue("first")
    assert shop.worker.turn(0) == "first"
    assert shop.worker.turn(0) is None
    assert shop.worker.enqueue("first")


def test_a_job_may_be_asked_for_while_it_runs() -> None:
    """What became due during a run comes after it, once."""
    answers: list[bool] = []
    shop = Workshop(again=lambda: answers.append(shop.worker.enqueue("again")))
    shop.worker.enqueue("again")
    shop.worker.turn(0)
    assert answers == [True]
    assert shop.worker.turn(0) == "again"


def test_a_job_nobody_knows_is_refused() -> None:
    """A misspelt name fails where it is asked for, not later in the queue."""
    with pytest.raises(KeyError, match="no job is called 'frist'"):
        Workshop().worker.enqueue("frist")


def test_a_job_that_raises_is_reported_and_the_next_one_runs() -> None:
    """Also one that raises what nobody expected."""

    def explode() -> None:
        raise ZeroDivisionError("nothing to divide by")

    shop = Workshop(explode=explode)
    shop.worker.enqueue("explode")
    shop.worker.enqueue("first")
    shop.worker.turn(0)
    shop.worker.turn(0)
    assert [(job, str(error)) for job, error in shop.reports] == [
        ("explode", "nothing to divide by")
    ]
    assert shop.log == ["first"]


def test_a_report_that_fails_does_not_end_the_thread(caplog: pytest.LogCaptureFixture) -> None:
    """With a broken database even the report of an error can raise."""

    def explode() -> None:
        raise ValueError("first trouble")

    def report(job: str, error: Exception) -> None:
        raise OSError("second trouble")

    heartbeat = Heartbeat(ManualClock(NOON), stale_after_seconds=1)
    worker = Worker({"explode": explode}, heartbeat=heartbeat, stop=threading.Event(), idle=explode,
                    report=report)  # fmt: skip
    worker.enqueue("explode")
    assert worker.turn(0) == "explode"
    assert worker.turn(0) is None
    assert "second trouble" in caplog.text


def test_every_turn_beats() -> None:
    """Silence longer than the limit means that a turn did not end."""
    shop = Workshop()
    shop.worker.turn(0)
    assert shop.heartbeat.age_seconds() == 0
    shop.clock.advance(timedelta(seconds=121))
    assert not shop.heartbeat.is_fresh()
    shop.worker.turn(0)
    assert shop.heartbeat.is_fresh()


def test_the_thread_ends_when_asked_and_starts_no_other_job() -> None:
    """What still waits in the queue is left; the next life asks for its own."""
    entered, leave = threading.Event(), threading.Event()

    def gated() -> None:
        entered.set()
        leave.wait(30)

    shop = Workshop(gated=gated)
    shop.worker.enqueue("gated")
    shop.worker.enqueue("first")
    shop.worker.start()
    assert entered.wait(30)
    assert not shop.worker.join(0.01)
    shop.stop.set()
    leave.set()
    assert shop.worker.join(30)
    assert "first" not in shop.log
    assert shop.heartbeat.has_ended()
