"""Which parts of a text are not its author's own prose: code, quotes, tables, headings, references."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from daemon.quality.limits_told import limits_told
from daemon.quality.reported_speech import afterwards, reported_speech

MaskKind = Literal["code", "quote", "table", "heading", "references", "speech", "outlook"]

_FENCE = re.compile(r"[ \t]{0,8}(`{3,}|~{3,})")
_HEADING = re.compile(
    r"[ \t]{0,3}#{1,6}[ \t]+\S|[ \t]{0,3}(?:\*\*|__)[^*_\n]{1,120}(?:\*\*|__):?[ \t]*$"
)
_REFERENCES = re.compile(
    r"[ \t#*_\d.)]{0,40}(?:references?|sources?|bibliography|works cited|citations?|notes"
    r"|referencias?(?: bibliogr[aá]ficas)?|fuentes?(?: consultadas| citadas)?|bibliograf[ií]a"
    r"|参考\w*|資料|来源)[ \t*_:]*$",
    re.IGNORECASE,
)
_INLINE = re.compile(  # each begins with its mark, so that the search skips from mark to mark
    r"`[^`\n]{1,400}`"
    r"|\"(?<![\w\"]\")[^\"\n]{1,600}\"(?!\w)"
    r"|«[^»\n]{1,600}»"
    r"|'(?<![\w']')[^'\n]{2,200}'(?![\w'])"
)


@dataclass(frozen=True)
class Mask:
    """A place that prose patterns do not look at, [start, end)."""

    kind: MaskKind
    start: int
    end: int


def find_masks(text: str) -> list[Mask]:
    """All masks in order. A text that is nothing but one quote or one quoted block is not masked."""
    masks = _block_masks(text)
    masks.extend(_inline_masks(text, masks))
    masks.extend(Mask("speech", *span) for span in reported_speech(text))
    masks.extend(Mask("outlook", *span) for span in (*afterwards(text), *limits_told(text)))
    masks.sort(key=lambda mask: (mask.start, -mask.end))
    if _hides_everything(text, masks):
        return [mask for mask in masks if mask.kind in ("code", "table")]
    return masks


def is_heading(line: str) -> bool:
    """A Markdown heading, or a line that is bold from end to end."""
    return _HEADING.match(line) is not None


def is_table_row(line: str) -> bool:
    """A row of a Markdown table: it starts with a bar or has two bars inside."""
    stripped = line.strip()
    return stripped.startswith("|") or stripped.count(" | ") >= 2


def _block_masks(text: str) -> list[Mask]:
    masks: list[Mask] = []
    fence: tuple[str, int] | None = None
    references: int | None = None
    at = 0
    for line in text.splitlines(keepends=True):
        end = at + len(line)
        mark = _FENCE.match(line)
        if fence:
            if mark and mark.group(1)[0] == fence[0]:
                masks.append(Mask("code", fence[1], end))
                fence = None
        elif mark:
            fence = (mark.group(1)[0], at)
        elif is_heading(line) or _REFERENCES.match(line.rstrip("\n")):
            _close_references(masks, references, at)
            references = None
            if _REFERENCES.match(line.rstrip("\n")) and _stands_behind_text(text, at):
                references = at
            else:
                masks.append(Mask("heading", at, end))
        elif references is None:
            kind = _line_kind(line)
            if kind:
                masks.append(Mask(kind, at, end))
        at = end
    if fence:
        masks.append(Mask("code", fence[1], len(text)))
    _close_references(masks, references, len(text))
    return masks


def _stands_behind_text(text: str, at: int) -> bool:
    """A list of sources stands behind what it serves, never at the very top."""
    return bool(text[:at].strip())


def _close_references(masks: list[Mask], start: int | None, end: int) -> None:
    if start is not None:
        masks.append(Mask("references", start, end))


def _line_kind(line: str) -> MaskKind | None:
    stripped = line.lstrip()
    if stripped.startswith(">"):
        return "quote"
    if is_table_row(line):
        return "table"
    return None


def _inline_masks(text: str, blocks: list[Mask]) -> Iterable[Mask]:
    taken = sorted((mask.start, mask.end) for mask in blocks)
    index = 0
    for found in _INLINE.finditer(text):
        while index < len(taken) and taken[index][1] <= found.start():
            index += 1
        if index < len(taken) and taken[index][0] <= found.start():
            continue
        kind: MaskKind = "code" if found.group().startswith("`") else "quote"
        yield Mask(kind, found.start(), found.end())


def _hides_everything(text: str, masks: list[Mask]) -> bool:
    at = 0
    for mask in masks:
        if text[at : max(mask.start, at)].strip(" \t\r\n.,;:!?-*_"):
            return False
        at = max(at, mask.end)
    return bool(masks) and not text[at:].strip(" \t\r\n.,;:!?-*_")
