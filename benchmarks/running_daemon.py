"""The real daemon as a process: started, asked over loopback, looked at in /proc, stopped."""

from __future__ import annotations

import http.client
import json
import os
import queue
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[1]
COMMAND = (sys.executable, "-m", "daemon")
_PATIENCE_SECONDS = 60.0


@dataclass(frozen=True)
class Memory:
    """Megabytes of all its processes. `rss` counts what they share twice, `pss` once."""

    rss: float
    pss: float


class RunningDaemon:
    """`sprintd run` on a workspace, with any free port; a context manager that ends it in order."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.started = time.perf_counter()
        self._process = subprocess.Popen(
            [*COMMAND, "--workspace", str(root), "run", "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=ROOT,
            env=environment(),
        )
        self._lines: queue.SimpleQueue[tuple[float, str]] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()
        self.announced = self._await_line("http://")
        self.address = (root / "state/address").read_text().strip()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.terminate()
        self._process.wait(_PATIENCE_SECONDS)

    def health(self) -> tuple[float, dict[str, Any]]:
        """One GET /health over a connection of its own: seconds, and what it said."""
        place = urlsplit(self.address)
        start = time.perf_counter()
        connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=20)
        connection.request("GET", "/health")
        body = connection.getresponse().read()
        connection.close()
        return time.perf_counter() - start, json.loads(body)

    def await_health(self) -> float:
        """Seconds from the start of the process to the first answer of /health."""
        self.health()  # waits in the socket's queue until the worker takes it
        return time.perf_counter() - self.started

    def await_digest(self) -> float:
        """Seconds from the start to the first digest that names an accepted finding."""
        return self._await_line("memory/findings/") - self.started

    def await_idle(self) -> dict[str, Any]:
        """What /health says once no sprint runs any more."""
        until = time.perf_counter() + _PATIENCE_SECONDS
        while time.perf_counter() < until:
            known = self.health()[1]
            if known["state"] and known["state"]["name"] == "idle" and known["last_sprint"]:
                return known
            time.sleep(0.1)
        raise TimeoutError("the daemon did not come to rest")

    def work_off(self) -> int:
        """One sprint after the other until nothing is eligible; how many items are done."""
        while True:
            known = self.await_idle()
            if not known["backlog"]["eligible"]:
                return int(known["backlog"]["done"])
            before = known["last_sprint"]["id"]
            self._reset()
            while self.health()[1]["last_sprint"]["id"] == before:
                time.sleep(0.05)

    def memory(self) -> Memory:
        kilobytes = {"Rss": 0, "Pss": 0}
        for pid in self._pids():
            for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                name, _, value = line.partition(":")
                if name in kilobytes:
                    kilobytes[name] += int(value.split()[0])
        return Memory(kilobytes["Rss"] / 1024, kilobytes["Pss"] / 1024)

    def cpu_seconds(self) -> float:
        """Time on a processor since the start, of all threads, to the nanosecond."""
        threads = (path for pid in self._pids() for path in Path(f"/proc/{pid}/task").iterdir())
        return sum(int((path / "schedstat").read_text().split()[0]) for path in threads) / 1e9

    def _reset(self) -> None:
        """What a person does to have a sprint at once."""
        place = urlsplit(self.address)
        token = next((self.root / "state").glob("*token*")).read_text().strip()
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=20)
        connection.request("POST", "/reset-failures", "{}", headers)
        if connection.getresponse().status != http.client.OK:
            raise RuntimeError("the daemon refused the reset")
        connection.close()

    def _pids(self) -> list[int]:
        own = self._process.pid
        children = Path(f"/proc/{own}/task/{own}/children").read_text().split()
        return [own, *map(int, children)]

    def _read(self) -> None:
        for line in self._process.stdout or ():
            self._lines.put((time.perf_counter(), line))

    def _await_line(self, part: str) -> float:
        while True:
            at, line = self._lines.get(timeout=_PATIENCE_SECONDS)
            if part in line:
                return at


def environment() -> dict[str, str]:
    """Without a key: nothing here may cost money."""
    return {name: value for name, value in os.environ.items() if "ANTHROPIC" not in name}
