"""The page at /sprints: every sprint, the newest first, narrowed by how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

from flask import Flask, render_template, request, url_for

from daemon.store import api_calls, attempts, sprints
from daemon.store.sprints import SprintRow, SprintState
from daemon.web.watch import Watch
from daemon.web.wording import cents, number_of

MOST_ON_PAGE = 50
STATES: tuple[SprintState, ...] = get_args(SprintState)


@dataclass(frozen=True)
class SprintLine:
    """`counts` are its attempts by state, without zeros. `cost` is in USD, empty where no call was made.

    `items` are those that its plan names.
    """

    row: SprintRow
    focus: str
    items: tuple[str, ...]
    counts: Mapping[str, int]
    cost: str


@dataclass(frozen=True)
class SprintsView:
    """`state` is the one that is looked at, None for all; `older` and `newest` are addresses or empty."""

    lines: tuple[SprintLine, ...]
    state: SprintState | None
    states: tuple[tuple[str, str, bool], ...]
    newest: str
    older: str


def register(app: Flask, watch: Watch) -> None:
    """/sprints"""

    @app.get("/sprints")
    def sprints_page() -> str:
        return render_template("sprints.html", view=sprints_view(watch, request.args))


def sprints_view(watch: Watch, asked: Mapping[str, str]) -> SprintsView:
    """`asked` may have `state` and `before` (a sprint's number); what is none does not narrow."""
    db = watch.services.db
    state = next((one for one in STATES if one == asked.get("state")), None)
    before = number_of(asked.get("before"))
    found = sprints.list_page(db, MOST_ON_PAGE + 1, state=state, before_id=before)
    rows = found[:MOST_ON_PAGE]
    ids = [row.id for row in rows]
    costs = api_calls.costs_of_sprints(db, ids)
    counts = attempts.count_for_sprints(db, ids)
    is_cut = len(found) > MOST_ON_PAGE
    return SprintsView(
        lines=tuple(_line(row, counts.get(row.id, {}), costs.get(row.id)) for row in rows),
        state=state,
        states=_choices(watch, state),
        newest=url_for("sprints_page", state=state) if before is not None else "",
        older=url_for("sprints_page", state=state, before=rows[-1].id) if is_cut else "",
    )


def _line(row: SprintRow, counts: Mapping[str, int], micros: int | None) -> SprintLine:
    plan = row.plan or {}
    return SprintLine(
        row,
        focus=str(row.focus or plan.get("focus") or ""),
        items=tuple(str(one.get("item", "")) for one in plan.get("assignments", ())),
        counts=counts,
        cost=cents(micros),
    )


def _choices(watch: Watch, state: SprintState | None) -> tuple[tuple[str, str, bool], ...]:
    say = watch.services.phrases.text
    every = (say("page.all"), url_for("sprints_page"), state is None)
    each = (
        (say(f"page.sprint_{one}"), url_for("sprints_page", state=one), one == state)
        for one in STATES
    )
    return (every, *each)
