"""A database of its own for each test, and a Slack whose clock is the test's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from daemon.clock import ManualClock
from daemon.store.database import Database, open_database
from tests.standins.slack_api import SlackApi


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with closing(open_database(tmp_path / "sprintd.db")) as database:
        yield database


@pytest.fixture
def slack(clock: ManualClock) -> Iterator[SlackApi]:
    with SlackApi(clock=clock) as api:
        yield api
