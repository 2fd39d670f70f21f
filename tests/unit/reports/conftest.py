"""A new database and a purse over it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.clock import ManualClock
from daemon.store.database import Database, open_database
from tests.unit.reports.money import NOON, Purse


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(tmp_path / "state" / "sprintd.db")
    yield opened
    opened.close()


@pytest.fixture
def purse(db: Database) -> Purse:
    return Purse(db, ManualClock(NOON))
