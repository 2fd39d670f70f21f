"""What holds for every test: no proxy between it and loopback, no key of the machine's owner."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# A deadline would measure the machine: whoever shares it makes a sound test fail.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")

for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"):
    os.environ.pop(name, None)
os.environ["NO_PROXY"] = "127.0.0.1,localhost"

# Minutes together, most of them waiting for other processes: begun first, beside tests that only
# compute, they do not run on alone when everything else is done.
_WAITING = "integration"
_LONGEST = ("test_power_cuts.py", "test_notion_under_fire.py", "test_outbox_under_fire.py")
# Whole days of work, and floods of text, over code whose lines other tests run too: counting lines
# doubles their time.
_NOT_COUNTED = ("acceptance", "browser", "integration")
_FLOODS = (
    "test_figure_claims.py", "test_hostile_texts.py", "test_openings.py", "test_patterns.py",
    "test_sets.py", "test_yaml_file.py",
)  # fmt: skip


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--run-live", action="store_true", help="also run tests that cost money")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items.sort(key=_rank)
    for item in items:
        if item.path.parent.name in _NOT_COUNTED or item.path.name in _FLOODS:
            item.add_marker(pytest.mark.no_cover)
    if config.getoption("--run-live"):
        return
    skip = pytest.mark.skip(reason="costs money: run with --run-live")
    for item in items:
        if "live" in item.keywords:
            item.add_marker(skip)


def _rank(item: pytest.Item) -> tuple[bool, bool]:
    return item.path.name not in _LONGEST, item.path.parent.name != _WAITING
