"""Real other processes: Python scripts that talk through their standard streams."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
LIMIT_SECONDS = 60


def run_script(script: str, *args: object, before: tuple[str, ...] = ()) -> str:
    """Run a script to its end; what it wrote. Fails the test where it fails."""
    command = [*before, sys.executable, "-c", script, *map(str, args)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=LIMIT_SECONDS, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@contextmanager
def running_script(script: str, *args: object) -> Iterator[subprocess.Popen[str]]:
    """A script that has written its first line; it is killed (-9) at the end of the block."""
    command = [sys.executable, "-c", script, *map(str, args)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, cwd=ROOT, **pipes) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline(), "the script ended before it was ready"
            yield process
        finally:
            process.kill()


def mounting() -> tuple[str, ...]:
    """The words before a command that may then mount; skips where this machine forbids it."""
    words = ("unshare", "--map-root-user", "--mount")
    try:
        subprocess.run([*words, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this machine does not let a test mount anything (unshare is forbidden)")
    return words
