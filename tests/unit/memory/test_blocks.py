"""Markdown taken apart into blocks."""

from __future__ import annotations

from daemon.memory.blocks import Block, bare, one_line, read_blocks

FRAME = ("What is known", "Superseded")


def texts(body: str) -> list[str]:
    return [block.text for block in read_blocks(body, frame=FRAME)]


def test_headings_above_a_block_come_with_their_levels() -> None:
    """So that a document can tell a section from a topic."""
    assert list(read_blocks("# A\n\n### B\n\ntext\n\n## C\n")) == [
        Block("text", ("A", "B"), levels=(1, 3)),
        Block("C", ("A",), is_heading=True, levels=(1,)),
    ]


def test_a_section_of_ours_ends_every_heading_of_a_person() -> None:
    """Of the first level too; one that nothing stands below is a block of its own."""
    found = list(read_blocks("# Mine\n\n## Superseded\n\n### Topic\n\ntext\n", frame=FRAME))
    assert found == [
        Block("Mine", (), is_heading=True),
        Block("text", ("Superseded", "Topic"), levels=(2, 3)),
    ]
    assert [one.headings for one in read_blocks("# A\n\n### Superseded\n\ntext", frame=FRAME)] == [
        ("A", "Superseded")
    ]


def test_a_fence_or_comment_of_a_person_is_one_block_where_it_swallows_nothing_of_ours() -> None:
    """One that is open ends with its paragraph: what stands below it belongs to others."""
    fence = "```sh\n# a remark\n\n- x\n```"
    assert texts(f"Before\n{fence}\nafter") == ["Before", fence, "after"]
    assert texts("~~~\na\n```\nb\n~~~~\nc") == ["~~~\na\n```\nb\n~~~~", "c"]
    assert texts("<!-- a\n\nb -->\nc") == ["<!-- a\n\nb -->", "c"]
    assert texts("<!-- a -->\nb") == ["<!-- a -->", "b"]
    ours = "- text\n  Source: `a` (2026-01-01)"
    assert texts(f"```\nopen\n\n{ours}\n\n```\nx") == [
        "```\nopen",
        ours[2:].replace("  S", "S"),
        "```\nx",
    ]
    assert texts(f"<!-- open\n\n{ours}\n-->")[:2] == ["<!-- open", ours[2:].replace("  S", "S")]
    far = "```\nopen\n" + "\nline\n" * 400 + "```\n"
    assert len(texts(far)) == 401


def test_an_item_that_an_editor_broke_at_the_edge_keeps_its_sources() -> None:
    """What stands behind the sources is a text of its own."""
    source = "  Source: `a` (2026-01-01)"
    assert texts(f"- a long\nline of\ntext\n{source}\nmine\n") == [
        f"a long\nline of\ntext\n{source.strip()}", "mine"
    ]  # fmt: skip
    assert texts(f"- a\nmine\n- b\n{source}") == ["a", "mine", f"b\n{source.strip()}"]
    assert texts(f"- a\nmine\n\n{source}")[:2] == ["a", "mine"]


def test_headings_and_bullets_are_taken_off() -> None:
    """Marks at the end of a heading would be taken for none when it is read again."""
    assert one_line("a\n  b #") == "a b"
    assert bare("  - a ") == "a"
