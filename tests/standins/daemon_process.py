"""A real daemon in a process of its own, to be asked, stopped and killed by tests."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[2]
PATIENCE = 60.0  # how long a test waits before it fails; a good run waits a small part of it


class DaemonProcess:
    """Starts at once, in a process group of its own; `with` ends what is left of it."""

    def __init__(
        self, workspace: Path, *options: str, environ: dict[str, str] | None = None
    ) -> None:
        self.workspace = workspace
        command = [sys.executable, "-m", "tests.standins.run_daemon", str(workspace), *options]
        self.process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, "PYTHONUNBUFFERED": "1", **(environ or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=_mind_hangups,
        )
        self._lines: queue.Queue[str] = queue.Queue()
        self.out: list[str] = []
        self.err: list[str] = []
        self._readers = [
            self._reader(self.process.stdout, self.out, self._lines.put),
            self._reader(self.process.stderr, self.err, lambda line: None),
        ]

    @property
    def address(self) -> tuple[str, int]:
        """Where it listens, as it wrote into state/address."""
        url = urlsplit((self.workspace / "state" / "address").read_text().strip())
        assert url.hostname
        assert url.port
        return url.hostname, url.port

    def wait_for_line(self, part: str) -> str:
        """The next line of standard output that holds `part`."""
        while True:
            try:
                line = self._lines.get(timeout=PATIENCE)
            except queue.Empty:
                raise AssertionError(f"no line with {part!r}; {self.said()}") from None
            if part in line:
                return line

    def wait_until(self, is_true: Callable[[], Any], what: str) -> None:
        """Look again and again until something is so, or fail with what the daemon said."""
        tries = int(PATIENCE / 0.05)
        for _ in range(tries):
            if is_true():
                return
            threading.Event().wait(0.05)
        raise AssertionError(f"{what} did not come; {self.said()}")

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> tuple[int, Any]:
        """Status and the JSON (or the text) of one request on a connection of its own."""
        connection = http.client.HTTPConnection(*self.address, timeout=PATIENCE)
        try:
            connection.request(method, path, body=body, headers=headers or {})
            answer = connection.getresponse()
            text = answer.read().decode()
        finally:
            connection.close()
        return answer.status, json.loads(text) if text.startswith("{") else text

    def health(self) -> dict[str, Any]:
        status, found = self.ask("GET", "/health")
        assert status == 200, found
        assert isinstance(found, dict)
        return found

    def worker_pid(self) -> int:
        """Gunicorn's worker process, which owns the workspace."""
        found = json.loads((self.workspace / "state" / "daemon.lock").read_text())
        return int(found["pid"])

    def wait(self) -> int:
        """The exit code, once it ends by itself."""
        code = self.process.wait(PATIENCE)
        for reader in self._readers:
            reader.join(PATIENCE)
        return code

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.wait()

    def said(self) -> str:
        return "stdout: " + "".join(self.out) + "\nstderr: " + "".join(self.err)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.wait()
        for stream in (self.process.stdout, self.process.stderr):
            if stream:
                stream.close()

    def _reader(
        self, stream: IO[str] | None, kept: list[str], tell: Callable[[str], None]
    ) -> threading.Thread:
        def read() -> None:
            for line in stream or ():
                kept.append(line)
                tell(line)

        thread = threading.Thread(target=read, daemon=True)
        thread.start()
        return thread


def _mind_hangups() -> None:
    """Also where whoever runs the tests ignores them, as nohup does: children inherit that."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
