"""The page of one sprint: the plan and who made it, and for each assignment all that was seen and said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flask import Flask, abort, render_template

from daemon.quality.verdict_json import verdict_from_json
from daemon.reports.verdict_text import VerdictWords
from daemon.store import api_calls, attempts, sprints, texts
from daemon.store.api_calls import CallRow
from daemon.store.attempts import AttemptRow
from daemon.store.sprints import SprintRow
from daemon.web.judged import verdict_of
from daemon.web.marked_text import MarkedText, mark_text
from daemon.web.watch import Watch
from daemon.web.wording import cents

MOST_CALLS = 50
MOST_ATTEMPTS = 12
_PARTS = ("system", "task")


@dataclass(frozen=True)
class CallView:
    """One model call; `cost` is in USD, empty while it is under way."""

    row: CallRow
    cost: str


@dataclass(frozen=True)
class AttemptView:
    """One attempt of the sprint. `prompt` has (part, text) as the model was given it, as far as it is
    kept. `output` is the marked text, None before it was judged. `cost` is in USD, empty for none."""

    row: AttemptRow
    title: str
    verdict: VerdictWords | None
    output: MarkedText | None
    prompt: tuple[tuple[str, str], ...]
    cost: str


@dataclass(frozen=True)
class SprintView:
    """`plan` is empty before planning. `older` and `newer` are the numbers beside it, None at the ends.

    `calls_more` counts the calls behind the first 50, `attempts_more` the attempts behind the first 12.
    """

    row: SprintRow
    plan: Mapping[str, Any]
    attempts: tuple[AttemptView, ...]
    attempts_more: int
    calls: tuple[CallView, ...]
    calls_more: int
    cost: str
    older: int | None
    newer: int | None


def register(app: Flask, watch: Watch) -> None:
    """/sprints/<number>"""

    @app.get("/sprints/<int:sprint>")
    def sprint_page(sprint: int) -> str:
        return render_template("sprint.html", view=sprint_view(watch, sprint))


def sprint_view(watch: Watch, sprint_id: int) -> SprintView:
    """Ends the request with 404 where there is no such sprint."""
    services = watch.services
    row = sprints.find_sprint(services.db, sprint_id) if sprint_id < 2**62 else None
    if row is None:
        abort(404, services.phrases.text("sprints.unknown", id=sprint_id))
    calls = api_calls.list_for_sprint(services.db, sprint_id)
    found = attempts.list_for_sprint(services.db, sprint_id)
    older, newer = sprints.neighbours(services.db, sprint_id)
    return SprintView(
        row=row,
        plan=row.plan or {},
        attempts=tuple(_attempt(watch, one, calls) for one in found[:MOST_ATTEMPTS]),
        attempts_more=max(0, len(found) - MOST_ATTEMPTS),
        calls=tuple(CallView(one, cents(one.cost_micros)) for one in calls[:MOST_CALLS]),
        calls_more=max(0, len(calls) - MOST_CALLS),
        cost=cents(sum(one.cost_micros or 0 for one in calls)),
        older=older,
        newer=newer,
    )


def _attempt(watch: Watch, row: AttemptRow, calls: list[CallRow]) -> AttemptView:
    # The calls of an attempt have keys below the key of the effect that it was made for.
    mine = [one for one in calls if one.reservation_key.startswith(f"{row.effect_key}/")]
    return AttemptView(
        row=row,
        title=str(row.prompt.get("title") or ""),
        verdict=verdict_of(watch, row),
        output=_marked(row),
        prompt=tuple(_prompt(watch, row)),
        cost=cents(sum(one.cost_micros or 0 for one in mine)) if mine else "",
    )


def _marked(row: AttemptRow) -> MarkedText | None:
    if row.verdict is None:
        return None
    try:
        return mark_text(verdict_from_json(row.verdict))
    except ValueError:  # of an earlier version
        return None


def _prompt(watch: Watch, row: AttemptRow) -> list[tuple[str, str]]:
    kept = ((name, row.prompt.get(name)) for name in _PARTS)
    found = ((name, texts.find_text(watch.services.db, str(sha))) for name, sha in kept if sha)
    return [(name, text) for name, text in found if text]
