"""What stands in the stand-in for Notion: pages, data sources, databases, as the API shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.standins import notion_rules as rules
from tests.standins.notion_rules import plain

ME = {
    "object": "user", "id": "0a1b2c3d-0000-4000-8000-0000000000ab", "name": "sprintd", "type": "bot",
    "bot": {"owner": {"type": "workspace", "workspace": True}, "workspace_name": "Venture"},
}  # fmt: skip


@dataclass
class Page:
    """One page of a data source, its blocks in order."""

    id: str
    properties: dict[str, Any]
    blocks: list[dict[str, Any]] = field(default_factory=list)
    source: str = ""
    in_trash: bool = False

    @property
    def full_key(self) -> str:
        return plain(self.properties["External ID"]["rich_text"])

    @property
    def key(self) -> str:
        """Without the workspace's mark."""
        return self.full_key.partition("#")[0]

    @property
    def title(self) -> str:
        return plain(self.properties["title"]["title"])

    @property
    def texts(self) -> list[str]:
        return [plain(block[block["type"]]["rich_text"]) for block in self.blocks]

    def value(self, name: str) -> Any:
        """A property as people see it."""
        found = self.properties[name]
        kind = next(key for key in found if key not in ("id", "type"))
        inner = found[kind]
        if kind in ("rich_text", "title"):
            return plain(inner)
        return inner.get("name", inner.get("start")) if isinstance(inner, dict) else inner


@dataclass
class Source:
    """One data source: the kind of each column by its name."""

    id: str
    columns: dict[str, str]
    name: str = ""


@dataclass
class Database:
    """One database below the shared page."""

    id: str
    title: str
    sources: list[Source]
    created: int
    in_trash: bool = False


def child_blocks(databases: Sequence[Database]) -> list[dict[str, Any]]:
    """The databases as the blocks of the page that they stand on."""
    return [
        {"object": "block", "id": one.id, "type": "child_database", "in_trash": False,
         "created_time": f"2026-11-30T12:00:{one.created:02d}.000Z",
         "child_database": {"title": one.title}}
        for one in databases if not one.in_trash
    ]  # fmt: skip


def same_id(one: str, other: str) -> bool:
    return one.replace("-", "") == other.replace("-", "")


def kinds_of(properties: dict[str, Any]) -> dict[str, str]:
    inner = {name: set(column) & rules.COLUMNS for name, column in properties.items()}
    return {name: kinds.pop() for name, kinds in inner.items()}


def database_facts(database: Database) -> dict[str, Any]:
    return {
        "object": "database", "id": database.id, "in_trash": database.in_trash,
        "title": [{"type": "text", "text": {"content": database.title},
                   "plain_text": database.title}],
        "data_sources": [{"id": one.id, "name": one.name} for one in database.sources],
    }  # fmt: skip


def source_facts(source: Source) -> dict[str, Any]:
    columns = {
        name: {"id": "title" if kind == "title" else f"c{number}", "name": name, "type": kind,
               kind: {}}
        for number, (name, kind) in enumerate(source.columns.items())
    }  # fmt: skip
    return {"object": "data_source", "id": source.id, "properties": columns}
