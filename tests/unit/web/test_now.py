"""The first page: whether it is safe, what runs, what is left and what waits for a person."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest

from daemon.errors import Fault
from daemon.governance.approvals import Question
from daemon.governance.incidents import note
from daemon.governance.recovery import halt
from daemon.governance.states import enter_state
from daemon.sprint.runner import run_sprint
from daemon.store import attempts, findings, items, outbox, sprints
from daemon.web.now import MOST_TROUBLES
from tests.unit.web.watched import Watched, as_read, text_of, watched_in
from tests.workspaces import NOON

UNBLOCK = Question("unblock", "Put T01 back", "", "ana", {"item": "T01"})


def verdict_of(page: str) -> str:
    """The sentence at the top."""
    found = re.search(r'<h1 id="verdict">(.*?)</h1>', page)
    assert found
    return found[1]


def test_the_page_shows_state_money_sprints_and_findings(watched: Watched) -> None:
    """What a founder asks first, on one page."""
    run_sprint(watched.services.sprint_parts)
    enter_state(watched.services.db, "idle", "2 accepted", NOON)
    page = text_of(watched)
    assert verdict_of(page) == "All is well; nothing waits for you"
    assert "2 accepted" in page
    assert "2026-11-30 12:00 UTC" in page
    assert "<strong>20.00 USD</strong> <span>left of 20.00" in page
    assert 'aria-label="0 % of the cap is spent or reserved"' in page
    for finding in findings.list_findings(watched.services.db):
        assert finding.title in page
    assert "extractive" in page


def test_findings_of_the_offline_writer_say_so(watched: Watched) -> None:
    """On the first page and on the item's; not where a model wrote it."""
    run_sprint(watched.services.sprint_parts)
    first, second = findings.list_findings(watched.services.db)
    assert text_of(watched).count("quotes only, not reasoned") == 2
    with watched.services.db.immediate() as tx:
        tx.execute(
            "UPDATE attempt SET model = 'claude-sonnet-5-5' WHERE id = ?", (first.attempt_id,)
        )
    assert text_of(watched).count("quotes only, not reasoned") == 1
    assert "quotes only" not in text_of(watched, f"/items/{first.item}")
    assert "quotes only" in text_of(watched, f"/items/{second.item}")


def test_the_next_sprint_is_told(watched: Watched) -> None:
    """An idle daemon says when it goes on; one that ran into the cap until when it rests."""
    enter_state(watched.services.db, "idle", "2 accepted", NOON, until=NOON + timedelta(minutes=15))
    assert "next sprint 12:15 UTC" in text_of(watched)
    enter_state(
        watched.services.db, "paused_budget", "the cap", NOON, until=NOON + timedelta(hours=12)
    )
    assert "until 2026-12-01 00:00 UTC" in as_read(text_of(watched))
    assert "next sprint" not in text_of(watched)


def test_a_halt_stands_with_its_cure(watched: Watched) -> None:
    """Whoever reads the page on a phone knows what to run."""
    assert "sprintd reset-failures" not in text_of(watched)
    halt(watched.services.db, "the key is wrong", NOON)
    page = text_of(watched)
    assert verdict_of(page) == "It needs you now"
    assert 'mends this and runs: <code class="nowrap">sprintd reset-failures' in page
    assert "the key is wrong" in page


def test_what_waits_for_a_person_makes_the_sentence_and_has_a_link(watched: Watched) -> None:
    """A blocked item alone is enough, and so is a question; nothing of it is urgent."""
    items.count_rejection(watched.services.db, "T07", "too short", 1, NOON)
    page = text_of(watched)
    assert verdict_of(page) == "Safe, but something waits for you"
    assert re.search(r'href="/backlog\?standing=blocked"><strong class="tone-wait">1<', page)
    watched.services.approvals.ask(UNBLOCK)
    assert re.search(r'href="/approvals"><strong class="tone-wait">1<', text_of(watched))
    assert "(starting)</title>" in page


def test_what_runs_is_shown_track_by_track(watched: Watched) -> None:
    """Each item with its title and how its attempt stands; before that, that it plans."""
    db = watched.services.db
    sprint = sprints.open_sprint(db, "REGULAR", None, NOON)
    assert "It plans what to work on." in text_of(watched)
    for track, item in ((1, "T07"), (2, "T12")):
        attempts.save_asked(
            db, sprint_id=sprint, track=track, item=item, agent="analyst", effect_key=item,
            prompt={}, context={}, now=NOON,
        )  # fmt: skip
    page = text_of(watched)
    for item in ("T07", "T12"):
        assert watched.services.source.load().item(item).title in page
    assert page.count(">analyst</span>") == page.count(">under way</span>") == 2
    assert f"sprint {sprint}</a>, since 12:00 UTC" in page


def test_the_page_stands_before_the_first_sprint(watched: Watched) -> None:
    """A new workspace shows that nothing happened yet, and what will appear where."""
    page = text_of(watched)
    assert "starting" in page
    assert "The first sprint appears here." in page
    assert "The first accepted answer appears here." in page


def test_trouble_is_shown_worst_first_and_the_rest_below(watched: Watched) -> None:
    """Two lines on the first screen, all of them under it, and not more than a page holds."""
    watched.faults = tuple(Fault("backlog.yaml", n, "", "is odd") for n in range(1, 31))
    halt(watched.services.db, "the key is wrong", NOON)
    page = text_of(watched)
    assert page.index("sprintd reset-failures") < page.index("backlog.yaml:1: is odd")
    assert page.index("backlog.yaml:1: is odd") < page.index('id="money"')
    assert page.count(": is odd") == 1 + MOST_TROUBLES - 1
    assert f"{31 - 2} more" in page
    assert f"{31 - MOST_TROUBLES} more" in page


def test_an_open_incident_says_what_it_is_and_its_cure(watched: Watched) -> None:
    note(
        watched.services.db, cause="disk_full", detail="The disk is full.", cure="Free some space.",
        place="store", now=NOON,
    )  # fmt: skip
    assert "The disk is full. Free some space." in text_of(watched)


def test_a_cap_of_zero_is_an_empty_bar(tmp_path: Path) -> None:
    """Not a division by zero."""
    with watched_in(tmp_path, "[budget]\ndaily_cap_usd = 0\n") as watched:
        assert 'aria-label="0 % of the cap' in text_of(watched)


def test_messages_that_did_not_leave_stand_on_the_page(watched: Watched) -> None:
    """How many, since when, why, and the command; nothing where all left; no text as markup."""
    assert "Messages on their way out" not in text_of(watched)
    db = watched.services.db
    for key in ("a", "b"):
        outbox.enqueue(db, key=key, channel="slack", payload={"text": key}, now=NOON)
    outbox.set_aside(db, "a", error="invalid_auth", now=NOON)
    outbox.put_back(db, "b", next_try_at=NOON, error="<b>busy</b>", uncertain=False)
    page = as_read(text_of(watched))
    assert "1 set aside since 2026-11-30 12:00 UTC" in page
    assert "sprintd outbox --set-aside" in page
    assert "1 waiting since 2026-11-30 12:00 UTC: &lt;b&gt;busy" in page


def test_without_the_database_the_page_says_so_and_stands(
    watched: Watched, caplog: pytest.LogCaptureFixture
) -> None:
    """What is in memory is shown; the state is unknown, and it is urgent."""
    database = watched.services.db
    database.close()
    (watched.services.root / "state" / "sprintd.db").rename(watched.services.root / "gone.db")
    page = text_of(watched)
    assert verdict_of(page) == "It needs you now"
    assert "(unknown)</title>" in page
    assert not [line for line in caplog.records if line.levelname == "ERROR"]


def test_what_is_cut_at_the_top_stands_below_in_full(watched: Watched) -> None:
    """Not where the top has room for it; on a wide screen only where that is too narrow as well."""
    for problem, section in (
        ("is odd", None),
        ("x" * 60, '<section aria-labelledby="troubles" class="narrow-only">'),
        ("x" * 300, '<section aria-labelledby="troubles">'),
    ):
        watched.faults = (Fault("a", 1, "", problem),)
        page = text_of(watched)
        assert page.count(problem) == (1 if section is None else 2)
        assert section is None or section in page
