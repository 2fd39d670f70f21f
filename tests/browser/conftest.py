"""One headless Chromium for all tests of a worker; each test has a context of its own."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.looking import Looking
from tests.browser.ventures import Venture, served

_NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Skips where there is no Chromium, unless SPRINTD_BROWSER_TESTS says that there must be one."""
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        if os.environ.get("SPRINTD_BROWSER_TESTS"):
            pytest.fail("SPRINTD_BROWSER_TESTS is set, but there is no chromium here")
        pytest.skip("needs chromium (apt-get install chromium)")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="session")
def ventures(
    tmp_path_factory: pytest.TempPathFactory, browser: Browser
) -> Iterator[dict[str, Venture]]:
    """The same pages over an empty, a filled, a halted and a hostile database; only for looking."""
    kinds = ("empty", "filled", "halted", "hostile")
    with served(tmp_path_factory.mktemp("ventures"), *kinds) as found:
        yield found


@pytest.fixture
def looking(browser: Browser) -> Iterator[Looking]:
    with Looking.opened(browser) as opened:
        yield opened


@pytest.fixture
def venture(tmp_path: Path, browser: Browser) -> Iterator[Venture]:
    """A filled one that a test may change."""
    with served(tmp_path, "filled") as found:
        yield found["filled"]
