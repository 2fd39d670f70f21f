"""The page at /: may one sleep, what runs, what is left, and what waits for a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from flask import Flask, render_template, url_for

from daemon.llm.provider import OFFLINE_MODEL
from daemon.reports.serving import provider_line
from daemon.reports.status import Status
from daemon.reports.watching import Track, tracks_of
from daemon.store import findings, incidents, sprints
from daemon.store.findings import FindingRow
from daemon.store.sprints import SprintRow
from daemon.web.health import Health, take_health
from daemon.web.money_bar import Money, money_of
from daemon.web.watch import Watch
from daemon.web.wording import when

Level = Literal["good", "wait", "bad"]

MOST_TROUBLES = 20
MOST_ON_TOP = 2
_FIT_ON_TOP, _FIT_ON_A_DESK = 60, 140  # characters that two lines hold in any case
_MOST_ROWS = 5
_MOST_DETAIL = 300


@dataclass(frozen=True)
class Trouble:
    """One thing that needs a person: now (`bad`) or when there is time (`wait`).

    `command` is what to run, `address` where to look; both may be empty.
    """

    level: Level
    words: str
    command: str = ""
    address: str = ""


@dataclass(frozen=True)
class Now:
    """`status` and `money` are None without the database. `troubles` have what is urgent first.

    `sprint` is the one that runs, or None. `quoted` has the attempts whose findings the offline
    writer only quoted.
    """

    level: Level
    troubles: tuple[Trouble, ...]
    troubles_more: int
    provider: str
    at: datetime
    failures_limit: int
    status: Status | None = None
    money: Money | None = None
    sprint: SprintRow | None = None
    tracks: tuple[Track, ...] = ()
    sprints: tuple[SprintRow, ...] = ()
    findings: tuple[FindingRow, ...] = ()
    quoted: frozenset[int] = frozenset()

    @property
    def is_told_on_top(self) -> bool:
        """Whether the lines at the top, which are cut after their second line, say all of it."""
        return self._fits(_FIT_ON_TOP)

    @property
    def is_told_on_a_desk(self) -> bool:
        """Whether they say all of it where the screen is wide."""
        return self._fits(_FIT_ON_A_DESK)

    def _fits(self, most: int) -> bool:
        short = all(len(one.words) <= most for one in self.troubles)
        return short and len(self.troubles) <= MOST_ON_TOP


def register(app: Flask, watch: Watch) -> None:
    """/"""

    @app.get("/")
    def page() -> str:
        return render_template("now.html", view=now_view(watch))


def now_view(watch: Watch) -> Now:
    """Everything on the page at /. Needs a request, for the addresses of other pages."""
    services, health = watch.services, take_health(watch)
    troubles = sorted(_troubles(watch, health), key=lambda one: one.level != "bad")
    metered = services.metered
    view = Now(
        level=troubles[0].level if troubles else _level_of(health.status),
        troubles=tuple(troubles[:MOST_TROUBLES]),
        troubles_more=max(0, len(troubles) - MOST_TROUBLES),
        provider=provider_line(metered.provider_name, metered.describe(), services.phrases),
        at=services.clock.now(),
        failures_limit=services.config.sprint.failures_before_diagnosis,
    )
    return view if health.status is None else _with_store(watch, view, health.status)


def _with_store(watch: Watch, view: Now, status: Status) -> Now:
    db = watch.services.db
    running = sprints.list_running(db)
    shown = tuple(findings.list_findings(db, limit=_MOST_ROWS))
    return replace(
        view,
        status=status,
        money=money_of(status.day),
        sprint=running[0] if running else None,
        tracks=tracks_of(db, running[0], _titles(watch)) if running else (),
        sprints=tuple(sprints.list_sprints(db, _MOST_ROWS)),
        findings=shown,
        quoted=findings.attempts_by(db, shown, OFFLINE_MODEL),
    )


def _titles(watch: Watch) -> Mapping[str, str]:
    workspace = watch.services.source.latest
    return {item.id: item.title for item in workspace.items} if workspace else {}


def _troubles(watch: Watch, health: Health) -> Iterator[Trouble]:
    for problem in health.problems:
        yield Trouble("bad", problem)
    if health.status:
        yield from _of_state(watch, health.status)
        yield from _of_incidents(watch)
        yield from _of_messages(watch, health.status)
    yield from _of_presses(watch)
    for fault in watch.faults():
        yield Trouble("wait", watch.services.phrases.text("page.fault", fault=fault))


def _level_of(status: Status | None) -> Level:
    """Without troubles: whether questions or blocked items wait. Their counts have their own card."""
    waits = status and (status.approvals or status.backlog.get("blocked"))
    return "wait" if waits else "good"


def _of_state(watch: Watch, status: Status) -> Iterator[Trouble]:
    say, state = watch.services.phrases.text, status.state
    if state and state.name == "halted":
        yield Trouble("bad", say("page.halted_cure"), command="sprintd reset-failures")


def _of_incidents(watch: Watch) -> Iterator[Trouble]:
    """A halt has its own line; every other open incident says what it is and how it is mended."""
    address = url_for("alerts_page")
    for row in incidents.list_open(watch.services.db):
        words = f"{row.detail[:_MOST_DETAIL]} {row.cure[:_MOST_DETAIL]}".strip()
        yield Trouble("wait", words, address=address)


def _of_messages(watch: Watch, status: Status) -> Iterator[Trouble]:
    say, out = watch.services.phrases.text, status.outbox
    if out.set_aside:
        at = when(out.oldest_set_aside_at)
        told = say("page.messages_aside", count=out.set_aside, at=at)
        yield _of_outbox(watch, told, command="sprintd outbox --set-aside")
    if out.waiting and out.waiting_error:
        why, at = f": {out.waiting_error[:_MOST_DETAIL]}", when(out.oldest_waiting_at)
        told = say("page.messages_waiting", count=out.waiting, at=at, why=why)
        yield _of_outbox(watch, told)


def _of_outbox(watch: Watch, words: str, command: str = "") -> Trouble:
    told = f"{watch.services.phrases.text('page.messages')}: {words}"
    return Trouble("wait", told, command=command)


def _of_presses(watch: Watch) -> Iterator[Trouble]:
    inbound = watch.services.inbound
    if inbound.way and inbound.state.problem:
        say, at = watch.services.phrases.text, when(inbound.state.since)
        told = say("page.presses_lost", at=at, why=inbound.state.problem)
        yield Trouble("wait", f"{say('page.presses')}: {told}")
