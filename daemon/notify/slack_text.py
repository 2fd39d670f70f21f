"""Text in the form that Slack takes, and inert: nobody is mentioned, nothing becomes a link.

`<`, `>` and `&` are escaped, so that none of Slack's sequences (<!channel>, <@U1>, <https://a|b>) can be
written; every text object is `verbatim`, so that Slack makes nothing out of @here, #name or an address.
"""

from __future__ import annotations

import re
from typing import Any

from daemon.config.visible import visible
from daemon.notify.text_parts import cut_text, utf16_units

NOTHING = "–"

_ESCAPED = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
# Each stands for one in JSON that takes two characters there.
_SIZES = {**{sign: len(text) for sign, text in _ESCAPED.items()}, "\n": 2, '"': 2, "\\": 2, "\t": 2}
# In a line of ours, signs that would set parts of it in bold or as code look the same and do nothing.
_LOOKALIKES = str.maketrans({"*": "∗", "~": "∼", "`": "ˋ", "|": "¦"})
# The first of two that would set what is between them in italics; none within a name such as a_b_c.
_ITALIC = re.compile(r"(?<!\w)_(?=[^\s_][^_\n]*_(?!\w))")
_HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
_BULLET = re.compile(r"^( *)[-*] +", re.MULTILINE)
_BOLD = re.compile(r"\*\*(\S(?:[^*\n]*\S)?)\*\*")


def one_line(value: object) -> str:
    """A text without line ends and unseen characters; empty for None."""
    return visible(" ".join(("" if value is None else str(value)).split()))


def whole_text(value: object) -> str:
    """A text with its lines, and what could hide or turn it as its number; never empty."""
    lines = str(value or "").replace("\r\n", "\n").replace("\r", "\n")
    return visible(lines.strip()) or NOTHING


def as_mrkdwn(text: str) -> str:
    """Headings, lists and bold as Slack writes them; everything else stays as it was written."""
    text = _BULLET.sub(r"\1• ", text)
    text = _HEADING.sub(lambda found: f"*{found[1].replace('*', '')}*", text)
    return _BOLD.sub(r"*\1*", text)


def size(character: str) -> int:
    """How much of a limit a character takes, escaped for Slack and for JSON, in UTF-16 units."""
    return _SIZES.get(character) or utf16_units(character)


def size_of(text: str) -> int:
    return sum(map(size, text))


def escape(text: str) -> str:
    return "".join(_ESCAPED.get(character, character) for character in text)


def literal(text: object, limit: int) -> tuple[str, int]:
    """One escaped line that formats nothing, and how many characters were cut from it."""
    flat = _ITALIC.sub("ˍ", one_line(text).translate(_LOOKALIKES))
    if size_of(flat) <= limit:
        return escape(flat), 0
    kept = cut_text(flat, limit - 1, size).rstrip()
    return escape(kept) + "…", len(flat) - len(kept)


def plain_text(text: object, limit: int) -> dict[str, Any]:
    """A text object that formats nothing, at most `limit` long."""
    flat = one_line(text) or NOTHING
    if sum(map(utf16_units, flat)) > limit:
        flat = cut_text(flat, limit - 1).rstrip() + "…"
    return {"type": "plain_text", "text": flat, "emoji": False}


def mrkdwn(text: str) -> dict[str, Any]:
    """A text object of text that was escaped."""
    shown = text if text.strip() else NOTHING
    return {"type": "mrkdwn", "text": shown, "verbatim": True}
