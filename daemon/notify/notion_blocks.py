"""Markdown as Notion's blocks, within its limits and without losing anything."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from daemon.config.visible import visible
from daemon.notify.text_parts import split_text

TEXT_LIMIT = 2_000  # UTF-16 units in one piece of rich text
PIECES_LIMIT = 100  # pieces in one block
CHILDREN_LIMIT = 100  # blocks in one request
REQUEST_BYTES = 400_000  # Notion takes 500 KB; the rest of the request needs some

_FORMS = (
    (re.compile(r"#{3,6} +(.*)"), "heading_3"),
    (re.compile(r"## +(.*)"), "heading_2"),
    (re.compile(r"# +(.*)"), "heading_1"),
    (re.compile(r"\s*[-*+] +(.*)"), "bulleted_list_item"),
    (re.compile(r"\s*\d{1,9}[.)] +(.*)"), "numbered_list_item"),
    (re.compile(r"> ?(.*)"), "quote"),
)


def blocks_of(markdown: str) -> list[dict[str, Any]]:
    """One block for each heading, list item, quote, and run of other lines; text stays text."""
    blocks: list[dict[str, Any]] = []
    for kind, text in _runs(markdown):
        blocks += [_block(kind, pieces) for pieces in _fitting(rich_text(text))]
    return blocks


def rich_text(text: str) -> list[dict[str, Any]]:
    """The text in pieces that Notion takes; joined, they are the text, where what nobody sees, or
    nobody can send, stands as its number."""
    shown = visible(text)
    return [{"type": "text", "text": {"content": part}} for part in split_text(shown, TEXT_LIMIT)]


def batches(blocks: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """The blocks in order, in as few requests as Notion allows; none for no blocks."""
    found: list[list[dict[str, Any]]] = []
    size = 0
    for block in blocks:
        more = len(json.dumps(block))
        if not found or len(found[-1]) == CHILDREN_LIMIT or size + more > REQUEST_BYTES:
            found.append([])
            size = 0
        found[-1].append(block)
        size += more
    return found


def _fitting(pieces: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """The pieces as one block may have them: no more than 100, and no more than a request takes."""
    group: list[dict[str, Any]] = []
    size = 0
    for piece in pieces:
        more = len(json.dumps(piece))
        if group and (len(group) == PIECES_LIMIT or size + more > REQUEST_BYTES):
            yield group
            group, size = [], 0
        group.append(piece)
        size += more
    if group:
        yield group


def _runs(markdown: str) -> Iterator[tuple[str, str]]:
    """Kind and text of each block; lines that belong to no form are one paragraph until a blank."""
    plain: list[str] = []
    for line in [*markdown.splitlines(), ""]:
        kind, text = _form_of(line)
        if kind == "paragraph" and text.strip():
            plain.append(text.rstrip())
            continue
        if plain:
            yield "paragraph", "\n".join(plain)
            plain = []
        if text.strip():
            yield kind, text.strip()


def _form_of(line: str) -> tuple[str, str]:
    for form, kind in _FORMS:
        found = form.fullmatch(line)
        if found:
            return kind, found[1]
    return "paragraph", line


def _block(kind: str, pieces: list[dict[str, Any]]) -> dict[str, Any]:
    return {"object": "block", "type": kind, kind: {"rich_text": pieces}}
