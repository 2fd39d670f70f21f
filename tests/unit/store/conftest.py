"""A real database in a folder of its own, and a fixed moment."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from daemon.store.database import Database, open_database


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "sprintd.db"


@pytest.fixture
def db(path: Path) -> Iterator[Database]:
    with closing(open_database(path)) as database:
        yield database


@pytest.fixture
def now() -> datetime:
    return datetime(2026, 11, 30, 9, 0, 0, 123456, tzinfo=UTC)
