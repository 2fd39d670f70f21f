"""The frame of every page: where one may go, and how the daemon is, in one word."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from flask import Flask, g, has_request_context, request, url_for

from daemon import __version__
from daemon.errors import StoreError
from daemon.governance.states import DaemonState, current_state
from daemon.store.approvals import count_waiting
from daemon.web.watch import Watch

Tone = Literal["good", "bad", "wait", "info", ""]

# Endpoint, and the phrase of its link, in the order of the menu.
PLACES = (
    ("page", "page.nav_now"),
    ("approvals_page", "approval.page_title"),
    ("alerts_page", "page.nav_alerts"),
    ("money_page", "page.nav_money"),
    ("backlog_page", "page.backlog"),
    ("sprints_page", "page.sprints"),
    ("findings_page", "page.findings"),
    ("criteria_page", "page.criteria"),
    ("reports_page", "page.nav_reports"),
    ("ledger_page", "page.nav_ledger"),
    ("configuration_page", "page.nav_configuration"),
)
# A page below a place is marked in the menu as that place.
_BELOW = {
    "item_page": "backlog_page",
    "approval_page": "approvals_page",
    "sprint_page": "sprints_page",
    "finding_page": "findings_page",
    "entry_page": "ledger_page",
    "report_page": "reports_page",
}
_TONES: dict[str, Tone] = {
    **dict.fromkeys(("completed", "accepted", "done", "approved", "eligible", "go"), "good"),
    **dict.fromkeys(("halted", "failed", "rejected", "blocked", "refused", "no_go"), "bad"),
    **dict.fromkeys(("paused_budget", "waiting", "interrupted", "stopping", "pending"), "wait"),
    "not_arrived": "bad",
    "effect_NOT ARRIVED": "bad",
    "on_its_way": "wait",
    **dict.fromkeys(("effect_ALLOW", "effect_DONE", "effect_ARRIVED", "test_for"), "good"),
    **dict.fromkeys(("effect_DENY", "effect_FAILED", "effect_REFUSED", "test_against"), "bad"),
    **dict.fromkeys(
        ("effect_ESCALATE", "effect_UNKNOWN", "effect_NOT DONE", "test_contradicted"), "wait"
    ),
    **dict.fromkeys(("test_too_few", "test_void", "test_unguarded", "not_yet_known"), "wait"),
    **dict.fromkeys(("working", "running", "asked", "diagnosing", "idle"), "info"),
}


@dataclass(frozen=True)
class Link:
    """`count` is what waits there, 0 for nothing."""

    address: str
    words: str
    is_current: bool
    count: int


@dataclass(frozen=True)
class Shell:
    """`waiting` is how many questions wait for a person; 0 also where that cannot be read."""

    name: str
    state_words: str
    tone: Tone
    waiting: int
    links: tuple[Link, ...]
    at: datetime
    version: str
    may_log_out: bool


def tone_of(state: str) -> Tone:
    """How a stored state is shown; "" for one that says neither good nor bad."""
    return _TONES.get(state, "")


def add_shell(app: Flask, watch: Watch) -> None:
    """Every template knows the shell and the tone of a state."""
    app.jinja_env.globals.update(tone_of=tone_of)
    app.context_processor(lambda: {"shell": _shell(watch)})


def state_words(watch: Watch, state: DaemonState | None) -> str:
    """The state in one or two words."""
    return watch.services.phrases.text(f"page.short_{state.name if state else 'none'}")


def _shell(watch: Watch) -> Shell:
    services, waiting = watch.services, 0
    try:
        state = current_state(services.db)
        words, tone = state_words(watch, state), tone_of(state.name if state else "")
        waiting = count_waiting(services.db)
    except StoreError:
        words, tone = services.phrases.text("page.short_unknown"), "bad"
    return Shell(
        name=services.config.daemon.name,
        state_words=words,
        tone=tone,
        waiting=waiting,
        links=_links(watch, waiting),
        at=services.clock.now(),
        version=__version__,
        may_log_out=bool(has_request_context() and g.get("may_log_out")),
    )


def _links(watch: Watch, waiting: int) -> tuple[Link, ...]:
    # Whoever has not logged in sees no more than the login; nor does one refused before that is known.
    if g.get("is_stranger", True):
        return ()
    here = _BELOW.get(request.endpoint or "", request.endpoint)
    say = watch.services.phrases.text
    return tuple(
        Link(
            url_for(place),
            say(words),
            place == here,
            waiting if place == "approvals_page" else 0,
        )
        for place, words in PLACES
    )
