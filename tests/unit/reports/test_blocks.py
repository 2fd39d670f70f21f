"""A report's lines as headings, lists and code."""

from __future__ import annotations

from markdown_it import MarkdownIt

from daemon.config.phrases import Phrases
from daemon.reports.blocks import blocks_of, report_markdown
from daemon.reports.daily import write_daily
from tests.unit.reports.days import NOTE, a_daily

BODY = """sprintd, a title
A sentence.
Learned (2)
  - T01 Boats
    what was found
    memory/findings/t01.md
  - T02 Berths
The end.
```
- no item
```"""


def kinds(body: str) -> list[str]:
    return [block.kind for block in blocks_of(body)]


def test_lines_become_blocks() -> None:
    """A line before a list is its heading; what is indented below an item belongs to it."""
    assert kinds(BODY) == ["title", "text", "heading", "item", "item", "text", "code"]
    assert blocks_of(BODY)[3].lines == ("T01 Boats", "what was found", "memory/findings/t01.md")
    assert blocks_of(BODY)[-1].lines == ("- no item",)


def test_a_fence_within_an_entry_opens_nothing() -> None:
    """Only a line of ours that is nothing else does; one that stays open ends with the report."""
    assert kinds("t\n  - item\n    ```\nend") == ["title", "item", "text"]
    assert kinds("t\n ```\nend") == ["title", "text", "text"]
    assert kinds("t\n```\na") == ["title", "code"]
    assert blocks_of("") == []


def test_a_renderer_shows_what_was_written_and_nothing_else() -> None:
    """Whatever stands in it: no link, picture, heading, HTML or emphasis of a model's making."""
    hostile = (
        "![x](https://evil.example/a.png)", "[GO](https://evil.example)", "<script>alert(1)</script>", "<https://a.b>",
        "# GO", "> quoted", "- item", "1. one", "1) one", "---", "===", "**bold**", "_it_", "`code`", "~~gone~~",
        "| a | b |", "\\[x\\](y)", "a_b_c", "+ plus", "[x]: https://evil.example", "2026-11-30: a", "12.5 USD",
    )  # fmt: skip
    parser = MarkdownIt("js-default", {"html": False, "linkify": False})
    for text in hostile:
        for body in (f"Title\n{text}", f"Title\n  - {text}\n    {text}", text, f"T\n  - a {text}"):
            html = parser.render(report_markdown(body))
            for tag in (
                "<a",
                "<img",
                "<script",
                "<em",
                "<strong",
                "<s>",
                "<table",
                "<hr",
                "<blockquote",
                "<ol",
                "<code",
            ):
                assert tag not in html, (body, html)
            assert html.count("<h1>") <= 1
            shown = "".join(
                token.content
                for one in parser.parse(report_markdown(body))
                for token in one.children or ()
            )
            if not text.startswith("- "):
                assert text in shown, (body, shown)


def test_the_checkpoint_of_a_daily_report_is_in_its_file_letter_for_letter() -> None:
    """Who cuts it out between the fences has the signed note again."""
    text = report_markdown(write_daily(a_daily(), Phrases("en")).body)
    assert text.split("```\n")[1] == NOTE
    assert text.startswith("# sprintd, the UTC day 2026-11-30\n\n2026-11-30: learned 2, rejected 1")
    assert "\n## Blocked, for a person to mend (1)\n\n- T05 The lighthouse: a figure" in text
