"""Markdown of models: readable, and unable to do anything."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from daemon.web.markdown import LONGEST, render_markdown

HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '<svg onload="alert(1)"><a xlink:href="javascript:alert(1)">x</a></svg>',
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java\tscript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](vbscript:x) [y](file:///etc/passwd) [z](//evil.example/x)",
    '[x](https://ok.example "onmouseover=alert(1)")',
    "![x](https://evil.example/pixel.png)",
    "[![x](https://evil.example/pixel.png)](https://evil.example)",
    "![x][1]\n\n[1]: https://evil.example/pixel.png",
    '<https://evil.example/"onclick=alert(1)>',
    "```\n</code></pre><script>alert(1)</script>\n```",
    "```html onload=alert(1)\nx\n```",
    "<style>body{background:url(https://evil.example)}</style>",
    "<iframe src=https://evil.example></iframe><base href=https://evil.example>",
    "&lt;script&gt;alert(1)&lt;/script&gt; &#60;script&#62;",
    "|<script>|\n|-|\n|<img src=x>|",
    "<!-- --><form action=https://evil.example><input name=token></form>",
    "[a](https://x.example/<script>alert(1)</script>)",
    ">" * 500 + " deep",
    "[" * 3000 + "x" + "](a)" * 3000,
    "*" * 10_000 + "_" * 10_000,
)
TAGS = {
    *("p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a"),
    *("table", "thead", "tbody", "tr", "th", "td", "h3", "h4", "h5", "h6"),
}


class Seen(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def check_harmless(text: str) -> None:
    for tag, attributes in Seen(render_markdown(text)).tags:
        assert tag in TAGS
        assert set(attributes) <= ({"href", "rel"} if tag == "a" else {"start"})
        if tag == "a":
            assert re.match(r"https?://", attributes["href"] or "")
            assert attributes["rel"] == "noopener noreferrer nofollow"


def test_hostile_markdown_is_text() -> None:
    """No script, picture, style, form or frame; a link leads to the web or is none."""
    for text in HOSTILE:
        check_harmless(text)
    check_harmless("\n\n".join(HOSTILE))


@given(st.text(alphabet="<>[]()!\"'`*_#|-\\/:&;= \nahjscripthttps.x1", max_size=200))
def test_no_text_at_all_makes_other_tags(text: str) -> None:
    check_harmless(text)


def test_a_link_shows_where_it_leads() -> None:
    """Its words may say something else; where they are the address it stands once."""
    assert "a</a> (https://x.example/y)" in render_markdown("[a](https://x.example/y)")
    assert ">https://good.example</a> (https://evil.example)" in render_markdown(
        "[https://good.example](https://evil.example)"
    )
    assert render_markdown("<https://x.example/>").count("https://x.example/") == 2
    assert "…)" in render_markdown(f"[a](https://x.example/{'q' * 1000})")


def test_what_leads_nowhere_safe_keeps_its_words_and_address() -> None:
    """Nothing of what the model wrote is lost."""
    shown = render_markdown("[see](ftp://x.example/y) ![map](https://x.example/m.png)")
    assert "<a" not in shown
    assert "see (ftp://x.example/y)" in shown
    assert "[map] (https://x.example/m.png)" in shown


def test_a_model_makes_no_heading_of_the_page() -> None:
    """The page has its own first two ranks."""
    shown = render_markdown("# a\n\n## b\n\n##### c\n\nd\n=")
    assert re.findall(r"<(h\d)>", shown) == ["h3", "h4", "h6", "h3"]


def test_invisible_characters_are_named() -> None:
    """NUL, escape sequences, and those that turn the direction of the text."""
    shown = render_markdown("a\x00b\x1b[31mc\u202egnp.exe")
    assert shown == "<p>a[U+0000]b[U+001B][31mc[U+202E]gnp.exe</p>\n"


def test_what_lies_too_deep_to_be_laid_out_is_shown_as_it_is() -> None:
    """The parser would drop it: nobody could hide a sentence from whoever reads the page."""
    for text in (
        "> " * 40 + "hidden <b>",
        "\n".join("  " * k + "- a" for k in range(30)) + "hidden",
    ):
        shown = render_markdown(text)
        assert "hidden" in shown
        assert "<b>" not in shown
        check_harmless(text)


def test_a_text_of_any_length_has_an_end() -> None:
    """And no text is nothing."""
    assert render_markdown("x " * LONGEST).endswith("…</p>\n")
    assert render_markdown(None) == render_markdown("") == ""
