"""One thread, one queue, nothing that ends it but the stop flag, and a way past a run that hangs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from daemon.errors import StoreError
from daemon.scheduling.run import Job, Run
from tests.standins.workshop import DEADLINE_SECONDS, Workshop
from tests.workspaces import NOON

PATIENCE = 30.0
LATER = NOON + timedelta(hours=1)
Make = Callable[..., Workshop]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    made: list[Workshop] = []

    def build(**jobs: Callable[[], object] | Job) -> Workshop:
        plain = {
            "first": lambda: shop.log.append("first"),
            "second": lambda: shop.log.append("second"),
        }
        shop = Workshop(tmp_path / str(len(made)), {**plain, **jobs})
        made.append(shop)
        return shop

    yield build
    for shop in made:
        shop.close()


class Gate:
    """A job that waits until somebody opens it."""

    def __init__(self) -> None:
        self.entered, self.leave = threading.Event(), threading.Event()
        self.threads: list[threading.Thread] = []

    def __call__(self) -> None:
        self.threads.append(threading.current_thread())
        self.entered.set()
        assert self.leave.wait(PATIENCE)

    def job(self, *, changes_files: bool = False) -> Job:
        return Job(lambda _run: self() or "", DEADLINE_SECONDS, changes_files=changes_files)


def test_jobs_run_in_the_order_asked_for(make: Make) -> None:
    """One after the other, and between jobs the idle look."""
    shop = make()
    shop.ask("second")
    shop.ask("first")
    turns = [shop.worker.turn(0), shop.worker.turn(0), shop.worker.turn(0)]
    assert turns == ["second", "first", None]
    assert shop.log == ["second", "first", "idle"]


def test_a_run_is_written_from_the_queue_to_its_end(make: Make) -> None:
    """Begun with a deadline, ended with the job's own words."""
    states: list[str] = []

    def work() -> str:
        states.append(shop.row("talk").state)
        return "posted"

    shop = make(talk=work)
    shop.ask("talk")
    states.append(shop.row("talk").state)
    shop.worker.turn(0)
    row = shop.row("talk")
    assert states == ["queued", "running"]
    assert (row.state, row.note, row.tries) == ("done", "posted", 1)
    assert row.deadline_at == NOON + timedelta(seconds=DEADLINE_SECONDS)
    assert (row.started_at, row.ended_at) == (NOON, NOON)


def test_a_job_nobody_knows_is_refused(make: Make) -> None:
    """A misspelt name fails where it is asked for, not later in the queue."""
    with pytest.raises(KeyError, match="no job is called 'frist'"):
        make().worker.put(Run("frist", NOON))


def test_a_run_that_was_put_twice_is_begun_once(make: Make) -> None:
    """The row decides, whoever put it."""
    shop = make()
    run = shop.ask("first")
    shop.worker.put(run)
    shop.worker.turn(0)
    shop.worker.turn(0)
    assert shop.log == ["first"]


def test_a_job_that_raises_is_reported_and_the_next_one_runs(make: Make) -> None:
    """Also one that raises what nobody expected; its run is failed and says why."""

    def explode() -> None:
        raise ZeroDivisionError("nothing to divide by")

    shop = make(explode=explode)
    shop.ask("explode")
    shop.ask("first")
    shop.worker.turn(0)
    shop.worker.turn(0)
    told = [(job, str(error)) for job, error in shop.reports]
    assert told == [("explode", "nothing to divide by")]
    row = shop.row("explode")
    assert (row.state, row.note) == ("failed", "ZeroDivisionError: nothing to divide by")
    assert shop.log == ["first"]


def test_a_report_that_fails_does_not_end_the_thread(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """With a broken database even the report of an error can raise."""

    def explode() -> None:
        raise ValueError("first trouble")

    def report(job: str, error: Exception) -> None:
        raise OSError("second trouble")

    shop = Workshop(tmp_path, {"explode": explode}, report=report)
    shop.ask("explode")
    assert shop.worker.turn(0) == "explode"
    assert shop.worker.turn(0) is None
    assert "second trouble" in caplog.text
    shop.close()


def test_without_the_database_a_run_waits_and_is_not_lost(make: Make) -> None:
    """It is begun once its beginning can be written, and not before: it might have run elsewhere."""
    shop = make()
    shop.ask("first")
    with shop.db.immediate() as tx:
        tx.execute("ALTER TABLE job_run RENAME TO away")
    assert shop.worker.turn(0) == "first"
    assert shop.log == []
    assert isinstance(shop.reports[0][1], StoreError)
    with shop.db.immediate() as tx:
        tx.execute("ALTER TABLE away RENAME TO job_run")
    shop.worker.look_after()
    shop.worker.turn(0)
    assert shop.log == ["first"]
    assert shop.row("first").state == "done"


def test_an_end_that_cannot_be_written_is_written_later(make: Make) -> None:
    """The work was done; only the row of it waits."""

    def break_the_store() -> str:
        with shop.db.immediate() as tx:
            tx.execute("ALTER TABLE job_run RENAME TO away")
        return "done anyhow"

    shop = make(careless=break_the_store)
    shop.ask("careless")
    shop.worker.turn(0)
    with shop.db.immediate() as tx:
        tx.execute("ALTER TABLE away RENAME TO job_run")
    assert shop.row("careless").state == "running"
    shop.worker.look_after()
    assert shop.row("careless").note == "done anyhow"


def test_every_turn_beats_and_a_job_has_until_its_deadline(make: Make) -> None:
    """Silence longer than the limit means that a turn did not end; a job announces its time."""
    during: list[bool] = []

    def slow() -> None:
        shop.clock.advance(timedelta(seconds=DEADLINE_SECONDS))  # type: ignore[attr-defined]
        during.append(shop.heartbeat.is_fresh())

    shop = make(slow=slow)
    shop.worker.turn(0)
    shop.clock.advance(timedelta(seconds=121))  # type: ignore[attr-defined]
    assert not shop.heartbeat.is_fresh()
    shop.ask("slow")
    shop.worker.turn(0)
    assert during == [True]


def test_the_thread_ends_when_asked_and_starts_no_other_job(make: Make) -> None:
    """What still waits in the queue is left; the next life asks for its own."""
    gate = Gate()
    shop = make(gated=gate)
    shop.ask("gated")
    shop.ask("first")
    shop.worker.start()
    assert gate.entered.wait(PATIENCE)
    assert not shop.worker.join(0.01)
    shop.stop.set()
    gate.leave.set()
    assert shop.worker.join(PATIENCE)
    assert "first" not in shop.log
    assert shop.heartbeat.has_ended()


def hang(shop: Workshop, gate: Gate, job: str) -> Run:
    """A run of `job` in the worker's thread, past its deadline and looked after."""
    run = shop.ask(job)
    if not shop.worker.thread.is_alive():
        shop.worker.start()
    assert gate.entered.wait(PATIENCE)
    shop.clock.advance(timedelta(seconds=DEADLINE_SECONDS - 1))  # type: ignore[attr-defined]
    shop.worker.look_after()
    assert shop.worker.hung_runs() == []
    shop.clock.advance(timedelta(seconds=2))  # type: ignore[attr-defined]
    shop.worker.look_after()
    return run


def wait_for_end(shop: Workshop, job: str) -> None:
    """Until the row says that it ended."""
    for _ in range(int(PATIENCE * 50)):
        if shop.row(job).ended_at is not None:
            return
        threading.Event().wait(0.02)
    raise AssertionError(f"{job} did not end: {shop.row(job)}")


def test_other_jobs_go_on_past_one_that_hangs(make: Make) -> None:
    """At its deadline, and not before, its thread is left to it and a new one takes over."""
    gate = Gate()
    shop = make(gated=gate)
    run = hang(shop, gate, "gated")
    assert shop.hung == shop.worker.hung_runs() == [run]
    assert shop.row("gated").state == "failed"
    assert "deadline of 10 minutes" in shop.row("gated").note
    shop.ask("first")
    wait_for_end(shop, "first")
    assert shop.log.count("first") == 1
    assert shop.heartbeat.is_fresh()
    assert shop.worker.is_busy_with("gated")
    gate.leave.set()
    shop.stop.set()


def test_a_hung_run_that_comes_back_says_so_and_its_thread_ends(make: Make) -> None:
    """It takes no other job, for the queue has another thread now."""
    gate = Gate()
    shop = make(gated=gate)
    hang(shop, gate, "gated")
    gate.leave.set()
    gate.threads[0].join(PATIENCE)
    assert not gate.threads[0].is_alive()
    assert shop.worker.hung_runs() == []
    row = shop.row("gated")
    assert (row.state, row.note) == ("done", "(after its deadline)")
    assert shop.worker.thread.is_alive()
    shop.stop.set()
    assert shop.worker.join(PATIENCE)


def test_two_jobs_that_change_files_never_work_at_once(make: Make) -> None:
    """Beside a sprint that hangs reports are written, and no other sprint and no consolidation."""
    gate, other = Gate(), Gate()
    other.leave.set()
    shop = make(sprint=gate.job(changes_files=True), merge=other.job(changes_files=True))
    hang(shop, gate, "sprint")
    shop.ask("merge")
    shop.ask("first")
    wait_for_end(shop, "first")
    assert not other.entered.is_set()
    assert shop.row("merge").state == "skipped"
    assert "beside sprint" in shop.row("merge").note
    gate.leave.set()
    gate.threads[0].join(PATIENCE)
    shop.ask("merge", LATER)
    assert other.entered.wait(PATIENCE)
    shop.stop.set()
    assert shop.worker.join(PATIENCE)


def test_a_stop_tells_of_a_hung_run(make: Make) -> None:
    """The workspace's lock is not given back while a thread still lives."""
    gate = Gate()
    shop = make(gated=gate)
    hang(shop, gate, "gated")
    shop.stop.set()
    shop.worker.thread.join(PATIENCE)
    assert not shop.worker.join(0)
    gate.leave.set()
    gate.threads[0].join(PATIENCE)
    assert shop.worker.join(0)
