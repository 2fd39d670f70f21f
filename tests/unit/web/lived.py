"""A workspace with much behind it, built once for all tests that only look at it."""

from __future__ import annotations

import html
from collections.abc import Iterator

import pytest

from tests.browser.rich import make_rich
from tests.unit.web.watched import Watched, watched_in


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    with watched_in(tmp_path_factory.mktemp("lived")) as built:
        make_rich(built)
        yield built


def page_of(watched: Watched, path: str, status: int = 200) -> str:
    """What the page says, its entities read."""
    answer = watched.client.get(path)
    assert answer.status_code == status
    return html.unescape(answer.get_data(as_text=True))
