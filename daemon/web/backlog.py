"""The page at /backlog: every item and where it stands; filters in the address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from flask import Flask, render_template, request, url_for

from daemon.sprint.runner import current_board
from daemon.web.watch import Watch
from daemon.workspace.board import Board, BoardEntry, Standing

MOST_IN_COLUMN = 25
MOST_ON_PAGE = 100
# What needs a person stands first.
ORDER: tuple[Standing, ...] = ("blocked", "eligible", "waiting", "done")
_LONGEST_FILTER = 200


@dataclass(frozen=True)
class Filters:
    """Empty fields and None do not narrow. `text` is looked for in id, title and question."""

    standing: Standing | None = None
    criterion: str = ""
    agent: str = ""
    text: str = ""

    def admit(self, entry: BoardEntry) -> bool:
        item = entry.item
        return (
            self.standing in (None, entry.standing)
            and self.criterion in ("", item.criterion)
            and self.agent in ("", item.agent)
            and self.text.casefold() in f"{item.id} {item.title} {item.question}".casefold()
        )


@dataclass(frozen=True)
class Column:
    """One standing of the board; `more` is how many items do not stand in it."""

    standing: Standing
    count: int
    entries: tuple[BoardEntry, ...]
    more: int
    address: str


@dataclass(frozen=True)
class BacklogView:
    """`columns` is the board; with a standing chosen it has that one column, page by page.

    `criteria` and `agents` are the filters' choices: id and name.
    """

    filters: Filters
    criteria: tuple[tuple[str, str], ...]
    agents: tuple[str, ...]
    columns: tuple[Column, ...]
    found: int
    all: int
    newer: str
    older: str


def register(app: Flask, watch: Watch) -> None:
    """/backlog"""

    @app.get("/backlog")
    def backlog_page() -> str:
        return render_template("backlog.html", view=backlog_view(watch, request.args))


def board_of(watch: Watch) -> Board:
    """The board as it stands now; empty where no workspace could be loaded."""
    workspace = watch.services.source.latest
    return current_board(watch.services.sprint_parts, workspace) if workspace else Board(())


def backlog_view(watch: Watch, asked: Mapping[str, str]) -> BacklogView:
    """`asked` has the filters' fields and `page` (from 1); words that are none do not narrow."""
    board, filters, page = board_of(watch), _read(asked), _page_of(asked)
    found = sorted(filter(filters.admit, board.entries), key=lambda entry: entry.item.priority)
    first = (page - 1) * MOST_ON_PAGE if filters.standing else 0
    workspace = watch.services.source.latest
    return BacklogView(
        filters=filters,
        criteria=tuple((one.id, one.name) for one in workspace.criteria) if workspace else (),
        agents=tuple(sorted({entry.item.agent for entry in board.entries})),
        columns=tuple(_columns(filters, found, first)),
        found=len(found),
        all=len(board.entries),
        newer=_address(filters, page - 1) if first else "",
        older=_address(filters, page + 1) if _is_cut(filters, found, first) else "",
    )


def _read(asked: Mapping[str, str]) -> Filters:
    chosen: dict[str, Standing] = {name: name for name in ORDER}
    return Filters(
        chosen.get(asked.get("standing", "")),
        asked.get("criterion", "")[:_LONGEST_FILTER],
        asked.get("agent", "")[:_LONGEST_FILTER],
        asked.get("text", "").strip()[:_LONGEST_FILTER],
    )


def _page_of(asked: Mapping[str, str]) -> int:
    text = asked.get("page", "1")
    return max(1, int(text)) if text.isascii() and text.isdecimal() and len(text) < 6 else 1


def _columns(filters: Filters, found: list[BoardEntry], first: int) -> list[Column]:
    most = MOST_ON_PAGE if filters.standing else MOST_IN_COLUMN
    columns = []
    for standing in (filters.standing,) if filters.standing else ORDER:
        entries = [entry for entry in found if entry.standing == standing]
        shown = tuple(entries[first : first + most])
        address = _address(replace(filters, standing=standing), 1)
        more = 0 if filters.standing else len(entries) - len(shown)
        columns.append(Column(standing, len(entries), shown, more, address))
    return columns


def _is_cut(filters: Filters, found: list[BoardEntry], first: int) -> bool:
    return bool(filters.standing) and len(found) > first + MOST_ON_PAGE


def _address(filters: Filters, page: int) -> str:
    asked: dict[str, Any] = {name: value for name, value in vars(filters).items() if value}
    if page > 1:
        asked["page"] = page
    return url_for("backlog_page", **asked)
