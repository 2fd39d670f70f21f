"""How quick and how lean sprintd is: sprints, /health, starting, memory, idling.

    python benchmarks/sprint.py               all of it, in less than five minutes
    python benchmarks/sprint.py health --quick
    python benchmarks/sprint.py --json > figures.json

Nothing leaves this machine and nothing costs money: the provider is the offline one, or one that
answers at once. What is compared is measured in turns, so that the machine's noise meets both sides.
"""

from __future__ import annotations

import argparse
import json
import logging
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from filled_ledger import fill_ledger
from made_workspace import write_sample
from running_daemon import COMMAND, ROOT, RunningDaemon, environment
from sprint_overhead import measure_overhead

Figures = dict[str, Any]
_CONFIG = '[provider]\nkind = "extractive"\n'
_STARTS = {
    "health": "sprintd run to the first answer of /health",
    "digest": "sprintd run to the first digest of findings",
    "sprint": "sprintd sprint, from start to end",
    "help": "sprintd --help",
}
_RARELY = _CONFIG + "[sprint]\ninterval_minutes = 1440\n"


def main() -> None:
    asked = read_arguments()
    logging.disable(logging.ERROR)
    measures: dict[str, Callable[[bool], Figures]] = {
        "overhead": overhead,
        "health": health,
        "start": start,
        "idle": idle,
    }
    figures: Figures = {}
    for name in asked.sections or measures:
        print(f"measuring {name} ...", file=sys.stderr)
        figures[name] = measures[name](asked.quick)
    if asked.json:
        print(json.dumps(figures, indent=2))
    else:
        print_figures(figures)


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    sections = ("overhead", "health", "start", "idle")
    parser.add_argument(
        "sections", nargs="*", metavar="SECTION", help=f"some of {', '.join(sections)} (all)"
    )
    parser.add_argument("--quick", action="store_true", help="fewer repetitions, smaller ledgers")
    parser.add_argument("--json", action="store_true", help="the figures as JSON")
    asked = parser.parse_args()
    unknown = set(asked.sections) - set(sections)
    if unknown:
        parser.error(f"no section is called {', '.join(sorted(unknown))}")
    return asked


def overhead(quick: bool) -> Figures:
    """Outside of the provider, for 100 and 10,000 backlog items and units of knowledge."""
    small, large = measure_overhead((100, 10_000), sprints=5 if quick else 20)
    return {
        "small": vars(small),
        "large": vars(large),
        "ratio": large.median_ms / small.median_ms,
        "cpu_ratio": large.cpu_ms / small.cpu_ms,
    }


def health(quick: bool) -> Figures:
    """GET /health of two daemons in turns, one with a hundred times the calls in its ledger."""
    calls = (10_000, 100_000 if quick else 1_000_000)
    requests = 100 if quick else 400
    with tempfile.TemporaryDirectory(prefix="sprintd-benchmark-") as folder:
        roots = [write_sample(Path(folder) / str(number), _RARELY) for number in calls]
        for root, number in zip(roots, calls, strict=True):
            fill_ledger(root, number, datetime.now(UTC))
        with RunningDaemon(roots[0]) as few, RunningDaemon(roots[1]) as many:
            spent: tuple[list[float], list[float]] = ([], [])
            for daemon in (few, many):
                daemon.await_idle()
            for turn in range(requests + 10):
                for at, daemon in enumerate((few, many)):
                    seconds, said = daemon.health()
                    if not said["ok"]:
                        raise RuntimeError(f"not healthy: {said['problems']}")
                    if turn >= 10:
                        spent[at].append(seconds * 1000)
    medians = [statistics.median(each) for each in spent]
    slow = [statistics.quantiles(each, n=20)[-1] for each in spent]
    return {
        "requests": requests,
        "few": {"calls": calls[0], "median_ms": medians[0], "p95_ms": slow[0]},
        "many": {"calls": calls[1], "median_ms": medians[1], "p95_ms": slow[1]},
        "ratio": medians[1] / medians[0],
    }


def start(quick: bool) -> Figures:
    """Seconds from the start of a process on a new copy of the sample, offline."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in _STARTS}
    for _ in range(3 if quick else 9):
        with tempfile.TemporaryDirectory(prefix="sprintd-benchmark-") as folder:
            with RunningDaemon(write_sample(Path(folder) / "run", _CONFIG)) as daemon:
                found["health"].append((daemon.await_health(), daemon.cpu_seconds()))
                found["digest"].append((daemon.await_digest(), daemon.cpu_seconds()))
            root = write_sample(Path(folder) / "sprint", _CONFIG)
            found["sprint"].append(_seconds("--workspace", str(root), "sprint"))
            found["help"].append(_seconds("--help"))
    return {name: _summary(each) for name, each in found.items()}


def _summary(each: list[tuple[float, float]]) -> Figures:
    walls, cpus = zip(*each, strict=True)
    return {
        "median": statistics.median(walls),
        "best": min(walls),
        "worst": max(walls),
        "cpu": statistics.median(cpus),
    }


def idle(quick: bool) -> Figures:
    """Memory and processor of all processes, once the sample's backlog is worked off."""
    watched = 10 if quick else 30
    with tempfile.TemporaryDirectory(prefix="sprintd-benchmark-") as folder:
        root = write_sample(Path(folder) / "run", _RARELY)
        with RunningDaemon(root) as daemon:
            daemon.await_idle()
            first = daemon.memory()
            done = daemon.work_off()
            after = daemon.memory()
            before, began = daemon.cpu_seconds(), time.perf_counter()
            time.sleep(watched)
            spent, seconds = daemon.cpu_seconds() - before, time.perf_counter() - began
    return {
        "after_first_sprint": vars(first),
        "items_done": done,
        "after_the_backlog": vars(after),
        "cpu_percent": 100 * spent / seconds,
        "watched_seconds": watched,
    }


def _seconds(*arguments: str) -> tuple[float, float]:
    """How long a command takes, and how much of that on the processor."""
    began, before = time.perf_counter(), _cpu_of_children()
    subprocess.run(
        [*COMMAND, *arguments], check=True, capture_output=True, cwd=ROOT, env=environment()
    )
    return time.perf_counter() - began, _cpu_of_children() - before


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def print_figures(figures: Figures) -> None:
    for name, told in (
        ("overhead", _tell_overhead),
        ("health", _tell_health),
        ("start", _tell_start),
        ("idle", _tell_idle),
    ):
        if name in figures:
            print("\n".join(told(figures[name])), end="\n\n")


def _tell_overhead(found: Figures) -> list[str]:
    sides = found["small"], found["large"]
    return [
        _row("a sprint outside of the provider", *(f"{one['size']:,}" for one in sides), "ratio"),
        _row("median, ms", *(f"{one['median_ms']:.1f}" for one in sides), f"{found['ratio']:.2f}"),
        _row("on the processor, ms", *(f"{one['cpu_ms']:.1f}" for one in sides), f"{found['cpu_ratio']:.2f}"),
        _row("the first, which reads the files, ms", *(f"{one['first_ms']:.0f}" for one in sides)),
        _row("stored of its prompts and contexts, bytes", *(f"{one['row_bytes']:,.0f}" for one in sides)),
    ]  # fmt: skip


def _tell_health(found: Figures) -> list[str]:
    sides = found["few"], found["many"]
    return [
        _row("GET /health, calls in the ledger", *(f"{one['calls']:,}" for one in sides), "ratio"),
        _row("median, ms", *(f"{one['median_ms']:.2f}" for one in sides), f"{found['ratio']:.2f}"),
        _row("95th percentile, ms", *(f"{one['p95_ms']:.2f}" for one in sides)),
    ]


def _tell_start(found: Figures) -> list[str]:
    rows = [_row("from the start of the process, s", "median", "best", "worst", "processor")]
    for name, label in _STARTS.items():
        one = found[name]
        kinds = ("median", "best", "worst", "cpu")
        rows.append(_row(label, *(f"{one[kind]:.2f}" for kind in kinds)))
    return rows


def _tell_idle(found: Figures) -> list[str]:
    first, after = found["after_first_sprint"], found["after_the_backlog"]
    return [
        _row("all processes, MB", "first sprint", f"{found['items_done']} items done"),
        _row("shared memory counted once (PSS)", f"{first['pss']:.1f}", f"{after['pss']:.1f}"),
        _row("shared memory counted twice (RSS)", f"{first['rss']:.1f}", f"{after['rss']:.1f}"),
        _row(
            f"processor when idle, over {found['watched_seconds']} s",
            "",
            f"{found['cpu_percent']:.3f} %",
        ),
    ]


def _row(label: str, *cells: str) -> str:
    return f"{label:<46}" + "".join(f"{cell:>14}" for cell in cells)


if __name__ == "__main__":
    main()
