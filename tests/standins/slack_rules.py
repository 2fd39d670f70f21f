"""What Slack refuses in a message, as its documents say and as users met it; for the stand-in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

MOST_BLOCKS = 50
SECTION_CHARACTERS = 3_000
HEADER_CHARACTERS = 150
ALL_BLOCKS_CHARACTERS = 13_200  # of no document; from users who met it
MOST_ELEMENTS = 25
MOST_CONTEXT_ELEMENTS = 10

# Of each kind of object: its fields, and those that it must have.
_FIELDS: dict[str, tuple[set[str], set[str]]] = {
    "section": ({"type", "text", "block_id", "fields", "accessory", "expand"}, {"text"}),
    "header": ({"type", "text", "block_id"}, {"text"}),
    "context": ({"type", "elements", "block_id"}, {"elements"}),
    "actions": ({"type", "elements", "block_id"}, {"elements"}),
    "divider": ({"type", "block_id"}, set()),
    "button": (
        {"type", "text", "action_id", "url", "value", "style", "confirm", "accessibility_label"},
        {"text"},
    ),
    "plain_text": ({"type", "text", "emoji"}, {"text"}),
    "mrkdwn": ({"type", "text", "verbatim"}, {"text"}),
}


def units(text: str) -> int:
    """As Slack counts: UTF-16."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def message_faults(body: Mapping[str, Any]) -> Iterator[str]:
    """Slack's words for all that is wrong with what is to be posted."""
    blocks = body.get("blocks")
    if not blocks and not str(body.get("text") or "").strip():
        yield "no_text"
    if blocks is not None and (not isinstance(blocks, list) or len(blocks) > MOST_BLOCKS):
        yield "invalid_blocks"
        return
    if not all(map(_is_sound_block, blocks or ())) or not _names_differ(blocks or ()):
        yield "invalid_blocks"
        return
    if sum(units(text) for text in texts_of(blocks or ())) > ALL_BLOCKS_CHARACTERS:
        yield "msg_blocks_too_long"
    metadata = body.get("metadata", {})
    if metadata and not (
        isinstance(metadata.get("event_type"), str)
        and isinstance(metadata.get("event_payload"), dict)
    ):
        yield "invalid_metadata_format"


def texts_of(blocks: Any) -> Iterator[str]:
    """Every text of blocks that is sent, labels, values and addresses too, still escaped."""
    if isinstance(blocks, dict):
        for name, value in blocks.items():
            if name in ("text", "value", "url") and isinstance(value, str):
                yield value
            else:
                yield from texts_of(value)
    elif isinstance(blocks, list):
        for one in blocks:
            yield from texts_of(one)


def _is_sound_block(block: Any) -> bool:
    if not _has_its_fields(block, ("section", "header", "context", "actions", "divider")):
        return False
    if block["type"] == "section":
        return _is_text(block["text"], SECTION_CHARACTERS)
    if block["type"] == "header":
        return _is_text(block["text"], HEADER_CHARACTERS, "plain_text")
    elements = block.get("elements", [])
    if block["type"] == "context":
        sound = all(_is_text(one, SECTION_CHARACTERS) for one in elements)
        return sound and 1 <= len(elements) <= MOST_CONTEXT_ELEMENTS
    if block["type"] == "actions":
        return all(map(_is_button, elements)) and 1 <= len(elements) <= MOST_ELEMENTS
    return True


def _is_button(button: Any) -> bool:
    if not _has_its_fields(button, ("button",)) or not _is_text(button["text"], 75, "plain_text"):
        return False
    limits = {"action_id": 255, "value": 2_000, "url": 3_000}
    sizes = all(
        1 <= units(button[name]) <= limit for name, limit in limits.items() if name in button
    )
    return (
        sizes
        and button.get("style", "primary") in ("primary", "danger")
        and _is_confirm(button.get("confirm"))
    )


def _is_confirm(confirm: Any) -> bool:
    if confirm is None:
        return True
    if not isinstance(confirm, dict) or set(confirm) - {"style"} != {
        "title", "text", "confirm", "deny"}:  # fmt: skip
        return False
    return (
        _is_text(confirm["title"], 100, "plain_text")
        and _is_text(confirm["text"], 300)
        and _is_text(confirm["confirm"], 30, "plain_text")
        and _is_text(confirm["deny"], 30, "plain_text")
    )


def _names_differ(blocks: list[Any]) -> bool:
    """No action_id twice in a message, and no block_id."""
    actions = [one["action_id"] for block in blocks if block["type"] == "actions"
               for one in block["elements"] if "action_id" in one]  # fmt: skip
    ids = [block["block_id"] for block in blocks if "block_id" in block]
    return len(set(actions)) == len(actions) and len(set(ids)) == len(ids)


def _is_text(text: Any, limit: int, *types: str) -> bool:
    if not _has_its_fields(text, types or ("mrkdwn", "plain_text")):
        return False
    return isinstance(text["text"], str) and 1 <= units(text["text"]) <= limit


def _has_its_fields(found: Any, types: tuple[str, ...]) -> bool:
    if not isinstance(found, dict) or found.get("type") not in types:
        return False
    known, needed = _FIELDS[found["type"]]
    return needed <= set(found) <= known | {"type"}
