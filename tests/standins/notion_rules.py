"""What Notion accepts: shapes, limits and its own words for what it does not accept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tests.standins.far_side import Answer

MOST_CHILDREN = 100
MOST_PIECES = 100
MOST_BLOCKS = 1_000
TEXT_CHARACTERS = 2_000
URL_CHARACTERS = 2_000
OPTION_CHARACTERS = 100
PAYLOAD_BYTES = 500_000
BLOCKS = {
    "paragraph", "heading_1", "heading_2", "heading_3", "bulleted_list_item",
    "numbered_list_item", "quote",
}  # fmt: skip
COLUMNS = {"title", "rich_text", "number", "select", "date", "url", "checkbox", "people", "status"}
CREATE_KEYS = {"parent", "properties", "icon", "cover", "content", "children", "markdown",
             "template", "position"}  # fmt: skip
UPDATE_KEYS = {"properties", "icon", "cover", "is_locked", "template", "erase_content", "in_trash"}
DATABASE_KEYS = {"parent", "title", "description", "is_inline", "initial_data_source", "icon",
                  "cover"}  # fmt: skip


def error(status: int, code: str, message: str, headers: Mapping[str, str] | None = None,
          **more: Any) -> Answer:  # fmt: skip
    """Notion's own form of an error."""
    body = {"object": "error", "status": status, "code": code, "message": message, **more}
    return Answer(status, body, headers or {})


def missing(kind: str, found: str) -> Answer:
    words = (
        f"Could not find {kind} with ID: {found}. Make sure the relevant pages and databases are "
        "shared with your integration."
    )
    return error(404, "object_not_found", words)


def invalid(words: str) -> Answer:
    return error(400, "validation_error", words)


def in_trash() -> Answer:
    return invalid(
        "Can't edit block that is archived. You must unarchive the block before editing."
    )


def full() -> Answer:
    words = "This workspace has reached its block limit. Upgrade to a paid plan to add content."
    return error(403, "restricted_resource", words)


def many_sources() -> Answer:
    return invalid("Databases with multiple data sources are not supported in this API version.")


def unknown_keys(body: Mapping[str, Any], allowed: set[str]) -> Iterator[Answer]:
    for key in sorted(set(body) - allowed):
        yield invalid(f"body failed validation: body.{key} should be not present.")


def plain(pieces: list[dict[str, Any]]) -> str:
    return "".join(piece["text"]["content"] for piece in pieces)


def units(text: str) -> int:
    """As JavaScript counts."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def block_faults(children: Any) -> Iterator[str]:
    if not isinstance(children, list) or len(children) > MOST_CHILDREN:
        yield f"body.children.length should be ≤ `{MOST_CHILDREN}`"
        return
    for number, block in enumerate(children):
        kind = block.get("type")
        place = f"body.children[{number}]"
        if kind not in BLOCKS or set(block) - {"object", "type", kind}:
            yield f"{place}.type should be a kind of block, instead was `{kind}`"
            return
        yield from piece_faults(block[kind]["rich_text"], f"{place}.{kind}.rich_text")


def piece_faults(pieces: Any, place: str) -> Iterator[str]:
    if not isinstance(pieces, list) or len(pieces) > MOST_PIECES:
        yield f"{place}.length should be ≤ `{MOST_PIECES}`"
        return
    for number, piece in enumerate(pieces):
        found = units(piece["text"]["content"])
        try:
            piece["text"]["content"].encode("utf-8")
        except UnicodeEncodeError:
            yield f"{place}[{number}].text.content is cut inside a character"
        if found > TEXT_CHARACTERS:
            yield (
                f"{place}[{number}].text.content.length should be ≤ `{TEXT_CHARACTERS}`, "
                f"instead was `{found}`"
            )


def property_faults(properties: Mapping[str, Any], schema: Mapping[str, str]) -> Iterator[str]:
    """`schema` has the kind of each column; the title goes by its name or its id."""
    for name, value in properties.items():
        kind = "title" if name == "title" else schema.get(name)
        if kind is None:
            yield f"{name} is not a property that exists."
        elif not isinstance(value, dict) or set(value) - {"type", "id"} != {kind}:
            yield f"{name} is expected to be {kind}."
        else:
            yield from _value_faults(kind, value[kind], f"body.properties.{name}.{kind}")


def _value_faults(kind: str, value: Any, place: str) -> Iterator[str]:
    if kind in ("title", "rich_text"):
        yield from piece_faults(value, place)
    elif value is None:
        return
    elif kind == "number" and (isinstance(value, bool) or not isinstance(value, int | float)):
        yield f"{place} should be a number"
    elif kind == "url" and len(value) > URL_CHARACTERS:
        yield f"{place}.length should be ≤ `{URL_CHARACTERS}`"
    elif kind == "date" and not str(value.get("start", ""))[:4].isdigit():
        yield f"{place}.start should be a valid ISO 8601 date string"
    elif kind == "select":
        name = value.get("name", "")
        if not name or len(name) > OPTION_CHARACTERS:
            yield f"{place}.name.length should be ≤ `{OPTION_CHARACTERS}`"
        if "," in name:
            yield "Invalid select option, commas not allowed"


def column_faults(properties: Any) -> Iterator[str]:
    """Of the columns of a new data source, or more columns."""
    for name, column in properties.items():
        kinds = set(column) - {"name", "description", "type"}
        if len(kinds) != 1 or not kinds <= COLUMNS:
            yield f"body.properties.{name} should be a kind of property"
