"""Many processes append to one ledger, and some are killed: what was acknowledged must stand there."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from daemon.clock import SystemClock
from daemon.ledger.merkle import leaf_hash
from daemon.ledger.reading import read_raw
from daemon.ledger.verify import verify
from daemon.ledger.writer import Ledger, open_ledger

_LONGEST_LIFE_SECONDS = 0.03


@dataclass(frozen=True)
class Account:
    """What came of it; `lost` are acknowledged entries that do not stand where they were said to."""

    processes: int
    killed: int
    torn: int
    acknowledged: int
    entries: int
    lost: int
    kind: str
    seconds: float

    @property
    def sound(self) -> bool:
        return self.kind == "intact" and not self.lost and self.entries >= self.acknowledged


def append_together(state: Path, processes: int, appends: int) -> Account:
    """Each of the processes appends that often, all at once."""
    open_ledger(state, clock=SystemClock()).close()
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(processes)

    def work(writing: int) -> None:
        barrier.wait()
        with _ledger(state) as ledger:
            for _ in range(appends):
                _acknowledged(ledger, writing)

    start = time.perf_counter()
    pipes = [_child(work) for _ in range(processes)]
    told = [line for _, reading in pipes for line in _read_to_end(reading)]
    for pid, _ in pipes:
        os.waitpid(pid, 0)
    return _account(state, told, (processes, 0, 0), time.perf_counter() - start)


def kill_often(state: Path, kills: int, seed: int) -> Account:
    """A process appends until it is killed, beside one that lives on; every third kill is followed
    by what a power cut leaves: half a line."""
    chance = random.Random(seed)
    told: list[str] = []
    torn = 0
    start = time.perf_counter()
    with _ledger(state) as beside:
        for number in range(kills):
            pid, reading = _child(lambda writing: _append_for_ever(state, writing))
            if chance.random() < 0.8:  # else killed while it starts
                told.append(reading.readline().decode().strip())
            time.sleep(chance.random() * _LONGEST_LIFE_SECONDS)
            os.kill(pid, signal.SIGKILL)
            told += _read_to_end(reading)
            os.waitpid(pid, 0)
            if number % 3 == 0:
                torn += _tear(state, chance)
            receipt = beside.append("decision", actor="survivor")
            told.append(f"{receipt.seq} {receipt.leaf}")
    return _account(state, told, (kills + 1, kills, torn), time.perf_counter() - start)


@contextmanager
def _ledger(state: Path) -> Iterator[Ledger]:
    ledger = open_ledger(state, clock=SystemClock())
    try:
        yield ledger
    finally:
        ledger.close()


def _append_for_ever(state: Path, writing: int) -> None:
    with _ledger(state) as ledger:
        while True:
            _acknowledged(ledger, writing)


def _acknowledged(ledger: Ledger, writing: int) -> None:
    """Told only after `append` returned."""
    receipt = ledger.append("decision", actor=f"process {os.getpid()}", tool="read_file")
    os.write(writing, f"{receipt.seq} {receipt.leaf}\n".encode())


def _child(work: Callable[[int], None]) -> tuple[int, BinaryIO]:
    """Its pid, and the end of a pipe that it writes to."""
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(reading)
        try:
            work(writing)
        finally:
            os._exit(0)
    os.close(writing)
    return pid, os.fdopen(reading, "rb")


def _read_to_end(stream: BinaryIO) -> list[str]:
    with stream:
        return [line.decode().strip() for line in stream if line.endswith(b"\n")]


def _tear(state: Path, chance: random.Random) -> int:
    log = state / "ledger" / "log.jsonl"
    last = log.read_bytes().splitlines()[-1]
    with log.open("ab") as stream:
        stream.write(last[: chance.randrange(1, len(last))])
    return 1


def _account(
    state: Path, told: list[str], numbers: tuple[int, int, int], seconds: float
) -> Account:
    folder = state / "ledger"
    with _ledger(state) as ledger:
        kept = ledger.checkpoint().text
    leaves = [leaf_hash(line).hex() for line in read_raw(folder)]
    acknowledged = [line.split() for line in told if line]
    lost = sum(int(seq) >= len(leaves) or leaves[int(seq)] != leaf for seq, leaf in acknowledged)
    lost += len(acknowledged) - len({seq for seq, _ in acknowledged})  # two with one number
    kind = verify(folder, checkpoint=kept).kind
    return Account(*numbers, len(acknowledged), len(leaves), lost, kind, seconds)
