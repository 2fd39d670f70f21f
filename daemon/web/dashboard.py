"""What the pages show, as plain values; the templates only place them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import get_args

from flask import Flask, abort, render_template, request

from daemon.clock import day_of
from daemon.errors import Fault
from daemon.governance.budget import usd_text
from daemon.llm.provider import OFFLINE_MODEL
from daemon.quality.verdict_json import verdict_from_json
from daemon.reports.given_notes import given_notes
from daemon.reports.serving import provider_line
from daemon.reports.status import Status
from daemon.reports.verdict_text import VerdictWords, view_verdict
from daemon.sprint.runner import current_board
from daemon.store import attempts, findings, sprints
from daemon.store.attempts import AttemptRow
from daemon.store.findings import FindingRow
from daemon.store.sprints import SprintRow
from daemon.web.health import take_health
from daemon.web.watch import Watch
from daemon.workspace.board import Board, BoardEntry, Standing
from daemon.workspace.definitions import KillCriterion

_MOST_ITEMS = 200
_MOST_ROWS = 10
_MOST_FAULTS = 20
_MOST_ATTEMPTS = 20
_LONGEST_ANSWER = 20_000
_ORDER: tuple[Standing, ...] = ("blocked", "eligible", "waiting", "done")


@dataclass(frozen=True)
class Money:
    """Texts in USD; `used_percent` is spent and reserved of the cap, at most 100."""

    spent: str
    reserved: str
    remaining: str
    cap: str
    ends_at: datetime
    used_percent: int


@dataclass(frozen=True)
class CriterionView:
    """A kill criterion and what is counted for it; `days_left` is negative once it is over."""

    criterion: KillCriterion
    days_left: int
    findings: int
    done: int
    items: int


@dataclass(frozen=True)
class Overview:
    """`status` and `money` are None without the database; `standing` is the chosen one or None.

    `quoted` has the paths of the findings that the offline writer only quoted.
    """

    name: str
    at: datetime
    provider: str
    problems: tuple[str, ...]
    status: Status | None
    money: Money | None
    failures_limit: int
    counts: Mapping[str, int]
    standing: str | None
    entries: tuple[BoardEntry, ...]
    entries_more: int
    sprints: tuple[SprintRow, ...]
    findings: tuple[FindingRow, ...]
    quoted: frozenset[str]
    criteria: tuple[CriterionView, ...]
    faults: tuple[Fault, ...]
    faults_more: int


@dataclass(frozen=True)
class ItemView:
    """One item and the newest attempts at it, the newest first, each with its verdict in words."""

    name: str
    entry: BoardEntry
    attempts: tuple[tuple[AttemptRow, VerdictWords | None], ...]


def register(app: Flask, watch: Watch) -> None:
    """/ and /items/<item>."""

    @app.get("/")
    def page() -> str:
        return render_template("overview.html", view=overview(watch, request.args.get("standing")))

    @app.get("/items/<item>")
    def item_page(item: str) -> str:
        return render_template("item.html", view=item_view(watch, item))


def overview(watch: Watch, standing: str | None) -> Overview:
    """The page at /; `standing` narrows the backlog (None or an unknown word: all of it)."""
    services = watch.services
    health = take_health(watch)
    chosen = standing if standing in get_args(Standing) else None
    board = _board(watch) if health.status else Board(())
    found = sorted(
        (entry for entry in board.entries if chosen in (None, entry.standing)),
        key=lambda entry: (_ORDER.index(entry.standing), entry.item.priority),
    )
    faults = watch.faults()
    shown = tuple(findings.list_findings(services.db, limit=_MOST_ROWS)) if health.status else ()
    return Overview(
        name=services.config.daemon.name,
        at=services.clock.now(),
        provider=provider_line(
            services.metered.provider_name, services.metered.describe(), services.phrases
        ),
        problems=health.problems,
        status=health.status,
        money=_money(health.status) if health.status else None,
        failures_limit=services.config.sprint.failures_before_diagnosis,
        counts=dict(board.counts().items()),
        standing=chosen,
        entries=tuple(found[:_MOST_ITEMS]),
        entries_more=max(0, len(found) - _MOST_ITEMS),
        sprints=tuple(sprints.list_sprints(services.db, _MOST_ROWS)) if health.status else (),
        findings=shown,
        quoted=_quoted(watch, shown),
        criteria=_criteria(watch, board) if health.status else (),
        faults=faults[:_MOST_FAULTS],
        faults_more=max(0, len(faults) - _MOST_FAULTS),
    )


def item_view(watch: Watch, item: str) -> ItemView:
    """The page of one item. Ends the request with 404 where the backlog has no such item."""
    entry = next((entry for entry in _board(watch).entries if entry.item.id == item), None)
    if entry is None:
        abort(404, watch.services.phrases.text("page.no_item", item=item[:200]))
    rows = attempts.list_for_item(watch.services.db, item)
    newest = ((row, _verdict_of(watch, row)) for row in reversed(rows[-_MOST_ATTEMPTS:]))
    return ItemView(watch.services.config.daemon.name, entry, tuple(newest))


def when(moment: datetime | None) -> str:
    """A moment for people, always with its zone; empty for None."""
    return f"{moment:%Y-%m-%d %H:%M} UTC" if moment else ""


def span_of(sprint: SprintRow) -> str:
    """When a sprint ran, in one cell: its day, and from when to when."""
    began, ended = sprint.started_at, sprint.ended_at
    if ended is None:
        return f"{began:%Y-%m-%d %H:%M}–"
    same_day = began.date() == ended.date()
    if same_day and f"{began:%H:%M}" == f"{ended:%H:%M}":
        return f"{began:%Y-%m-%d %H:%M}"
    return f"{began:%Y-%m-%d %H:%M}–{ended:{'%H:%M' if same_day else '%Y-%m-%d %H:%M'}}"


def is_quoted(row: AttemptRow) -> bool:
    """Whether it led to a finding that the offline writer only quoted."""
    return row.finding_path is not None and row.model == OFFLINE_MODEL


def shortened(text: str | None) -> str:
    """An answer that fits a page."""
    if text is None or len(text) <= _LONGEST_ANSWER:
        return text or ""
    return text[:_LONGEST_ANSWER] + "…"


def reasons_of(row: AttemptRow) -> tuple[str, ...]:
    """Why an attempt ended without a verdict; the defects of one that an earlier version stored."""
    if row.verdict is None:
        return (row.reason,) if row.reason else ()
    return tuple(str(defect.get("message", "")) for defect in row.verdict.get("defects", ()))


def _verdict_of(watch: Watch, row: AttemptRow) -> VerdictWords | None:
    """None where it has none, or one of an earlier version that cannot be read."""
    if row.verdict is None:
        return None
    try:
        verdict = verdict_from_json(row.verdict)
    except ValueError:
        return None
    services = watch.services
    notes = given_notes(services.db, services.root, row) if verdict.claims else ()
    return view_verdict(verdict, services.phrases, notes)


def _quoted(watch: Watch, rows: Sequence[FindingRow]) -> frozenset[str]:
    models = findings.models_by_attempt(watch.services.db, rows) if rows else {}
    return frozenset(row.path for row in rows if models.get(row.attempt_id) == OFFLINE_MODEL)


def _criteria(watch: Watch, board: Board) -> tuple[CriterionView, ...]:
    services, workspace = watch.services, watch.services.source.latest
    if workspace is None:
        return ()
    found, today = findings.count_by_criterion(services.db), day_of(services.clock.now())
    items = Counter(entry.item.criterion for entry in board.entries)
    done = Counter(e.item.criterion for e in board.entries if e.standing == "done")
    return tuple(
        CriterionView(
            one, (one.deadline - today).days, found.get(one.id, 0), done[one.id], items[one.id]
        )
        for one in workspace.criteria
    )


def _board(watch: Watch) -> Board:
    workspace = watch.services.source.latest
    return current_board(watch.services.sprint_parts, workspace) if workspace else Board(())


def _money(status: Status) -> Money:
    day = status.day
    used = day.spent_micros + day.reserved_micros
    percent = 100 if used >= day.cap_micros and used else 0
    if day.cap_micros and used < day.cap_micros:
        percent = used * 100 // day.cap_micros
    return Money(
        spent=usd_text(day.spent_micros),
        reserved=usd_text(day.reserved_micros),
        remaining=usd_text(day.remaining_micros),
        cap=usd_text(day.cap_micros),
        ends_at=day.ends_at,
        used_percent=percent,
    )
