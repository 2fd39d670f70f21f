"""A small workspace, fresh or after three sprints."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.config.redaction import configure_logging
from tests.unit.cli.small import sprintd, write_small


@pytest.fixture(autouse=True)
def _own_logging() -> Iterator[None]:
    """A command sets up logging for its process; here the process is that of all tests."""
    hooks = sys.excepthook, threading.excepthook
    yield
    sys.excepthook, threading.excepthook = hooks
    configure_logging(level="WARNING", secrets=(), stream=sys.__stderr__ or sys.stderr)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return write_small(tmp_path / "small")


@pytest.fixture
def worked(small: Path) -> Path:
    """After three sprints: B01 is done, B02 is blocked, two wait."""
    for code in (0, 5, 5):
        assert sprintd(small, "sprint").returncode == code
    return small
