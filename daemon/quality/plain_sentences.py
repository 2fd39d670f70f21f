"""The sentences and table rows of a text that states something, in one pass over its lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from daemon.quality.masks import is_heading, is_table_row

_ITEM = re.compile(r"[ \t>]*(?:[-*+•]|\d{1,3}[.)])[ \t]+")
_FENCE = ("```", "~~~")
# What names where something stands states nothing itself.
_SOURCE = re.compile(
    r"[ \t>*_-]*(?:sources?|also|fuentes?|tambi[eé]n|ver|see)[*_]*:", re.IGNORECASE
)
_END = re.compile(
    r"[.!?…]+[\"'»”’)\]*_]*(?:[ \t]*\[[^\[\]\n]{1,160}\])*[.]?(?=\s+[^\sa-zà-ÿ]|\s*$)"
)
_SHORT = re.compile(
    r"(?:^|[\s(])(?:[A-Za-z]|arts?|nos?|n[uú]ms?|drs?|dra|sra?s?|mrs?|ms|st|vs|approx|aprox|pp?|figs?"
    r"|inc|ltd|cf|e\.g|i\.e|p\.ej|ee|uu)\.$",
    re.IGNORECASE,
)


def plain_sentences(text: str) -> Iterator[tuple[int, int]]:
    """[start, end) of each, in order; headings, code and lines that name sources are left out."""
    for start, end in _blocks(text):
        yield from _cut(text, start, end)


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Paragraphs, list items and table rows."""
    begun, until, at, fenced = -1, -1, 0, False
    for line in text.splitlines(keepends=True):
        start, at = at, at + len(line)
        fence = line.lstrip().startswith(_FENCE)
        fenced = fenced != fence
        alone = is_table_row(line.rstrip("\n"))
        silent = fenced or fence or not line.strip() or is_heading(line) or _SOURCE.match(line)
        if begun >= 0 and (silent or alone or _ITEM.match(line)):
            yield begun, until
            begun = -1
        if silent:
            continue
        if begun < 0:
            mark = _ITEM.match(line)
            begun = start + (mark.end() if mark else 0)
        until = start + len(line.rstrip())
        if alone:
            yield begun, until
            begun = -1
    if begun >= 0:
        yield begun, until


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    begin = start
    for stop in _END.finditer(text, start, end):
        if _SHORT.search(text[max(start, stop.start() - 12) : stop.start() + 1]):
            continue
        yield begin, stop.end()
        begin = stop.end()
        while begin < end and text[begin].isspace():
            begin += 1
    if begin < end:
        yield begin, end
