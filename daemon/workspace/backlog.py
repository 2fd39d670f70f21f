"""backlog.yaml: the research tasks, intent only."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Annotated

from pydantic import Field

from daemon.workspace.definitions import BacklogItem
from daemon.workspace.entries import Entry, Id, Parsed, Text, Words
from daemon.workspace.list_file import load_list

BACKLOG_FILE = "backlog.yaml"


class ItemEntry(Entry):
    """One entry below `items:`. The meaning of each key stands at BacklogItem."""

    id: Id
    title: Words
    question: Text
    agent: str
    criterion: str
    playbook: str
    priority: Annotated[int, Field(ge=1, le=5)]
    added_on: date
    needs: tuple[Annotated[str, Field(min_length=1)], ...] = ()
    depends_on: tuple[str, ...] = ()
    waiting_for: str = ""
    not_before: date | None = None


def load_backlog(root: Path) -> Parsed[BacklogItem]:
    """All sound items in the file's order, and the faults of the others."""
    return load_list(root, BACKLOG_FILE, "items", ItemEntry, build_item)


def build_item(entry: ItemEntry) -> BacklogItem:
    return BacklogItem(
        id=entry.id,
        title=entry.title,
        question=entry.question,
        agent=entry.agent,
        criterion=entry.criterion,
        playbook=entry.playbook,
        priority=entry.priority,
        added_on=entry.added_on,
        needs=entry.needs,
        depends_on=entry.depends_on,
        waiting_for=entry.waiting_for.strip(),
        not_before=entry.not_before,
    )
