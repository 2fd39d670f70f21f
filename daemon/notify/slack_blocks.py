"""A message in the form that Slack takes, and inert: nobody is mentioned, nothing becomes a link."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from daemon.notify.text_parts import cut_text, split_text, utf16_units

SECTION_LIMIT = 3_000
HEADER_LIMIT = 150
# All blocks together may hold about 13,200 characters, which no document says; header and note
# have their room in the difference.
TEXT_LIMIT = 12_000
BRIEF_LIMIT = 300

Note = Callable[[int], str]

_ESCAPED = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
_BULLET = re.compile(r"^( *)[-*] +", re.MULTILINE)
_BOLD = re.compile(r"\*\*(\S(?:[^*\n]*\S)?)\*\*")
_NOTHING = "–"


def blocks_of(payload: Mapping[str, Any], note: Note) -> list[dict[str, Any]]:
    """A header where there is a title, then sections; what does not fit is told by `note`.

    `note` gets the number of characters that were left out.
    """
    title = _title(payload)
    blocks = [_header(title)] if title else []
    return [*blocks, *(_section(part) for part in _parts(_as_mrkdwn(_text(payload)), note))]


def plain_of(payload: Mapping[str, Any], note: Note) -> str:
    """The whole message as text without formatting, for where blocks are refused."""
    title = _title(payload)
    text = f"{title}\n{_text(payload)}" if title else _text(payload)
    return "".join(_parts(text, note))


def brief_of(payload: Mapping[str, Any]) -> str:
    """The beginning on one line, for notifications."""
    title = one_line(payload.get("title"))
    text = title or one_line(_text(payload))
    return _escape(cut_text(text, BRIEF_LIMIT, _size))


def one_line(value: object) -> str:
    """A text without line ends and control characters; empty for None."""
    text = "" if value is None else str(value)
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _title(payload: Mapping[str, Any]) -> str:
    """Empty where the text begins with it, as short alerts do."""
    title = one_line(payload.get("title"))
    return "" if one_line(_text(payload)).startswith(title.removesuffix("…")) else title


def _text(payload: Mapping[str, Any]) -> str:
    text = str(payload.get("text") or "").strip()
    return "".join(c for c in text if c.isprintable() or c in "\n\t\u200d\ufe0f") or _NOTHING


def _as_mrkdwn(text: str) -> str:
    """Headings and bold as Slack writes them; everything else stays as it was written."""
    text = _BULLET.sub(r"\1• ", text)
    text = _HEADING.sub(lambda found: f"*{found[1].replace('*', '')}*", text)
    return _BOLD.sub(r"*\1*", text)


def _parts(text: str, note: Note) -> list[str]:
    """Escaped, each within a section; split before escaping, so that no `&lt;` is cut."""
    kept = cut_text(text, TEXT_LIMIT, _size)
    parts = [_escape(part) for part in split_text(kept, SECTION_LIMIT, _size)]
    left_out = len(text) - len(kept)
    return [*parts, f"\n{_escape(note(left_out))}"] if left_out else parts


def _size(character: str) -> int:
    escaped = _ESCAPED.get(character)
    return len(escaped) if escaped else utf16_units(character)


def _escape(text: str) -> str:
    return "".join(_ESCAPED.get(character, character) for character in text)


def _header(title: str) -> dict[str, Any]:
    if sum(map(utf16_units, title)) > HEADER_LIMIT:
        title = cut_text(title, HEADER_LIMIT - 1).rstrip() + "…"
    return {"type": "header", "text": {"type": "plain_text", "text": title, "emoji": False}}


def _section(text: str) -> dict[str, Any]:
    # verbatim: Slack makes no links and mentions out of it
    shown = text if text.strip() else _NOTHING
    return {"type": "section", "text": {"type": "mrkdwn", "text": shown, "verbatim": True}}
