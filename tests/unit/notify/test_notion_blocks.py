"""Markdown becomes Notion's blocks, in order, within its limits, with nothing lost."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.config.visible import visible
from daemon.notify.notion_blocks import batches, blocks_of, rich_text
from tests.standins.notion_rules import block_faults, plain


def shown(markdown: str) -> list[tuple[str, str]]:
    return [(b["type"], plain(b[b["type"]]["rich_text"])) for b in blocks_of(markdown)]


def test_each_form_of_markdown_has_its_block() -> None:
    """Lines that belong together stay one paragraph; blanks part them."""
    text = "# One\n## Two\n#### Four\ntext\ngoes on\n\n- item\n2. second\n> said\n\nend"
    assert shown(text) == [
        ("heading_1", "One"),
        ("heading_2", "Two"),
        ("heading_3", "Four"),
        ("paragraph", "text\ngoes on"),
        ("bulleted_list_item", "item"),
        ("numbered_list_item", "second"),
        ("quote", "said"),
        ("paragraph", "end"),
    ]


@settings(max_examples=40, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=400), st.integers(1, 40))
def test_any_text_is_within_the_limits_and_keeps_its_words(text: str, times: int) -> None:
    """As the strict stand-in counts; of what is seen only blanks and the marks of Markdown may go, and
    what nobody sees is not there."""
    blocks = blocks_of(text * times)
    for batch in batches(blocks):
        assert list(block_faults(batch)) == []
    kept = "".join(word for _, said in shown(text * times) for word in said.split())
    marks = set("#-*+>.)0123456789 ")
    assert {sign for sign in text if sign.strip() and visible(sign) == sign} - marks <= set(kept)
    assert visible(kept) == kept


def test_a_paragraph_of_4218_characters_is_split_and_joins_to_itself() -> None:
    """Items of at most 2,000, in order."""
    text = "".join(chr(97 + n % 26) for n in range(4_218))
    pieces = [piece["text"]["content"] for piece in rich_text(text)]
    assert [len(piece) for piece in pieces] == [2_000, 2_000, 218]
    assert "".join(pieces) == text


def test_191_blocks_are_two_requests_in_order() -> None:
    """At most 100 a request."""
    blocks = blocks_of("\n".join(f"- item {n}" for n in range(191)))
    found = batches(blocks)
    assert [len(batch) for batch in found] == [100, 91]
    assert [block for batch in found for block in batch] == blocks
    assert batches([]) == []


def test_a_request_stays_below_notions_bytes() -> None:
    """Forty blocks of 30,000 characters are more than one request."""
    found = batches(blocks_of("\n\n".join("é" * 30_000 for _ in range(40))))
    assert len(found) > 1
    assert all(len(json.dumps(batch)) < 450_000 for batch in found)


def test_a_paragraph_of_wide_characters_fits_into_its_requests() -> None:
    """100 full pieces of them are more bytes than a request may have."""
    for text in ("\u6f22" * 199_999, "\U0001f600" * 99_999, "\u6f22" * 200_001):
        blocks = blocks_of(text)
        parts = batches(blocks)
        assert all(len(json.dumps(part)) < 410_000 for part in parts)
        assert "".join(plain(block["paragraph"]["rich_text"]) for block in blocks) == text
