"""The pages of sprints: the list with its filter and pages, and one with all that was seen and said."""

from __future__ import annotations

import re

from daemon.store import attempts, sprints
from daemon.web.sprints import MOST_ON_PAGE
from tests.unit.web.lived import lived, page_of
from tests.unit.web.watched import Watched
from tests.workspaces import NOON

__all__ = ["lived"]


def listed(page: str) -> list[int]:
    return [int(one) for one in re.findall(r'class="short"><a href="/sprints/(\d+)"', page)]


def test_the_list_goes_on_from_page_to_page(watched: Watched) -> None:
    """The newest first, by number; the second page leads back to the newest."""
    db = watched.services.db
    for _ in range(MOST_ON_PAGE + 3):
        sprint = sprints.open_sprint(db, "REGULAR", None, NOON)
        sprints.close_sprint(db, sprint, "completed", "done", NOON)
    first = page_of(watched, "/sprints")
    assert listed(first) == list(range(MOST_ON_PAGE + 3, 3, -1))
    assert 'rel="next" href="/sprints?before=4"' in first
    second = page_of(watched, "/sprints?before=4")
    assert listed(second) == [3, 2, 1]
    assert 'rel="prev" href="/sprints"' in second
    assert 'rel="next"' not in second


def test_the_list_is_narrowed_by_state(watched: Watched) -> None:
    """A word that is no state narrows nothing."""
    db = watched.services.db
    for state in ("completed", "failed", "completed"):
        sprint = sprints.open_sprint(db, "REGULAR", None, NOON)
        sprints.close_sprint(db, sprint, state, "", NOON)
    assert listed(page_of(watched, "/sprints?state=failed")) == [2]
    assert listed(page_of(watched, "/sprints?state=nonsense&before=x")) == [3, 2, 1]
    assert "No sprint ended like that." in page_of(watched, "/sprints?state=no_work")


def test_one_sprint_shows_plan_context_prompt_and_verdict(lived: Watched) -> None:
    """What a founder needs to understand why an answer was accepted."""
    page = page_of(lived, "/sprints/1")
    for words in (
        "planned by rule",
        "the extractive provider does not plan",
        "priority 1; KC1 has 0 findings so far",
        "the item names it",  # why a unit was given
        "outside what market-researcher may read",  # and why another was not
        "What the model was asked, word for word",
        "Accepted",
        "Read the finding",
    ):
        assert words in page
    assert '<span class="mark supported"' in page


def test_an_answer_that_ended_by_itself_says_nothing_of_it(watched: Watched) -> None:
    """Every other end is told in words, and not as the service's."""
    db = watched.services.db
    sprint = sprints.open_sprint(db, "REGULAR", None, NOON)
    ends = {"end_turn": "", "max_tokens": "cut off at its greatest length", "odd": "ended it early"}
    for track, (reason, words) in enumerate(ends.items(), 1):
        row = attempts.save_asked(
            db, sprint_id=sprint, track=track, item="T01", agent="ana", effect_key=reason,
            prompt={}, context={}, now=NOON,
        )  # fmt: skip
        attempts.save_answer(db, row.id, "An answer.", reason, "a-model")
        page = page_of(watched, f"/sprints/{sprint}")
        assert words in page
        assert reason not in page


def test_a_rejected_answer_has_its_defects_and_marks_in_place(lived: Watched) -> None:
    """The numbers in the text lead to the sentences that say what is wrong."""
    last = sprints.last_sprint(lived.services.db)
    assert last is not None
    page = page_of(lived, f"/sprints/{last.id}")
    number = re.search(r'<sup><a href="#(defect-\d+-1)"', page)
    assert number is not None
    assert f'<li id="{number[1]}"><span dir="auto">It speaks of itself.' in page
    assert '44,100<span class="out-of-sight"> (absent)' in page
    assert "The judge" in page
    assert "0.04 USD" in page


def test_a_sprint_without_attempts_or_plan_says_so(watched: Watched) -> None:
    """Nothing is invented for a sprint that a crash ended."""
    db = watched.services.db
    sprint = sprints.open_sprint(db, "DIAGNOSTIC", None, NOON)
    assert "It plans what to work on." in page_of(watched, f"/sprints/{sprint}")
    assert 'data-live="5"' in page_of(watched, f"/sprints/{sprint}")
    sprints.close_sprint(db, sprint, "interrupted", "the process ended", NOON)
    page = page_of(watched, f"/sprints/{sprint}")
    assert "It ended before it had a plan." in page
    assert "No model was asked in this sprint." in page
    assert "diagnosis" in page


def test_a_sprint_that_is_not_there_is_said(watched: Watched) -> None:
    """Whatever the number."""
    assert "There is no sprint 7." in page_of(watched, "/sprints/7", 404)
    assert "no sprint" in page_of(watched, f"/sprints/{2**70}", 404)
