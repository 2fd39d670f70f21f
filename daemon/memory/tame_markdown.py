"""A model's Markdown made safe to stand above sections of our own: nothing in it reaches beyond its end.

A fence that stays open, a comment, a `<script>` or a `<pre>` would swallow what follows in a renderer;
a heading in our words would pass for our section. Code fences at the start of a line stay as they are,
so what is open is known for sure; those inside lists and quotations, where renderers differ from what
a line shows, and all raw HTML become plain text.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Collection

_OPENING = re.compile(r"(`{3,})[^`]*|(~{3,}).*")
_NESTED = re.compile(r"([ \t]*(?:(?:[-*+>]|\d{1,9}[.)])[ \t]*)*)(?=`{3}|~{3})")
# Not behind an odd number of backslashes: that one is plain text already.
_TAG = re.compile(
    r"(?<!\\)((?:\\\\)*)<(?=[a-z/!?])(?!(?:https?://|mailto:)[^\s<>]*>)", re.IGNORECASE
)
_AROUND = re.compile(r"^[\s>*+#\d.)-]+|[\s#*:.]+$")
_MARKS = re.compile(r"[\\`*_~\[\]]")


def tame_markdown(text: str, reserved: Collection[str]) -> str:
    """The text with every fence closed and no HTML, where no line reads as one of the `reserved`
    headings: such a line becomes a quotation."""
    kept, fence = [], ""
    ours = {_bare(heading) for heading in reserved}
    for line in text.split("\n"):
        if fence:
            fence = "" if _closes(line, fence) else fence
            kept.append(line)
            continue
        fence = _opened(line)
        kept.append(line if fence else _tame_line(line, ours))
    return "\n".join([*kept, fence] if fence else kept)


def _opened(line: str) -> str:
    """The marks of the fence that the line opens at its start, else nothing."""
    found = _OPENING.fullmatch(line)
    return (found[1] or found[2]) if found else ""


def _closes(line: str, fence: str) -> bool:
    bare = line.strip(" \t")
    indent = len(line) - len(line.lstrip(" "))
    return indent <= 3 and len(bare) >= len(fence) and set(bare) == {fence[0]}


def _tame_line(line: str, ours: Collection[str]) -> str:
    nested = _NESTED.match(line)
    if nested:
        line = f"{line[: nested.end()]}\\{line[nested.end() :]}"
    line = _TAG.sub(r"\1\\<", line)
    if _bare(line) in ours:
        return "> " + line.strip().lstrip(">").replace("#", "\\#")
    return line


def _bare(line: str) -> str:
    """What a reader sees of a heading: without marks, entities, invisible letters and case."""
    seen = unicodedata.normalize("NFKC", html.unescape(line))
    seen = "".join(char for char in seen if unicodedata.category(char) != "Cf")
    seen = _AROUND.sub("", _MARKS.sub("", seen))
    return " ".join(seen.casefold().split())
