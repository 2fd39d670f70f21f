"""The page of one backlog item: what is asked, every attempt, and what they cost."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Flask, abort, render_template

from daemon.reports.verdict_text import VerdictWords
from daemon.store import api_calls, attempts
from daemon.store.attempts import AttemptRow
from daemon.web.backlog import board_of
from daemon.web.judged import verdict_of
from daemon.web.watch import Watch
from daemon.web.wording import cents
from daemon.workspace.board import BoardEntry

MOST_ATTEMPTS = 20


@dataclass(frozen=True)
class AttemptView:
    """`cost` is in USD what its sprint paid for this item; empty where no call was made for it."""

    row: AttemptRow
    verdict: VerdictWords | None
    cost: str


@dataclass(frozen=True)
class ItemView:
    """One item and its newest attempts, the newest first; `older` counts those that are not shown.

    `cost` is what all attempts cost, in USD. `is_under_way`: one of them has no end yet.
    """

    entry: BoardEntry
    criterion: str
    attempts: tuple[AttemptView, ...]
    older: int
    cost: str
    is_under_way: bool


def register(app: Flask, watch: Watch) -> None:
    """/items/<item>"""

    @app.get("/items/<item>")
    def item_page(item: str) -> str:
        return render_template("item.html", view=item_view(watch, item))


def item_view(watch: Watch, item: str) -> ItemView:
    """The page of one item. Ends the request with 404 where the backlog has no such item."""
    entry = next((entry for entry in board_of(watch).entries if entry.item.id == item), None)
    if entry is None:
        abort(404, watch.services.phrases.text("page.no_item", item=item[:200]))
    db = watch.services.db
    rows = attempts.list_newest_for_item(db, item, MOST_ATTEMPTS)
    costs = api_calls.costs_of_item(db, item)
    return ItemView(
        entry=entry,
        criterion=_name_of_criterion(watch, entry),
        attempts=tuple(
            AttemptView(row, verdict_of(watch, row), cents(costs.get(row.sprint_id)))
            for row in rows
        ),
        older=rows[-1].number - 1 if rows else 0,
        cost=cents(sum(costs.values())),
        is_under_way=any(row.ended_at is None for row in rows),
    )


def _name_of_criterion(watch: Watch, entry: BoardEntry) -> str:
    workspace = watch.services.source.latest
    criteria = workspace.criteria if workspace else ()
    return next((one.name for one in criteria if one.id == entry.item.criterion), "")
