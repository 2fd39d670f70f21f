"""What can be quoted from a note."""

from __future__ import annotations

import pytest

from daemon.llm.passages import read_paragraphs

NOTE = """\
---
title: Cocoa prices
as_of: 2026-05-01
---

# Cocoa prices and who pays them

Farm gate prices doubled within a
single season. Buyers paid late in March.
Source: https://example.org/prices (2026-05-01)
Also: https://example.org/other

The reasons are these three:

- Rain destroyed a third of the harvest.
- Old trees give fewer pods each year.

1. [ ] Call the board of exporters soon
- https://example.org/bare-link-only

> Quoted speech counts as a sentence too.

Short heading line
------------------

```python
print("this is code and no sentence at all")
```

<!-- a comment that nobody is meant to read
over two lines, is no sentence either. -->

| Country | Tonnes |
|---------|-------:|
| Peru    | 140000 |
| Ghana   | 680000 |

Is this question an answer to anything?
"""


def texts_of(note: str) -> list[str]:
    return [passage.text for paragraph in read_paragraphs(note) for passage in paragraph.passages]


def test_sentences_items_quotes_and_rows_are_passages_and_nothing_else() -> None:
    """No front matter, heading, source line, bare link, to-do, code, comment or question."""
    assert texts_of(NOTE) == [
        "Farm gate prices doubled within a single season.",
        "Buyers paid late in March.",
        "Rain destroyed a third of the harvest.",
        "Old trees give fewer pods each year.",
        "Quoted speech counts as a sentence too.",
        "| Peru | 140000 |",
        "| Ghana | 680000 |",
    ]


def test_heading_and_lead_in_explain_a_paragraph() -> None:
    """An item is found by the words that lead it in; a row keeps its header."""
    paragraphs = read_paragraphs(NOTE)
    assert paragraphs[0].around == "Cocoa prices and who pays them"
    assert paragraphs[2].around.endswith("The reasons are these three:")
    assert paragraphs[-1].around == "Short heading line"
    assert paragraphs[-1].passages[0].header == ("| Country | Tonnes |", "|---------|-------:|")


@pytest.mark.parametrize(
    "line",
    [
        "Too short here.",
        "word " * 90,
        "An escape \x1b[31m hides in this sentence.",
        "This sentence turns \u202e around in the middle.",
        "This sentence holds half \ud800 of a character.",
        "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15.",
        "This line leads in something else:",
    ],
)
def test_what_cannot_be_quoted_well_is_left_out(line: str) -> None:
    """Too short, too long, unprintable or without words."""
    assert texts_of(line) == []


@pytest.mark.parametrize(
    "note",
    [
        "x" * 100_000,
        "word " * 50_000,
        "# " + " #" * 50_000 + " x",
        " " * 100_000 + "x",
        "http://" + "." * 100_000 + " x",
        "[" * 100_000,
        "|" * 100_000,
        "| a |\n|" + "-|" * 50_000 + "x\n| b |",
        "---\n" * 50_000,
        "- " * 50_000,
        "> " * 50_000,
        "```\nnever closed",
        "\x00\x01\u202e" * 10_000,
        "混ざった文字と العربية and כתב 🙂 " * 2_000,
        "*" * 100_000,
        "",
    ],
)
def test_hostile_notes_are_read_without_harm(note: str) -> None:
    """No text raises, and no passage is longer than a sentence."""
    assert all(len(text) <= 500 for text in texts_of(note))
