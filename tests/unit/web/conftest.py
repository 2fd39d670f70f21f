from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.web.watched import Watched, watched_in


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    with watched_in(tmp_path) as built:
        yield built
