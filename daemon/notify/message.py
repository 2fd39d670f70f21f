"""A message for people in parts that every channel can show; what a model wrote stays text.

A payload is a mapping with `text` (all of it as plain Markdown: what the console shows, and Slack where
it refuses the parts), `title` (a line, may be missing) and any of:

- `parts`: a list of what `heading`, `text`, `lines`, `bar`, `buttons` and `small` give, in order;
- `file`: {"name", "text"}: a long text that goes along as a file (without it, all that the parts or
  the text say goes along as one where the message shows less);
- `edits`: the outbox key of an earlier message, which this one takes the place of;
- `thread`: the outbox key of an earlier message, which this one answers;
- `to`: the id of another place than the channel's own; only with `approval`, its permit's id.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

Part = Mapping[str, Any]
Style = Literal["primary", "danger", ""]


def heading(text: str) -> Part:
    """A title of plain text."""
    return {"type": "heading", "text": text}


def text(markdown: str) -> Part:
    """Prose by whoever; nothing in it becomes a mention or a link."""
    return {"type": "text", "text": markdown}


def lines(entries: Sequence[Part], *, title: str = "") -> Part:
    """A list of what `line` gives, under a title (empty: none)."""
    return {"type": "lines", "title": title, "entries": list(entries)}


def line(
    words: str, *, mark: str = "", detail: str = "", link: str = "", stands_for: int = 1
) -> Part:
    """One entry; `mark` (such as an item's id) stands in bold before it, `detail` below it.

    `link` is an address of ours that the mark leads to (empty: none). `stands_for` is how many it
    counts where it is left out: more than 1 for the one that says how many others there are.
    """
    found = {"words": words, "mark": mark, "detail": detail, "link": link}
    return found if stands_for == 1 else {**found, "stands_for": stands_for}


def bar(label: str, part: int, whole: int) -> Part:
    """How much of something is used, drawn small; a `whole` of 0 counts as used up."""
    return {"type": "bar", "label": label, "part": part, "whole": whole}


def small(text: str) -> Part:
    """A note in small print."""
    return {"type": "small", "text": text}


def buttons(entries: Sequence[Part]) -> Part:
    """A row of what `button` gives, five at most.

    Where one action stands twice in a message, its later ones come back with #2, #3 ... behind it.
    """
    return {"type": "buttons", "entries": list(entries)}


def button(label: str, action: str, value: str, *, style: Style = "", confirm: str = "") -> Part:
    """What comes back when it is pressed: `action`, such as approval.approve, and `value`.

    `confirm` is asked first (empty: not).
    """
    return {"label": label, "action": action, "value": value, "style": style, "confirm": confirm}


def as_markdown(parts: Sequence[Part]) -> str:
    """All that parts say, as Markdown; buttons say nothing."""
    return "\n\n".join(filter(None, map(_as_markdown, parts))) + "\n"


def _as_markdown(part: Part) -> str:
    kind = part["type"]
    if kind == "heading":
        return f"# {part['text']}"
    if kind == "lines":
        title = [f"## {part['title']}\n"] if part.get("title") else []
        return "\n".join([*title, *map(_entry_as_markdown, part["entries"])])
    if kind == "bar":
        return str(part["label"])
    return str(part.get("text") or "")


def _entry_as_markdown(entry: Part) -> str:
    mark = f"**{entry['mark']}** " if entry.get("mark") else ""
    below = "".join(f"\n  {entry[name]}" for name in ("detail", "link") if entry.get(name))
    return f"- {mark}{entry['words']}{below}"
