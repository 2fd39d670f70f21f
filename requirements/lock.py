"""Pin run.txt and dev.txt again, with hashes and without any address. Run by `make lock`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OPTIONS = (
    "--generate-hashes",
    "--allow-unsafe",
    "--strip-extras",
    "--no-emit-index-url",
    "--no-emit-find-links",
    "--no-emit-trusted-host",
    "--no-emit-options",
    "--quiet",
)


def pin(target: str, *sources: str) -> None:
    """Write requirements/TARGET from the sources; what is pinned there already stays if it can."""
    command = [
        sys.executable,
        "-m",
        "piptools",
        "compile",
        *OPTIONS,
        "--output-file",
        target,
        *sources,
    ]
    subprocess.run(command, cwd=ROOT, check=True)  # noqa: S603 - our own arguments


if __name__ == "__main__":
    pin("requirements/run.txt", "pyproject.toml", "requirements/run.in")
    pin("requirements/dev.txt", "requirements/dev.in")
