"""GET /health while everything else is at work: sprints, a large report, and 10,000 notes loaded anew.

    python benchmarks/health.py               about two minutes
    python benchmarks/health.py --quick --json

One real daemon on a workspace of 10,000 backlog items and 10,000 notes is asked in turns of rest and of
work, so that the machine's noise meets both. Under work three clients, each a process of its own, never
pause: one starts a sprint as soon as the last one ended, one changes the map so that each sprint loads
all of it anew, one asks for the page of the whole backlog. Nothing leaves this machine or costs money.
"""

from __future__ import annotations

import argparse
import http.client
import json
import logging
import multiprocessing
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).parents[1]))

from made_workspace import write_made
from running_daemon import RunningDaemon

NOTES = 10_000
MOST_TIMES_SLOWER = 3.0  # at the 99th percentile
MOST_MILLISECONDS = 2_000.0  # what a monitor waits, whatever the ratio
_PAUSE_SECONDS = 0.02
_CONFIG = '[provider]\nkind = "extractive"\n[sprint]\ninterval_minutes = 1440\n'
Figures = dict[str, Any]


def main() -> None:
    asked = read_arguments()
    logging.disable(logging.ERROR)
    with tempfile.TemporaryDirectory(prefix="sprintd-benchmark-") as folder:
        root = write_made(Path(folder) / "venture", asked.notes)
        (root / "config.toml").write_text(_CONFIG)
        with RunningDaemon(root) as daemon:
            daemon.await_idle()
            figures = measure(daemon, turns=2 if asked.quick else 6, requests=asked.requests)
    print(json.dumps(figures, indent=2) if asked.json else tell(figures))
    if not figures["holds"]:
        sys.exit("health was too slow under work")


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--notes", type=int, default=NOTES, help=f"and items ({NOTES})")
    parser.add_argument("--requests", type=int, default=200, help="in a turn (200)")
    parser.add_argument("--quick", action="store_true", help="two turns of each instead of six")
    parser.add_argument("--json", action="store_true", help="the figures as JSON")
    return parser.parse_args()


def measure(daemon: RunningDaemon, *, turns: int, requests: int) -> Figures:
    rest: list[float] = []
    work: list[float] = []
    ask(daemon, requests // 4)  # the first answers build what later ones reuse
    before = daemon.health()[1]["last_sprint"]["id"]
    pages = multiprocessing.get_context("fork").Value("i", 0)
    for _ in range(turns):
        rest += ask(daemon, requests)
        with at_work(daemon, pages):
            work += ask(daemon, requests)
        daemon.await_idle()
    sprints = daemon.health()[1]["last_sprint"]["id"] - before
    figures = {
        "requests": len(work),
        "sprints": sprints,
        "pages": pages.value,
        "rest": percentiles(rest),
        "work": percentiles(work),
    }
    figures["ratio_p50"] = figures["work"]["p50_ms"] / figures["rest"]["p50_ms"]
    figures["ratio_p99"] = figures["work"]["p99_ms"] / figures["rest"]["p99_ms"]
    figures["holds"] = (
        figures["ratio_p99"] <= MOST_TIMES_SLOWER and figures["work"]["max_ms"] < MOST_MILLISECONDS
    )
    return figures


def ask(daemon: RunningDaemon, requests: int) -> list[float]:
    """Milliseconds of each answer, connection included; raises where it is not well."""
    spent = []
    for _ in range(requests):
        seconds, said = daemon.health()
        if not said["ok"]:
            raise RuntimeError(f"not healthy: {said['problems']}")
        spent.append(seconds * 1000)
        time.sleep(_PAUSE_SECONDS)
    return spent


def percentiles(spent: list[float]) -> dict[str, float]:
    cuts = statistics.quantiles(spent, n=100)
    return {"p50_ms": cuts[49], "p99_ms": cuts[98], "max_ms": max(spent)}


@contextmanager
def at_work(daemon: RunningDaemon, pages: Any) -> Iterator[None]:
    """The three clients, until the block ends; it begins once a sprint runs."""
    context = multiprocessing.get_context("fork")
    stop = context.Event()
    jobs: list[Callable[[], None]] = [
        lambda: every(stop, 0.2, lambda: start_sprint(daemon)),
        lambda: every(stop, 0.2, lambda: os.utime(daemon.root / "knowledge.yaml")),
        lambda: every(stop, 0.25, lambda: look_at_page(daemon, pages)),
    ]
    clients = [context.Process(target=job, daemon=True) for job in jobs]
    for client in clients:
        client.start()
    try:
        while daemon.health()[1]["state"]["name"] != "working":
            time.sleep(_PAUSE_SECONDS)
        yield
    finally:
        stop.set()
        for client in clients:
            client.join()


def every(stop: Event, seconds: float, act: Callable[[], None]) -> None:
    while not stop.wait(seconds):
        act()


def start_sprint(daemon: RunningDaemon) -> None:
    token = (daemon.root / "state" / "token").read_text().strip()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request(daemon, "POST", "/reset-failures", "{}", headers)


def look_at_page(daemon: RunningDaemon, pages: Any) -> None:
    request(daemon, "GET", "/", None, {})
    with pages.get_lock():
        pages.value += 1


def request(
    daemon: RunningDaemon, method: str, path: str, body: str | None, headers: dict[str, str]
) -> None:
    place = urlsplit(daemon.address)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=60)
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    if answer.status != http.client.OK:
        raise RuntimeError(f"{method} {path} was answered with {answer.status}")


def tell(found: Figures) -> str:
    counted = f"{found['sprints']} sprints, {found['pages']} pages"
    lines = [
        f"GET /health, {found['requests']} times at rest and under work ({counted}):",
        f"{'':<12}{'p50 ms':>10}{'p99 ms':>10}{'longest':>10}",
    ]
    for name in ("rest", "work"):
        figures = found[name].values()
        lines.append(f"{name:<12}" + "".join(f"{figure:>10.1f}" for figure in figures))
    lines.append(f"{'ratio':<12}{found['ratio_p50']:>10.2f}{found['ratio_p99']:>10.2f}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
