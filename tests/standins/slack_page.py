"""Messages as a telephone shows them, as HTML: to be looked at, and to say what in them is live.

Reads blocks as Slack documents them: mrkdwn's sequences in <>, *bold*, _italic_, ~struck~ and `code`;
in a text that is not verbatim it also links bare addresses, as Slack does.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_STYLE = """body{font:16px/1.4 sans-serif;margin:0;padding:12px;background:#fff;color:#1d1c1d;
width:366px;overflow-wrap:anywhere}article{border-bottom:1px solid #ddd;padding:8px 0}
h1{font-size:18px;margin:4px 0}p{margin:6px 0;white-space:pre-wrap}a{color:#1264a3}
small{display:block;color:#616061;font-size:13px;margin:4px 0}
button{font:bold 15px sans-serif;padding:8px 12px;margin:4px 6px 4px 0;border:1px solid #bbb;
border-radius:6px;background:#fff}.primary{background:#007a5a;color:#fff}
.danger{background:#e01e5a;color:#fff}.mention{background:#fce8b2}"""
_SEQUENCE = re.compile(r"<([^<>|]+)(?:\|([^<>]*))?>")
_BARE = re.compile(r"https?://[^\s<>|]+")
_MARKS = (("*", "b"), ("_", "i"), ("~", "s"), ("`", "code"))


def render_page(messages: Sequence[Sequence[Mapping[str, Any]]]) -> str:
    """Messages, each a list of blocks, one below the other."""
    shown = "".join(f"<article>{''.join(map(_block, blocks))}</article>" for blocks in messages)
    return f"<!doctype html><meta charset=utf-8><style>{_STYLE}</style>{shown}"


def live_parts(blocks: Sequence[Mapping[str, Any]]) -> list[str]:
    """All that Slack would make a link or a mention of: `https://...`, `!channel`, `@U1`, `#C1`."""
    return [part for text in _texts(blocks) for part in _live(text)]


def _live(text: Mapping[str, Any]) -> Iterator[str]:
    if text["type"] != "mrkdwn":
        return
    yield from (found[1] for found in _SEQUENCE.finditer(text["text"]))
    if not text.get("verbatim"):
        rest = _SEQUENCE.sub(" ", text["text"])
        yield from _BARE.findall(rest)
        yield from re.findall(r"(?<!\w)[@#]\w+", rest)


def _texts(found: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(found, Mapping):
        if isinstance(found.get("text"), str) and found.get("type") in ("mrkdwn", "plain_text"):
            yield found
        for value in found.values():
            yield from _texts(value)
    elif isinstance(found, list | tuple):
        for one in found:
            yield from _texts(one)


def _block(block: Mapping[str, Any]) -> str:
    kind = block["type"]
    if kind == "header":
        return f"<h1>{html.escape(block['text']['text'])}</h1>"
    if kind == "context":
        return "".join(f"<small>{_mrkdwn(one)}</small>" for one in block["elements"])
    if kind == "actions":
        return "".join(map(_button, block["elements"]))
    return f"<p>{_mrkdwn(block['text'])}</p>"


def _button(button: Mapping[str, Any]) -> str:
    label = html.escape(button["text"]["text"])
    return f'<button class="{button.get("style", "")}">{label}</button>'


def _mrkdwn(text: Mapping[str, Any]) -> str:
    """What is escaped for Slack (&lt;) is escaped for HTML too."""
    shown = _SEQUENCE.sub(_sequence, text["text"])
    if not text.get("verbatim"):
        shown = re.sub(rf"(?<![\">]){_BARE.pattern}", r'<a href="\g<0>">\g<0></a>', shown)
    for mark, tag in _MARKS:
        sign = re.escape(mark)
        shown = re.sub(
            rf"(?<!\w){sign}(\S|\S[^\n{sign}]*\S){sign}(?!\w)", rf"<{tag}>\1</{tag}>", shown
        )
    return shown


def _sequence(found: re.Match[str]) -> str:
    target, label = found[1], found[2] or found[1]
    if target.startswith(("!", "@", "#")):
        return f'<span class="mention">{label}</span>'
    return f'<a href="{target}">{label}</a>'
