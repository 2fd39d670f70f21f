"""How long the server takes for each page, with years of work behind it.

    python benchmarks/pages.py                one and a half minutes
    python benchmarks/pages.py --attempts 10000 --calls 100000 --json

A workspace of 1,000 backlog items gets 100,000 attempts, 1,000,000 calls and a ledger of 200,000 entries.
Each page is asked for by itself, in the process that makes it: the time is the server's, without a network.
The first answer (nothing was looked at yet) is told apart; `cpu` is the 95th percentile of the processor's
time, which other programs on the machine do not lengthen. Exits 1 where that, or the median of the whole,
is 100 ms or more.
"""

from __future__ import annotations

import argparse
import json
import logging
import statistics
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from full_store import fill_log, fill_store
from made_workspace import write_made

from daemon.bootstrap import build_services
from daemon.clock import ManualClock
from daemon.web.app import create_app
from daemon.web.watch import Watch

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
ITEMS = 1_000
MOST_MILLISECONDS = 100.0
_SHOWN = ("first_ms", "p50_ms", "p95_ms", "processor_p95_ms")
Figures = dict[str, Any]


def main() -> None:
    asked = read_arguments()
    logging.disable(logging.ERROR)
    with tempfile.TemporaryDirectory(prefix="sprintd-benchmark-") as folder:
        root = write_made(Path(folder) / "venture", ITEMS, notes=200)
        began = time.perf_counter()
        fill_store(root, attempts=asked.attempts, calls=asked.calls, items=ITEMS, now=NOW)
        fill_log(root, asked.entries, NOW)
        figures = {"fill_seconds": round(time.perf_counter() - began, 1)}
        figures["pages"] = measure(root, pages_of(asked.attempts, asked.entries), asked.times)
    figures["holds"] = all(
        max(page["p50_ms"], page["processor_p95_ms"]) < MOST_MILLISECONDS
        for page in figures["pages"].values()
    )
    print(json.dumps(figures, indent=2) if asked.json else tell(figures))
    if not figures["holds"]:
        sys.exit(f"a page took {MOST_MILLISECONDS:g} ms or more")


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--attempts", type=int, default=100_000)
    parser.add_argument("--calls", type=int, default=1_000_000)
    parser.add_argument("--entries", type=int, default=200_000, help="of the ledger (200000)")
    parser.add_argument("--times", type=int, default=40, help="that each page is asked for (40)")
    parser.add_argument("--json", action="store_true", help="the figures as JSON")
    return parser.parse_args()


def pages_of(attempts: int, entries: int) -> tuple[str, ...]:
    """Every page, its filters, and places deep in the past. A sprint has two attempts."""
    sprint, entry, half = attempts * 2 // 5, entries // 2, attempts // 4 * 2 + 1
    return (
        "/", "/money", "/money?days=1", "/backlog", "/backlog?standing=done&page=3", "/items/I00007",
        "/approvals", "/sprints", "/sprints?state=failed", f"/sprints?before={sprint // 2}",
        f"/sprints/{sprint}", "/findings", "/findings?criterion=K2", "/findings?agent=researcher",
        f"/findings/{half}", "/criteria", "/ledger", f"/ledger?text=F{entry}",
        "/ledger?actor=sprint&day=2026-03-03", f"/ledger/{entry}", "/reports", "/reports?kind=digest",
        "/alerts", "/alerts?before=5000", "/configuration",
    )  # fmt: skip


def measure(root: Path, pages: tuple[str, ...], times: int) -> dict[str, Figures]:
    services = build_services(root, environ={}, say=lambda _line: None, clock=ManualClock(NOW))
    try:
        services.source.load()
        services.sprint_parts.map.load()
        for heartbeat in services.heartbeats.values():
            heartbeat.beat()
        services.probe.check()
        app = create_app(Watch(services, "a-token", lambda: (), lambda: None))
        client = app.test_client()
        client.get("/login")  # loads templates and libraries
        return {page: measure_page(client, page, times) for page in pages}
    finally:
        services.close()


def measure_page(client: Any, page: str, times: int) -> Figures:
    spent, worked = [], []
    for _ in range(times + 1):
        began, busy = time.perf_counter(), time.thread_time()
        answer = client.get(page)
        spent.append((time.perf_counter() - began) * 1000)
        worked.append((time.thread_time() - busy) * 1000)
        if answer.status_code != 200:
            raise RuntimeError(f"{page} was answered with {answer.status_code}")
    cuts, work = (statistics.quantiles(found[1:], n=20) for found in (spent, worked))
    return {
        "first_ms": spent[0],
        "p50_ms": cuts[9],
        "p95_ms": cuts[18],
        "processor_p95_ms": work[18],
        "bytes": len(answer.get_data()),
    }


def tell(found: Figures) -> str:
    lines = [
        f"Filled in {found['fill_seconds']} s.",
        f"{'':<42}{'first ms':>10}{'p50 ms':>10}{'p95 ms':>10}{'cpu ms':>10}{'kB':>8}",
    ]
    for page, one in found["pages"].items():
        times = "".join(f"{one[name]:>10.1f}" for name in _SHOWN)
        lines.append(f"{page:<42}{times}{one['bytes'] / 1000:>8.1f}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
