"""The daemon for benchmarks/crash.py: the same program, which may die right after a step."""

from __future__ import annotations

import argparse
import os
import signal
from pathlib import Path

from daemon.server import run_server


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workspace", type=Path)
    parser.add_argument("--die-at", default="", help="the step of a sprint after which all ends")
    given = parser.parse_args()

    def at(step: str) -> None:
        if given.die_at and given.die_at in step.split("/"):
            os.killpg(os.getpgid(0), signal.SIGKILL)  # the server and its parent at once

    run_server(given.workspace, port=0, at=at)


if __name__ == "__main__":
    main()
