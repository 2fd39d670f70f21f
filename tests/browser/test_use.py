"""How a person uses the pages: by keyboard, without scripts, while something changes, from elsewhere."""

from __future__ import annotations

from datetime import timedelta

from playwright.sync_api import expect

from daemon.governance.recovery import halt
from daemon.store import attempts, items
from tests.browser.looking import DESK, PHONE, Looking
from tests.browser.ventures import Venture
from tests.unit.web.watched import TOKEN

LOOK_AGAIN = "document.dispatchEvent(new Event('visibilitychange'))"


def test_the_first_page_changes_in_place(venture: Venture, looking: Looking) -> None:
    """State, title and sentence follow the daemon without loading; a reader is told once."""
    page = looking.at(venture.address)
    expect(page.locator("#verdict")).to_have_text("Safe, but something waits for you")
    page.evaluate("window.kept = true")
    halt(venture.watched.services.db, "the key is wrong", venture.watched.clock.now())
    page.evaluate(LOOK_AGAIN)
    expect(page.locator("#verdict")).to_have_text("It needs you now")
    expect(page.locator("header .badge")).to_have_text("halted")
    expect(page.locator("#live-told")).to_have_text("It needs you now. Halted.")
    assert page.evaluate("window.kept") is True
    assert "(halted)" in page.title()


def test_a_lost_connection_is_said_and_found_again(venture: Venture, looking: Looking) -> None:
    """Not at the first miss; the page keeps what it showed."""
    page = looking.at(venture.address)
    page.context.set_offline(True)
    for _ in range(2):
        with page.expect_event("requestfailed"):
            page.evaluate(LOOK_AGAIN)
    expect(page.locator("#live-lost")).to_be_visible()
    expect(page.locator("#verdict")).to_be_visible()
    page.context.set_offline(False)
    page.evaluate(LOOK_AGAIN)
    expect(page.locator("#live-lost")).to_be_hidden()


def test_the_reader_is_not_disturbed_while_the_page_changes(
    venture: Venture, looking: Looking
) -> None:
    """Focus, place, what is unfolded and the very elements stay; a row that comes in above does not
    turn the focused one into another; nothing is asked while the page is hidden."""
    db, now = venture.watched.services.db, venture.watched.clock.now()
    page = looking.at(f"{venture.address}/items/T20", size=PHONE)
    _ask(venture, "T20", 1)  # the page follows an item only while somebody works at it
    page.reload()
    page.locator("details").last.evaluate("(one) => { one.open = true }")
    page.get_by_role("link", name="sprint 5").focus()
    page.evaluate("scrollTo(0, 300)")
    page.evaluate("window.kept = document.activeElement")
    _ask(venture, "T20", 2)
    items.count_rejection(db, "T20", "odd", 2, now)
    page.evaluate(LOOK_AGAIN)
    expect(page.locator("#item article")).to_have_count(3)
    expect(page.locator("#item dd").nth(3)).to_have_text("2")
    assert page.evaluate("window.kept === document.activeElement && window.kept.isConnected")
    expect(page.locator("details").last).to_have_attribute("open", "")
    assert page.evaluate("scrollY") > 0
    page.evaluate("Object.defineProperty(document, 'hidden', {value: true, configurable: true})")
    asked = len(looking.requests)
    page.evaluate(LOOK_AGAIN)
    assert len(looking.requests) == asked


def test_a_session_that_ended_is_said_and_nothing_is_lost(
    venture: Venture, looking: Looking
) -> None:
    """The page keeps what it showed, says that it is old, and leads back to itself by the login."""
    forwarded = {"X-Forwarded-For": "203.0.113.9"}
    page = looking.at(f"{venture.address}/login", headers=forwarded)
    page.get_by_label("Token").fill(TOKEN)
    page.keyboard.press("Enter")
    page.wait_for_url("**/")  # with its script, which hears what follows
    page.context.clear_cookies()
    page.evaluate(LOOK_AGAIN)
    expect(page.locator("#live-ended")).to_be_visible()
    expect(page.locator("#live-lost")).to_be_hidden()
    expect(page.locator("#verdict")).to_be_visible()
    page.locator("#live-ended a").click()
    expect(page.locator("h1")).to_have_text("Log in")
    page.get_by_label("Token").fill(TOKEN)
    page.keyboard.press("Enter")
    expect(page.locator("#verdict")).to_be_visible()


def test_everything_is_reached_with_the_keyboard(venture: Venture, looking: Looking) -> None:
    """The first stop leads past the menu; the menu opens, takes the focus on and closes again."""
    page = looking.at(venture.address, size=PHONE)
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    expect(page.locator(".skip")).to_be_in_viewport()
    page.keyboard.press("Enter")
    assert page.url.endswith("#content")
    page.locator(".menu-button").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#menu")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.locator("#menu a").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#menu")).to_be_hidden()


def test_the_menu_stands_open_on_a_desk(venture: Venture, looking: Looking) -> None:
    """And tells how many questions wait."""
    page = looking.at(venture.address, size=DESK)
    expect(page.locator("#menu")).to_be_visible()
    expect(page.locator(".menu-button")).to_be_hidden()
    expect(page.locator("#menu .count")).to_have_text("2")
    page.get_by_role("link", name="Backlog", exact=True).click()
    expect(page.locator("h1")).to_have_text("Backlog")


def test_without_scripts_everything_works(venture: Venture, looking: Looking) -> None:
    """Filters, the menu of a telephone and an answer are plain forms and links."""
    page = looking.at(venture.address, size=PHONE, scripts=False)
    page.locator(".menu-button").click()
    page.locator("#menu").get_by_role("link", name="Backlog").click()
    page.get_by_label("standing").select_option("blocked")
    page.get_by_role("button", name="Filter").click()
    expect(page.locator(".items .card")).to_have_count(1)
    page.goto(f"{venture.address}/approvals/A1")
    page.get_by_label("Token").fill(TOKEN)
    page.get_by_role("button", name="Reject").click()
    expect(page.locator(".page-head .badge")).to_have_text("rejected")


def test_a_stranger_logs_in_answers_and_logs_out(venture: Venture, looking: Looking) -> None:
    """As through a proxy: nothing is seen before, the answer needs no token, and it ends."""
    forwarded = {"X-Forwarded-For": "203.0.113.9"}
    page = looking.at(f"{venture.address}/approvals/A1", headers=forwarded)
    expect(page.locator("h1")).to_have_text("Log in")
    expect(page.locator("nav")).to_have_count(0)
    page.get_by_label("Token").fill("wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("The token is wrong")
    page.get_by_label("Token").fill(TOKEN)
    page.keyboard.press("Enter")
    page.wait_for_url("**/approvals/A1")
    expect(page.get_by_label("Token")).to_have_count(0)
    page.get_by_role("button", name="Approve").click()
    expect(page.locator(".page-head .badge")).to_have_text("approved and done")
    page.get_by_role("button", name="Log out").click()
    expect(page.locator("h1")).to_have_text("Log in")
    venture.watched.clock.advance(timedelta(seconds=1))
    page.goto(f"{venture.address}/backlog")
    expect(page.locator("h1")).to_have_text("Log in")


def test_a_printed_page_has_no_menu_and_no_forms(venture: Venture, looking: Looking) -> None:
    page = looking.at(f"{venture.address}/backlog")
    page.emulate_media(media="print")
    expect(page.locator("#menu")).to_be_hidden()
    expect(page.locator("form.filters")).to_be_hidden()
    expect(page.locator("h1")).to_be_visible()


def _ask(venture: Venture, item: str, track: int) -> None:
    attempts.save_asked(
        venture.watched.services.db, sprint_id=6, track=track, item=item, agent="ux-designer",
        effect_key=f"again{track}", prompt={}, context={}, now=venture.watched.clock.now(),
    )  # fmt: skip
