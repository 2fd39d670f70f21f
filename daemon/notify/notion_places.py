"""The four databases that Notion has of a workspace: their columns, and values in Notion's form.

The names are fixed, whatever the workspace's language: setup knows our columns by them again. A
column is ours by its name and its kind. Columns that people add are never named in a request.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

from daemon.notify.notion_blocks import PIECES_LIMIT, TEXT_LIMIT, rich_text
from daemon.notify.text_parts import cut_text

Place = Literal["backlog", "criteria", "findings", "sprints"]
Value = str | int | None

KEY_PROPERTY = "External ID"  # every page bears its own id in it
TITLE = "title"  # the id of every data source's title property, whatever people call it
OPTION_LIMIT = 100

TITLES: Final[Mapping[Place, str]] = {
    "backlog": "Backlog",
    "criteria": "Kill criteria",
    "findings": "Findings",
    "sprints": "Sprints",
}
KINDS: Final[Mapping[Place, Mapping[str, str]]] = {
    "backlog": {
        "Standing": "select", "Reason": "rich_text", "Priority": "number", "Criterion": "rich_text",
        "Agent": "rich_text", "Question": "rich_text", "Attempts": "number", "Rejections": "number",
        "Cost USD": "number", "Finding": "rich_text",
    },
    "criteria": {
        "Question": "rich_text", "Threshold": "rich_text", "Deadline": "date", "Findings": "number",
        "Eligible": "number", "Waiting": "number", "Blocked": "number", "Done": "number",
    },
    "findings": {
        "Item": "rich_text", "Criterion": "rich_text", "Agent": "rich_text", "Score": "number",
        "Summary": "rich_text", "File": "rich_text", "Sources": "number", "Written": "date",
    },
    "sprints": {
        "State": "select", "Kind": "select", "Focus": "rich_text", "Reason": "rich_text",
        "Accepted": "number", "Rejected": "number", "Cost USD": "number", "Started": "date",
        "Ended": "date",
    },
}  # fmt: skip


def columns(place: Place) -> dict[str, dict[str, Any]]:
    """The columns of a new database in Notion's form, its title among them."""
    return {"Name": {"title": {}}, **{name: _column(kind, name) for name, kind in kinds(place)}}


def missing_columns(place: Place, there: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Those of ours that a data source has under no kind at all."""
    return {name: _column(kind, name) for name, kind in kinds(place) if name not in there}


def foreign_columns(place: Place, there: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of ours that people gave to columns of another kind: these are left alone."""
    return tuple(
        name for name, kind in kinds(place) if name in there and there[name].get("type") != kind
    )


def kinds(place: Place) -> tuple[tuple[str, str], ...]:
    """Name and kind of every column of ours but the title."""
    return ((KEY_PROPERTY, "rich_text"), *KINDS[place].items())


def page_values(
    title: str,
    key: str,
    values: Mapping[str, Value],
    place: Place,
    there: Mapping[str, Any],
    left_out: Callable[[int], str] = "… +{:,}".format,
) -> dict[str, Any]:
    """The properties of one page in Notion's form: only columns of ours that are there.

    `there` is the data source's schema. A value of None empties its column; a number may be
    given as its digits. A text that no column takes whole ends in the words of `left_out` for so many
    characters.
    """
    wanted = {name: kind for name, kind in KINDS[place].items() if name in values}
    found = {
        name: _value(kind, values[name], left_out)
        for name, kind in wanted.items()
        if there.get(name, {}).get("type") == kind
    }
    return {**named(title, key), **found}


def named(title: str, key: str) -> dict[str, Any]:
    """What every page bears."""
    words = " ".join(title.split())
    return {
        TITLE: {"title": rich_text(cut_text(words or key, TEXT_LIMIT))},
        KEY_PROPERTY: {"rich_text": rich_text(key)},
    }


def _column(kind: str, name: str) -> dict[str, Any]:
    return {kind: {"format": "dollar"} if name.endswith(" USD") else {}}


def _value(kind: str, value: Value, left_out: Callable[[int], str]) -> dict[str, Any]:
    if kind == "rich_text":
        return {kind: _in_a_column(rich_text(str(value or "")), left_out)}
    if value is None or value == "":
        return {kind: None}
    if kind == "select":  # a comma would part it in two
        name = " ".join(str(value).replace(",", ";").split())
        return {kind: {"name": cut_text(name, OPTION_LIMIT)} if name else None}
    if kind == "date":
        return {kind: {"start": str(value)}}
    return {kind: float(value) if isinstance(value, str) else value}


def _in_a_column(pieces: list[dict[str, Any]], left_out: Callable[[int], str]) -> list[Any]:
    """A column takes no more than 100 pieces, and a page's body has no limit, so it is said."""
    if len(pieces) <= PIECES_LIMIT:
        return pieces
    kept, rest = pieces[: PIECES_LIMIT - 1], pieces[PIECES_LIMIT - 1 :]
    count = sum(len(piece["text"]["content"]) for piece in rest)
    return [*kept, *rich_text(cut_text(left_out(count), TEXT_LIMIT))]
