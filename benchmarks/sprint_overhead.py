"""What a sprint costs beside its model calls, for a small and a large workspace in turns."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from instant_provider import InstantProvider
from made_workspace import write_made

from daemon.bootstrap import Services, build_services
from daemon.sprint.runner import run_sprint

_MOST_MAP_BYTES = 1_048_576


@dataclass(frozen=True)
class Overhead:
    """Milliseconds outside of the provider; `first_ms` is the first sprint, which reads the files.

    `cpu_ms` is the median on the processor, which a busy machine changes less. `row_bytes` is what
    a sprint stores of its prompts and contexts.
    """

    size: int
    first_ms: float
    median_ms: float
    cpu_ms: float
    row_bytes: float


def measure_overhead(sizes: tuple[int, ...], sprints: int) -> list[Overhead]:
    """Sprints of two assignments each, the workspaces in turns so that noise meets both."""
    with ExitStack() as stack:
        made = [stack.enter_context(_services(size)) for size in sizes]
        spent: list[list[tuple[float, float]]] = [[] for _ in sizes]
        grown = [0] * len(sizes)
        for number in range(sprints + 1):
            for at, (services, provider) in enumerate(made):
                spent[at].append(_one(services, provider))
                if number == 0:
                    grown[at] = _stored(services)
        return [
            Overhead(
                size,
                spent[at][0][0],
                statistics.median(wall for wall, _ in spent[at][1:]),
                statistics.median(cpu for _, cpu in spent[at][1:]),
                (_stored(made[at][0]) - grown[at]) / sprints,
            )
            for at, size in enumerate(sizes)
        ]


def _one(services: Services, provider: InstantProvider) -> tuple[float, float]:
    wall, cpu, before = time.perf_counter(), time.thread_time(), provider.seconds
    end = run_sprint(services.sprint_parts)
    inside = provider.seconds - before
    spent = time.perf_counter() - wall - inside, time.thread_time() - cpu - inside
    if end.state != "completed" or len(end.ends) != services.config.sprint.tracks:
        raise RuntimeError(f"sprint {end.sprint_id} {end.state}: {end.reason}")
    return spent[0] * 1000, spent[1] * 1000


def _stored(services: Services) -> int:
    row = services.db.row("SELECT sum(length(context) + length(prompt)) AS bytes FROM attempt")
    return int(row["bytes"] or 0) if row else 0


@contextmanager
def _services(size: int) -> Iterator[tuple[Services, InstantProvider]]:
    with tempfile.TemporaryDirectory(prefix="sprintd-benchmark-") as folder:
        root = write_made(Path(folder) / "made", size)
        if (root / "knowledge.yaml").stat().st_size >= _MOST_MAP_BYTES:
            raise RuntimeError("the map is larger than sprintd reads")
        provider = InstantProvider()
        services = build_services(root, environ={}, say=lambda _line: None, provider=provider)
        try:
            yield services, provider
        finally:
            services.close()
