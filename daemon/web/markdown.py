"""Markdown of models and documents as HTML that can neither run, load nor lead astray.

Two locks: the parser treats HTML as text and turns images into words, and the sanitiser lets through only
the tags and attributes named here. A link goes to http or https and shows its address, because its
words may say something else.
"""

from __future__ import annotations

from functools import cache, lru_cache
from urllib.parse import urlsplit

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from daemon.config.visible import visible

LONGEST = 100_000
_DEEPEST = 20  # the parser drops what lies deeper, so such a text is shown as it is
_KEPT = 16  # a page that is looked at is fetched again every few seconds
_TAGS = {
    *("p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"),
}
_HEADING_DEEPER = 2  # a page has its own h1 and h2
_LONGEST_ADDRESS = 300


def render_markdown(text: str | None) -> Markup:
    """Safe HTML; nothing for None. What is longer than `LONGEST` characters is cut, with an …

    A text whose lists or quotes lie deeper in each other than anybody reads is shown as it is.
    """
    shown = visible(text or "")
    return _rendered(shown if len(shown) <= LONGEST else shown[:LONGEST] + "…")


@lru_cache(_KEPT)
def _rendered(text: str) -> Markup:
    parser = _parser()
    tokens = parser.parse(text)
    if max((token.level for token in tokens), default=0) >= _DEEPEST - 1:
        return Markup("<pre>{}</pre>").format(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + _HEADING_DEEPER)}"
        if token.children:
            token.children = _with_addresses(token.children)
    return _cleaned(parser.renderer.render(tokens, parser.options, {}))


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("js-default", {"html": False, "linkify": False, "maxNesting": _DEEPEST})


def _with_addresses(tokens: list[Token]) -> list[Token]:
    """Behind the words of each link its address; what is no address of the web is no link.

    A picture is its words and its address: loading it would tell its server that somebody reads.
    """
    shown: list[Token] = []
    opened, began = "", 0
    for token in tokens:
        if token.type == "image":
            token = _text(f"[{token.content}] ({_short(str(token.attrGet('src') or ''))})")
        if token.type == "link_open":
            opened, began = str(token.attrGet("href") or ""), len(shown) + 1
        if token.type not in ("link_open", "link_close") or _is_of_web(opened):
            shown.append(token)
        if token.type == "link_close":
            words = "".join(part.content for part in shown[began:])
            if opened and words != opened:
                shown.append(_text(f" ({_short(opened)})"))
    return shown


def _text(words: str) -> Token:
    return Token("text", "", 0, content=words)


def _short(address: str) -> str:
    return address if len(address) <= _LONGEST_ADDRESS else address[:_LONGEST_ADDRESS] + "…"


def _is_of_web(address: str) -> bool:
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc)


def _cleaned(found: str) -> Markup:
    return Markup(  # noqa: S704 - the one text that is let through, and only out of the sanitiser
        nh3.clean(
            found,
            tags=_TAGS,
            attributes={"*": set(), "a": {"href"}, "ol": {"start"}},
            url_schemes={"http", "https"},
            link_rel="noopener noreferrer nofollow",
        )
    )
