"""The daemon as a program for tests: `python -m tests.standins.run_daemon WORKSPACE [options]`.

With --gate FILE every model call makes FILE.entered and then waits until FILE is there. With
--break-boot the checks go well and the process that is to work cannot be built.
"""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

from daemon.errors import SprintdError, StoreError
from daemon.llm.extractive import ExtractiveProvider
from daemon.llm.provider import Completion, Prompt, Provider
from daemon.server import run_server


class BreaksAtBoot:
    """Makes a provider for the check before the start, and fails in the process that works."""

    def __init__(self) -> None:
        self._made = 0

    def __call__(self) -> ExtractiveProvider:
        self._made += 1
        if self._made > 1:
            raise StoreError("the disk failed just now")
        return ExtractiveProvider()


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
    parser.add_argument("--break-boot", action="store_true")
    given = parser.parse_args()
    make_provider: Callable[[], Provider] | None = None
    if given.gate:
        make_provider = partial(GatedProvider, given.gate)
    if given.break_boot:
        make_provider = BreaksAtBoot()
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
