"""The frame of every page."""

from __future__ import annotations

import re
from typing import get_args

from daemon.governance.states import StateName, enter_state
from daemon.store.approvals import ApprovalState
from daemon.store.attempts import AttemptState
from daemon.store.sprints import SprintState
from daemon.web.shell import tone_of
from daemon.workspace.board import Standing
from tests.unit.web.watched import Watched, text_of
from tests.workspaces import NOON

NEUTRAL = {"no_work", "answered", "expired"}


def test_every_state_has_its_tone() -> None:
    """All but those that are neither good nor bad; one that nobody knows has none."""
    for kind in (StateName, SprintState, AttemptState, Standing, ApprovalState):
        for state in get_args(kind):
            assert bool(tone_of(state)) is (state not in NEUTRAL), state
    assert tone_of("nonsense") == ""


def test_the_menu_leads_only_to_pages_that_there_are(watched: Watched) -> None:
    """Each of its links answers, and marks itself."""
    menu = re.search(r"<nav.*?</nav>", text_of(watched), re.S)
    assert menu
    links = re.findall(r'href="([^"]+)"', menu[0])
    assert {"/", "/backlog", "/approvals"} <= set(links)
    for link in links:
        assert f'href="{link}" aria-current="page"' in text_of(watched, link)


def test_the_state_stands_on_every_page(watched: Watched) -> None:
    """In the bar and in the title, so that a tab tells it too."""
    enter_state(watched.services.db, "halted", "x", NOON)
    page = text_of(watched, "/backlog")
    assert '<span class="badge bad">halted</span>' in page
    assert "<title>Backlog – sprintd (halted)</title>" in page
