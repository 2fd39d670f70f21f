"""Every page in a real browser: nothing runs, loads, overflows or is hard to read that should not."""

from __future__ import annotations

import pytest

from tests.browser.looking import DESK, PHONE, Looking, Theme, is_too_wide, small_targets
from tests.browser.ventures import Venture

PATHS = {
    "empty": ("/", "/backlog", "/items/T20", "/approvals", "/login", "/nothing"),
    "filled": ("/", "/backlog", "/backlog?standing=done", "/items/T20", "/items/T01",
               "/approvals", "/approvals/A1", "/approvals/A3"),
    "halted": ("/",),
    "hostile": ("/", "/backlog", "/items/T07", "/approvals", "/approvals/A1"),
}  # fmt: skip
KINDS = tuple(PATHS)
UNFOLD = "document.querySelectorAll('details').forEach((one) => { one.open = true })"
LOOKS: tuple[tuple[tuple[int, int], Theme], ...] = ((PHONE, "light"), (DESK, "dark"))
OTHER_LOOKS: tuple[tuple[tuple[int, int], Theme], ...] = ((PHONE, "dark"), (DESK, "light"))


def test_the_checker_finds_what_is_wrong(looking: Looking) -> None:
    """A field without a name, a picture without words, and text that is hardly there."""
    page = looking.at("about:blank")
    page.set_content('<h1>x</h1><input><img src="data:,"><p style="color:#ddd">pale</p>')
    assert {one.split(":")[0] for one in looking.faults_of(page)} >= {
        "label", "image-alt", "color-contrast",
    }  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_no_page_has_a_serious_fault_of_accessibility(
    ventures: dict[str, Venture], looking: Looking, kind: str
) -> None:
    """Names, roles, contrast in both themes, order of headings: axe-core finds nothing serious."""
    faults = []
    for size, theme in LOOKS:
        page = looking.at(ventures[kind].address, size=size, theme=theme)
        for path in PATHS[kind]:
            page.goto(f"{ventures[kind].address}{path}")
            faults += [f"{path} {size} {theme}: {one}" for one in looking.faults_of(page)]
    assert faults == []


@pytest.mark.parametrize("kind", KINDS)
def test_no_page_asks_another_host_or_complains_or_is_too_wide(
    ventures: dict[str, Venture], looking: Looking, kind: str
) -> None:
    """Whatever a model wrote: no request leaves, no script runs, nobody scrolls sideways, and no thumb
    misses on a telephone."""
    address = ventures[kind].address
    for size, theme in OTHER_LOOKS:
        page = looking.at(address, size=size, theme=theme)
        for path in PATHS[kind]:
            page.goto(f"{address}{path}")
            page.evaluate(UNFOLD)
            assert not is_too_wide(page), (path, size)
            assert size != PHONE or small_targets(page) == [], path
            assert "owned" not in page.title()
            assert page.locator("main img, main svg:not([class]), main iframe").count() == 0
    assert looking.requests
    assert [one for one in looking.requests if not one.startswith(f"{address}/")] == []
    assert [one for one in looking.complaints if "404" not in one] == []


@pytest.mark.parametrize("kind", ["empty", "filled", "halted", "hostile"])
def test_the_first_screen_of_a_telephone_has_all_that_matters(
    ventures: dict[str, Venture], looking: Looking, kind: str
) -> None:
    """The sentence, the state with its reason, what runs, the money and what waits: no scrolling."""
    page = looking.at(ventures[kind].address, size=PHONE)
    for part in ("#verdict", "#state", "#runs", "#money", "#waits"):
        box = page.locator(part).locator("xpath=ancestor-or-self::section").bounding_box()
        assert box is not None
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= PHONE[1], part
    for link in ("/approvals", "/backlog?standing=blocked"):
        assert page.locator(f'#now a.big[href="{link}"]').is_visible()
