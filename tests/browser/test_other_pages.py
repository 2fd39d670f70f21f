"""Money, sprints, findings, criteria, ledger, reports, alerts, configuration, each in a real browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from daemon.clock import to_text
from daemon.store import findings, reports, sprints
from tests.browser.looking import DESK, PHONE, Looking, Theme, is_too_wide, small_targets
from tests.browser.ventures import Venture, served

KINDS = ("empty", "rich", "foul")
UNFOLD = "document.querySelectorAll('details').forEach((one) => { one.open = true })"
LISTS = ("/money", "/money?days=1", "/sprints", "/findings", "/criteria", "/ledger", "/reports",
         "/alerts", "/configuration")  # fmt: skip


@pytest.fixture(scope="module")
def others(
    tmp_path_factory: pytest.TempPathFactory, browser: Browser
) -> Iterator[dict[str, Venture]]:
    with served(tmp_path_factory.mktemp("others"), *KINDS) as found:
        yield found


def paths_of(venture: Venture) -> tuple[str, ...]:
    """All lists, and of each the newest row's own page."""
    db = venture.watched.services.db
    return (
        *LISTS,
        *(f"/sprints/{row.id}" for row in sprints.list_sprints(db, 2)),
        *(f"/findings/{row.attempt_id}" for row in findings.list_findings(db, limit=2)),
        *(f"/reports/{row.kind}/{to_text(row.slot)}" for row in reports.list_reports(db, 3)),
        *(("/ledger/1", "/ledger?text=T01&effect=ALLOW") if sprints.last_sprint(db) else ()),
    )


@pytest.mark.parametrize("kind", KINDS)
def test_every_other_page_can_be_used_by_everybody(
    others: dict[str, Venture], looking: Looking, kind: str
) -> None:
    """axe-core finds nothing serious, folded out: every page on a dark desk with much on it, and on a
    light telephone with nothing and with hostile text."""
    faults = []
    looks: tuple[tuple[tuple[int, int], Theme], ...] = (
        ((DESK, "dark"),) if kind == "rich" else ((PHONE, "light"),)
    )
    for size, theme in looks:
        page = looking.at(others[kind].address, size=size, theme=theme)
        for path in LISTS if kind == "empty" else paths_of(others[kind]):
            page.goto(f"{others[kind].address}{path}")
            page.evaluate(UNFOLD)
            faults += [f"{path} {theme}: {one}" for one in looking.faults_of(page)]
    assert faults == []


@pytest.mark.parametrize("kind", KINDS)
def test_no_other_page_asks_elsewhere_runs_anything_or_is_too_wide(
    others: dict[str, Venture], looking: Looking, kind: str
) -> None:
    """Every request goes to the page's own origin, no script of a text runs, nobody scrolls sideways."""
    address = others[kind].address
    for size, theme in ((PHONE, "dark"), (DESK, "light")):
        page = looking.at(address, size=size, theme=theme)
        for path in paths_of(others[kind]):
            answer = page.goto(f"{address}{path}")
            assert answer is not None
            assert answer.status == 200, path
            page.evaluate(UNFOLD)
            assert not is_too_wide(page), (path, size)
            assert size != PHONE or small_targets(page) == [], path
            assert "owned" not in page.title()
            assert page.locator("main img, main svg:not([class]), main iframe").count() == 0
    assert [one for one in looking.requests if not one.startswith(f"{address}/")] == []
    assert looking.complaints == []


def test_marks_stand_in_the_answer_and_lead_to_their_defects(
    others: dict[str, Venture], looking: Looking
) -> None:
    """Each kind of mark is where it belongs, and says in words what its colour says."""
    venture = others["rich"]
    last = sprints.last_sprint(venture.watched.services.db)
    assert last is not None
    page = looking.at(f"{venture.address}/sprints/{last.id}")
    answer = page.locator(".marked")
    for status, words in (("supported", "248.1"), ("absent", "44,100 (absent)"),
                          ("weak", "61 % (weak)"), ("derived", "141.2")):  # fmt: skip
        expect(answer.locator(f".mark.{status}")).to_have_text(words)
    expect(answer.locator(".faulty")).to_have_text("As a model I cannot know this.")
    answer.locator("sup a").click()
    assert page.locator(":target").inner_text().startswith("It speaks of itself.")


def test_the_ledger_is_checked_in_the_background(
    others: dict[str, Venture], looking: Looking
) -> None:
    """The button starts it, the page stays, and what was found comes by itself."""
    page = looking.at(f"{others['rich'].address}/ledger")
    page.get_by_role("button", name="Check all of it now").click()
    expect(page.locator("#ledger-check")).to_contain_text("nothing was changed", timeout=30_000)
    expect(page.locator("#ledger-check")).to_contain_text("entries read")


def test_a_report_is_printed_without_the_frame(
    others: dict[str, Venture], looking: Looking
) -> None:
    """On paper: no menu, black on white, whatever the theme."""
    venture = others["rich"]
    row = reports.list_reports(venture.watched.services.db, 1)[0]
    page = looking.at(f"{venture.address}/reports/{row.kind}/{to_text(row.slot)}", theme="dark")
    page.emulate_media(media="print")
    assert not page.locator(".bar").is_visible()
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
