"""Links of Markdown that say where they lead; what could lie about it is no link.

The words of a link may say something else, so its address stands behind them. An address that begins
with a name and a password (https://trusted.example@evil.example) reads like another host, so it is
text, and so is one whose host is longer than a name can be or has signs of no name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from markdown_it.token import Token

_LONGEST_ADDRESS = 300  # more than the longest host and what stands before it
_LONGEST_HOST = 253
_HOST = re.compile(r"[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]")  # other letters are in the xn-- form


def with_addresses(tokens: Sequence[Token]) -> list[Token]:
    """Behind the words of each link its address and its title.

    A picture is its words and its address: loading it would tell its server that somebody reads.
    """
    shown: list[Token] = []
    opened, title, began = "", "", 0
    for token in tokens:
        if token.type == "image":
            place = _place(str(token.attrGet("src") or ""), str(token.attrGet("title") or ""))
            token = _text(f"[{token.content}] ({place})")
        if token.type == "link_open":
            opened, title = (str(token.attrGet(name) or "") for name in ("href", "title"))
        if token.type not in ("link_open", "link_close") or leads_where_it_says(opened):
            shown.append(token)
        if token.type == "link_open":
            began = len(shown)
        if token.type == "link_close":
            words = "".join(part.content for part in shown[began:])
            if title or (opened and words != opened):
                shown.append(_text(f" ({_place(opened, title)})"))
    return shown


def leads_where_it_says(address: str) -> bool:
    """Whether it is http or https and its host is what a reader takes for it."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return False
    host = parts.netloc if port is None else parts.netloc.removesuffix(f":{port}")
    is_name = len(host) <= _LONGEST_HOST and _HOST.fullmatch(host) is not None
    return parts.scheme in ("http", "https") and is_name


def _text(words: str) -> Token:
    return Token("text", "", 0, content=words)


def _place(address: str, title: str) -> str:
    """Cut only where it is a link: its host stands in what is left."""
    is_cut = len(address) > _LONGEST_ADDRESS and leads_where_it_says(address)
    short = address[:_LONGEST_ADDRESS] + "…" if is_cut else address
    return f'{short} "{title}"' if title else short
