"""Markdown of models and documents as HTML that can neither run, load, hide nor lead astray.

Two locks: the parser treats HTML as text and turns images into words, and the sanitiser lets through only
the tags and attributes named here. What the parser would leave out (`daemon.web.markdown_limits`) or
hide behind a link (`daemon.web.markdown_links`) is shown.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from daemon.config.visible import visible
from daemon.web.markdown_limits import DEEPEST, is_within_limits, leaves_out
from daemon.web.markdown_links import with_addresses

LONGEST = 100_000
_KEPT = 16  # a page that is looked at is fetched again every few seconds
_TAGS = {
    *("p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"),
}
_FIRST_HEADING = 3  # a page has its own h1 and h2
_CODE_LANGUAGE = re.compile(r"[\w+#.-]{0,20}")


def render_markdown(text: str | None, *, as_written: str = "") -> Markup:
    """Safe HTML; nothing for None. What is longer than `LONGEST` characters is cut, with an …

    A text that would take seconds to set, or of which a part would not be shown, is shown as it was
    written, behind the sentence `as_written`.
    """
    shown = visible(text or "")
    return _rendered(shown if len(shown) <= LONGEST else shown[:LONGEST] + "…", as_written)


@lru_cache(_KEPT)
def _rendered(text: str, as_written: str) -> Markup:
    parser = _parser()
    tokens = parser.parse(text) if is_within_limits(text) else None
    if tokens is None or leaves_out(tokens, text):
        said = Markup("<p><em>{}</em></p>\n").format(as_written) if as_written else Markup()
        return said + Markup("<pre>{}</pre>\n").format(text)
    deeper = _FIRST_HEADING - min(map(_level, filter(_is_heading, tokens)), default=1)
    for token in tokens:
        _set_block(token, deeper)
    return _cleaned(parser.renderer.render(tokens, parser.options, {}))


@cache
def _parser() -> MarkdownIt:
    """Without definitions of links: they are text that is not shown, and name a long one often."""
    parser = _Parser("js-default", {"html": False, "linkify": False, "maxNesting": DEEPEST})
    return parser.disable("reference")


class _Parser(MarkdownIt):
    def normalizeLink(self, url: str) -> str:  # noqa: N802 - the library's name
        """The library drops a host that is too long; it is kept, to be shown, and is no link."""
        found = super().normalizeLink(url)
        return url if ":///" in found and ":///" not in url else found


def _is_heading(token: Token) -> bool:
    return token.type in ("heading_open", "heading_close")


def _level(token: Token) -> int:
    return int(token.tag[1])


def _set_block(token: Token, deeper: int) -> None:
    """Headings right below those of the page; links with their addresses; what stands beside a fence
    that is more than a language, in it."""
    if _is_heading(token):
        token.tag = f"h{min(6, _level(token) + deeper)}"
    if token.type == "fence" and not _CODE_LANGUAGE.fullmatch(token.info.strip()):
        token.content = f"{token.info.strip()}\n{token.content}"
    if token.children:
        token.children = with_addresses(token.children)


def _cleaned(found: str) -> Markup:
    """What `&#x202E;` stands for is a character only now, so it is named here."""
    clean = nh3.clean(
        found,
        tags=_TAGS,
        attributes={"*": set(), "a": {"href"}, "ol": {"start"}},
        url_schemes={"http", "https"},
        link_rel="noopener noreferrer nofollow",
    )
    return Markup(visible(clean))  # noqa: S704 - the one text that is let through, and only out of the sanitiser
