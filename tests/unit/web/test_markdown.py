"""Markdown of models: readable, and unable to do anything."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from daemon.web.markdown import LONGEST, render_markdown
from daemon.web.markdown_limits import MOST_MARKS

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
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words += data


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


def test_the_highest_heading_of_a_text_is_right_below_those_of_the_page() -> None:
    """Whoever hears the page by its headings misses no rank, whichever the text begins with."""
    shown = render_markdown("### a\n\n#### b\n\n### c")
    assert re.findall(r"<(h\d)>", shown) == ["h3", "h4", "h3"]


def test_invisible_characters_are_named() -> None:
    """NUL, escape sequences, and those that turn the direction of the text."""
    shown = render_markdown("a\x00b\x1b[31mc\u202egnp.exe")
    assert shown == "<p>a[U+0000]b[U+001B][31mc[U+202E]gnp.exe</p>\n"


def test_what_an_entity_stands_for_is_named_too() -> None:
    """It is a character only when the text is set; in code it stays what was written."""
    assert render_markdown("a&#x202E;b&zwnj;c") == "<p>a[U+202E]b[U+200C]c</p>\n"
    assert "&amp;#x202E;" in render_markdown("`&#x202E;`")


def test_no_mark_of_markdown_hides_a_sentence() -> None:
    """Titles, definitions, fences, pictures, comments, and cells beyond the columns of a table."""
    for text in (
        '[a](https://x.example "hidden")',
        '![a](https://x.example/a.png "hidden")',
        "[//]: # (hidden)",
        "[a]: https://x.example 'hidden'\n\n[a]",
        "```text hidden\nx\n```",
        "~~~ hidden and more\nx\n~~~",
        "|a|\n|-|\n|b|hidden|",
        "> a | b\n> - | -\n> c | d | hidden",
        "<!-- hidden -->",
        "<p hidden>x",
    ):
        assert "hidden" in Seen(render_markdown(text)).words
        check_harmless(text)


def test_a_table_is_a_table() -> None:
    """With bars around its rows or not, escaped bars, in a quotation, and with too few cells."""
    for text in ("|a|b|\n|-|-|\n|c|\n", "> a | b\n> -|-\n> c | d\\|e\n", "a|b\n-|-\nc|d"):
        assert "<table>" in render_markdown(text)


def test_a_language_beside_a_fence_is_no_part_of_the_code() -> None:
    assert render_markdown("```python\nx\n```") == "<pre><code>x\n</code></pre>\n"


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


def test_a_flood_of_marks_is_shown_as_written() -> None:
    """A parser needs seconds for it; this is told, and nothing of it is parsed."""
    for marks in ("[", "![", "[a](", "*a", "_", "`", "~~a", "<h:", "&#", "- a\n", "#\n", "a|"):
        flood = marks * (MOST_MARKS + 1)
        shown = render_markdown(flood, as_written="As it was written.")
        assert shown.startswith("<p><em>As it was written.</em></p>\n<pre>")
        assert len(shown) < 6 * len(flood)


def test_a_line_of_bars_makes_no_thousands_of_cells() -> None:
    """Every short line below it would be filled up with empty ones."""
    wide = "|" + "a|" * 1_000 + "\n|" + "-|" * 1_000 + "\n"
    assert "<table>" in render_markdown(wide)
    assert "<table>" not in render_markdown(wide + "|\n" * 100)


def test_a_long_address_is_not_named_a_thousand_times() -> None:
    """A definition that many links name would make hundreds of megabytes of a note."""
    text = f"[a]: https://x.example/{'q' * 10_000}\n\n" + "[a] " * 1_000
    assert len(render_markdown(text)) < 2 * len(text)


def test_a_text_as_long_as_notes_are_is_set() -> None:
    """With as many links, lists and tables as people write."""
    part = "## Costs\n\n- **Rent** [a](https://x.example/a)\n- `x`\n\n|a|b|c|\n|-|-|-|\n|1|2|3|\n\n"
    shown = render_markdown(part + ("words and figures, 12 %, " * 40 + "\n\n") * 90 + part)
    assert shown.count("<table>") == 2
    assert shown.count("<li>") == 4
