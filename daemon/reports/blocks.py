"""A report's text in blocks, for whatever shows more than lines: Markdown files and printed pages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from daemon.config.visible import visible

Kind = Literal["title", "heading", "text", "item", "code"]

_ITEM = re.compile(r" {0,3}- +(.*)")
_FENCE = "```"
_MARKS = re.compile(r"[\\`*\[<~|]|(?<!\w)_|_(?!\w)")
_FIRST = re.compile(r"^(?:(\d{1,9})(?=[.)](?: |$))|(?=[#>+=-]))")


@dataclass(frozen=True)
class Block:
    """A line of text; an item or a `code` block may have several."""

    kind: Kind
    lines: tuple[str, ...]


def blocks_of(body: str) -> list[Block]:
    """The first line is the title, and one that an item follows is a heading.

    What is indented below an item belongs to it. Only a line that is a fence and nothing else opens
    and closes code, and no line by a model is one: those are behind words of ours, or indented. What
    nobody sees stands as its number.
    """
    found = list(_read(visible(body).splitlines()))
    if found and found[0].kind == "text":
        found[0] = Block("title", found[0].lines)
    for at, (one, behind) in enumerate(pairwise(found)):
        if one.kind == "text" and behind.kind == "item":
            found[at] = Block("heading", one.lines)
    return found


def report_markdown(body: str) -> str:
    """A report as a Markdown file: with headings and lists, and with nothing in it that becomes a
    link, a picture or HTML, whoever wrote it."""
    parts: list[str] = []
    before: Kind = "text"
    for block in blocks_of(body):
        gap = "\n" if block.kind == before == "item" else "\n\n"
        parts += [gap if parts else "", _markdown(block)]
        before = block.kind
    return "".join(parts) + "\n"


def _read(lines: Sequence[str]) -> Iterator[Block]:
    item: list[str] = []
    code: list[str] | None = None
    for line in lines:
        if code is not None:
            if line == _FENCE:
                yield Block("code", tuple(code))
                code = None
            else:
                code.append(line)
            continue
        entry = _ITEM.fullmatch(line)
        if item and not entry and line.startswith("    "):
            item.append(line.strip())
            continue
        if item:
            yield Block("item", tuple(item))
        item = [entry[1]] if entry else []
        if line == _FENCE:
            code = []
        elif not entry and line.strip():
            yield Block("text", (line.strip(),))
    if item or code:
        yield Block("item" if item else "code", tuple(item or code or ()))


def _markdown(block: Block) -> str:
    if block.kind == "code":
        return "\n".join([_FENCE, *block.lines, _FENCE])
    text = [_inert(line) for line in block.lines]
    if block.kind == "item":
        return "- " + "\\\n  ".join(text)
    return {"title": "# ", "heading": "## "}.get(block.kind, "") + text[0]


def _inert(line: str) -> str:
    """The line as a reader shows it, letter for letter."""
    escaped = _MARKS.sub(lambda found: "\\" + found.group(), line)
    return _FIRST.sub(
        lambda found: f"{found[1] or ''}\\", escaped
    )  # no heading, quotation or list within the line
