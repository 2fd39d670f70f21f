"""Budget under fire: many ask at once, and some are killed between reserving and settling.

    python benchmarks/budget.py --threads 8 --processes 4 --kills 200

The same load runs against two gates: the one of sprintd, which reserves the worst case before each
call, and one that checks what was spent, calls, and records the cost afterwards. No network and no
money: a call waits for some milliseconds and is then written down outside of the books, so that
what really went out is known also of a process that was killed.
"""

from __future__ import annotations

import argparse
import logging
import multiprocessing
import os
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from budget_gates import COST_MICROS, HOLD_MICROS, CheckThenRecord, Load, ReserveFirst

from daemon.governance.budget import usd_text

Gate = ReserveFirst | CheckThenRecord


@dataclass(frozen=True)
class Result:
    title: str
    granted: int
    refused: int
    killed: int
    sent: int
    peak_micros: int
    unreserved: int
    undercounted: int
    faults: int
    seconds: float


def main() -> None:
    load = read_load()
    logging.disable(logging.WARNING)  # the gate's own warnings would stand between the figures
    print(
        f"Budget under fire: {load.threads} threads and {load.processes} processes, "
        f"{load.calls} calls each, {load.kills} times kill -9 during a call;\n"
        f"a call reserves {usd_text(HOLD_MICROS)} USD, costs {usd_text(COST_MICROS)} and takes "
        f"{load.call_seconds * 1000:g} ms; cap {usd_text(load.cap_micros)} USD\n"
    )
    results = []
    for kind in (ReserveFirst, CheckThenRecord):
        with tempfile.TemporaryDirectory(prefix="sprintd-benchmark-") as folder:
            gate: Gate = kind(Path(folder), load)
            results.append(run(gate, load))
            gate.db.close()
    print_table(load, results)
    ours = results[0]
    if ours.peak_micros > load.cap_micros or ours.unreserved or ours.undercounted or ours.faults:
        sys.exit("the budget did not hold")


def read_load() -> Load:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--threads", type=int, default=8, help="that ask at once (8)")
    parser.add_argument("--processes", type=int, default=4, help="that ask at once (4)")
    parser.add_argument("--kills", type=int, default=200, help="kill -9 during a call (200)")
    parser.add_argument("--calls", type=int, default=150, help="asked by each of them (150)")
    parser.add_argument("--call-milliseconds", type=float, default=5, help="of one call (5)")
    parser.add_argument("--cap-usd", type=Decimal, help="default: a fifth of the calls is refused")
    asked = parser.parse_args()
    all_calls = (asked.threads + asked.processes) * asked.calls
    cap = asked.kills * HOLD_MICROS + all_calls * 4 // 5 * COST_MICROS
    if asked.cap_usd is not None:
        cap = int(asked.cap_usd * 1_000_000)
    seconds = asked.call_milliseconds / 1000
    return Load(asked.threads, asked.processes, asked.kills, asked.calls, seconds, cap)


def run(gate: Gate, load: Load) -> Result:
    """Start all processes, then all threads, let them go together, and look at both accounts."""
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(load.threads + load.processes + 1)
    counted = context.SimpleQueue()
    shares = [(load.kills + n) // load.processes for n in range(load.processes)]
    all_killed = context.Barrier(max(1, sum(share > 0 for share in shares)))

    def work(name: str, kills: int) -> None:
        pay = gate.payer(name)
        barrier.wait()
        ends: Counter[str] = Counter()
        for number in range(kills):
            ends["killed"] += killed_call(gate, f"{name}/killed/{number}", number)
            ends[pay(f"{name}/beside/{number}")] += 1
        if kills:
            all_killed.wait()  # nobody spends what the others still need to be killed with
        for number in range(load.calls - kills):
            ends[pay(f"{name}/{number}")] += 1
        counted.put(ends)

    # Processes first: a process that is forked beside running threads may inherit their locks.
    workers = [
        context.Process(target=work, args=(f"process {n}", share)) for n, share in enumerate(shares)
    ]
    threads = [threading.Thread(target=work, args=(f"thread {n}", 0)) for n in range(load.threads)]
    for worker in (*workers, *threads):
        worker.start()
    barrier.wait()
    start = time.perf_counter()
    total: Counter[str] = Counter()
    for _ in (*workers, *threads):
        total += counted.get()
    seconds = time.perf_counter() - start
    for worker in (*workers, *threads):
        worker.join()
    return weigh(gate, total, seconds)


def weigh(gate: Gate, total: Counter[str], seconds: float) -> Result:
    sent = Counter(gate.sends.read_text().splitlines())
    booked, reserved = gate.booked(), gate.reserved_keys()
    return Result(
        title=gate.title,
        granted=total["granted"] + total["killed"],
        refused=total["refused"],
        killed=total["killed"],
        sent=sum(sent.values()),
        peak_micros=gate.db.rows("SELECT max(micros) AS micros FROM peak")[0]["micros"],
        unreserved=sum(key not in reserved for key in sent),
        undercounted=sum(booked[key] < times * COST_MICROS for key, times in sent.items()),
        faults=len(gate.faults()),
        seconds=seconds,
    )


def killed_call(gate: Gate, key: str, number: int) -> bool:
    """One call in a process of its own, which is killed in the middle; False if it was refused."""
    child = os.fork()
    if not child:
        gate.payer(key, ("before the request", "after the request")[number % 2])(key)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def print_table(load: Load, results: list[Result]) -> None:
    rows: list[tuple[str, Callable[[Result], str]]] = [
        ("", lambda one: one.title),
        ("granted", lambda one: f"{one.granted:,}"),
        ("refused", lambda one: f"{one.refused:,}"),
        ("killed between reserving and settling", lambda one: f"{one.killed:,}"),
        ("cap, USD", lambda _: usd_text(load.cap_micros)),
        ("highest spent + reserved, USD", lambda one: usd_text(one.peak_micros)),
        ("really spent at the service, USD", lambda one: usd_text(one.sent * COST_MICROS)),
        ("over the cap, USD", lambda one: usd_text(over(load, one))),
        ("requests without a reservation", lambda one: f"{one.unreserved:,}"),
        ("requests counted below their cost", lambda one: f"{one.undercounted:,}"),
        ("faults in the books and the file", lambda one: f"{one.faults:,}"),
        ("granted a second", lambda one: f"{one.granted / one.seconds:,.0f}"),
    ]
    for label, tell in rows:
        print(f"{label:<40}" + "".join(f"{tell(one):>20}" for one in results))


def over(load: Load, result: Result) -> int:
    """By how much the books or the service went above the cap, whichever is more."""
    return max(0, max(result.peak_micros, result.sent * COST_MICROS) - load.cap_micros)


if __name__ == "__main__":
    main()
