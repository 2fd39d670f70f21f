"""Counting the backlog is the same with and without a board of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import product

from daemon.store.items import ItemState
from daemon.workspace.board import count_standings, read_board
from daemon.workspace.definitions import Workspace
from daemon.workspace.loader import load_workspace
from tests.workspaces import NOON, ROOT


def spoilt(workspace: Workspace) -> Workspace:
    """Items with every reason to wait, alone and together."""
    day = NOON.date()
    items = []
    for number, item in enumerate(workspace.items):
        needs = (workspace.items[number - 1].id,) if number % 3 == 1 else ()
        later = day + timedelta(days=number - 5) if number % 4 == 0 else None
        waiting = "a letter" if number % 7 == 0 else ""
        items.append(replace(item, depends_on=needs, not_before=later, waiting_for=waiting))
    return replace(workspace, items=tuple(items))


def some_states(workspace: Workspace) -> Iterator[dict[str, ItemState]]:
    """None, some and many done or blocked; and one of an item that is gone."""
    for done, blocked in product((0, 3, 2), (0, 5)):
        states = {"GONE": ItemState("GONE", "done", 0, "", NOON)}
        for number, item in enumerate(workspace.items):
            if done and number % done == 0:
                states[item.id] = ItemState(item.id, "done", 0, "", NOON)
            elif blocked and number % blocked == 0:
                states[item.id] = ItemState(item.id, "blocked", 3, "too short", NOON)
            elif number % 2:
                states[item.id] = ItemState(item.id, "open", 1, "", NOON)
        yield states


def test_the_quick_count_is_the_boards() -> None:
    """For every mixture of reasons to wait, done, blocked and rejected items."""
    workspace = spoilt(load_workspace(ROOT))
    seen = set()
    for states in some_states(workspace):
        for days in (-10, 0, 10, 40):
            today = NOON.date() + timedelta(days=days)
            counted = count_standings(workspace, states, today)
            assert counted == read_board(workspace, states, today).counts()
            assert sum(counted.values()) == len(workspace.items)
            seen.add(tuple(counted.values()))
    assert len(seen) > 10
