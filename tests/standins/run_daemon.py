"""The daemon as a program for tests: `python -m tests.standins.run_daemon WORKSPACE [options]`.

With --gate FILE every model call makes FILE.entered and then waits until FILE is there.
"""

from __future__ import annotations

import argparse
import sys
import threading
from functools import partial
from pathlib import Path

from daemon.errors import SprintdError
from daemon.llm.extractive import ExtractiveProvider
from daemon.llm.provider import Completion, Prompt
from daemon.server import run_server


class GatedProvider(ExtractiveProvider):
    """The offline writer behind a gate that somebody outside opens; closing it ends the wait."""

    def __init__(self, gate: Path) -> None:
        super().__init__()
        self._gate = gate
        self._closed = threading.Event()

    def send(self, prompt: Prompt) -> Completion:
        self._gate.with_name(self._gate.name + ".entered").touch()
        while not self._gate.exists() and not self._closed.wait(0.02):
            pass
        return super().send(prompt)

    def close(self) -> None:
        self._closed.set()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("workspace", type=Path)
    parser.add_argument("--gate", type=Path)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--timeout", type=int, default=30)
    parser.add_argument("--stall", type=int, default=60)
    given = parser.parse_args()
    make_provider = partial(GatedProvider, given.gate) if given.gate else None
    try:
        run_server(
            given.workspace,
            port=given.port,
            make_provider=make_provider,
            timeout_seconds=given.timeout,
            stall_seconds=given.stall,
        )
    except SprintdError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main()
