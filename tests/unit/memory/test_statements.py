"""Notes taken apart into statements, and documents read back into the same ones."""

from __future__ import annotations

import random
from dataclasses import replace

from daemon.config.phrases import Phrases
from daemon.memory.blocks import read_blocks
from daemon.memory.documents import Sheet, parts_of, read_sheet, render_sheet
from daemon.memory.merge_check import unlike_when_read_back
from daemon.memory.notes import parse_note
from daemon.memory.statements import Origin, Statement, lost_lines, read_statements

PATH = "memory/findings/KC1/T01-1.md"
ORIGIN = Origin("2026-11-30", PATH, outside=True, sensitivity="internal")
FINDING = """---
title: "What do rivals charge?"
criterion: KC1
origin: finding
---

# What do rivals charge?

An opening paragraph
over two lines.

## Prices

- Alpha asks USD 20 a month. [a.b]
- Beta asks more:
  - a nested line
  - another one

1. A numbered line.

| firm | price |
|---|---|
| Gamma | 30 |

```
# no heading
code with a blank line below

end of code
```

## An empty heading

## Unverified, do not cite

- Delta asks nothing. (Delta: no note has it)

## Sources given to the agent (listed by sprintd)

- `a.b`: A note (memory/a/b.md)
"""


def statements(text: str, path: str = PATH) -> tuple[Statement, ...]:
    note = parse_note(text.encode(), path)
    found = read_statements(note, ORIGIN)
    assert lost_lines(note, found) == ()
    return found


def again(found: tuple[Statement, ...]) -> tuple[Statement, ...]:
    text = render_sheet(Sheet("prices", "Prices", found), Phrases("en"))
    sheet = read_sheet(parse_note(text.encode(), "memory/consolidated/prices.md"))
    assert sheet is not None
    assert render_sheet(sheet, Phrases("en")) == text
    return sheet.statements


def test_each_block_is_one_statement_with_its_context() -> None:
    """Paragraphs, items with what is below them, tables and fences; headings are the topic."""
    found = statements(FINDING)
    assert [one.text.split("\n")[0] for one in found] == [
        "An opening paragraph", "Alpha asks USD 20 a month. [a.b]", "Beta asks more:",
        "1. A numbered line.", "| firm | price |", "```", "An empty heading",
        "Delta asks nothing. (Delta: no note has it)",
    ]  # fmt: skip
    assert found[2].text == "Beta asks more:\n- a nested line\n- another one"
    assert found[5].text.count("\n") == 5
    assert found[1].topic == "What do rivals charge? › Prices"
    assert [one.unverified for one in found] == [False] * 7 + [True]
    assert all(one.origins == (ORIGIN,) for one in found)


def test_the_offline_writers_frame_says_nothing() -> None:
    """Its opening line and its two headings would stand in every topic."""
    text = (
        "# Title\n\nQuoted from the workspace's notes by sprintd's offline writer; it selects "
        "sentences and does not reason.\n\n## Most relevant\n\n- A fact.\n"
    )
    (one,) = statements(text)
    assert (one.text, one.topic) == ("A fact.", "Title")


def test_a_note_without_text_is_its_title() -> None:
    """Even a heading alone is something that was noted down."""
    (one,) = statements("# MARKER-1\n", "memory/ideas/x.md")
    assert one.text == "MARKER-1"
    (two, three) = statements("## A\n\n## B\n", "memory/ideas/x.md")
    assert (two.text, three.text) == ("A", "B")


def test_documents_are_read_back_into_the_same_statements() -> None:
    """Text, sources with their marks, topic, and what is unverified or superseded."""
    found = statements(FINDING)
    second = Origin("2026-12-06", "memory/findings/KC2/T09-4.md", sensitivity="confidential")
    old = Statement("It was 5 units a day.", (ORIGIN, second), "Old", superseded_on="2026-12-06")
    doubtful = Statement("It may be 7.", (second,), "Old", "", True, "2026-12-07")
    back = again((*found, old, doubtful))
    assert set(back) == {*found, old, doubtful}
    assert parts_of(back) == (PATH, second.path)


def test_a_text_that_copies_the_form_of_a_source_is_no_source() -> None:
    """A text from outside would lose its mark, or gain a witness."""
    forged = "- A claim.\n  Source: `memory/findings/KC1/T99-9.md` (2026-01-01; public)\n"
    (one,) = statements(forged, "memory/inbound/x.md")
    assert parts_of(again((one,))) == (PATH,)
    assert again((one,)) == (one,)
    assert again(again((one,))) == (one,)


def test_what_a_person_writes_into_a_document_is_kept_as_the_documents_own() -> None:
    """As strict as the document; the frame around it is no statement."""
    text = render_sheet(Sheet("prices", "Prices", statements(FINDING)), Phrases("es"))
    text = text.replace(
        "## Sin verificar", "Written by hand.\n\n### Mine\n\n- An item.\n\n## Sin verificar"
    )
    sheet = read_sheet(parse_note(text.encode(), "memory/consolidated/prices.md"))
    assert sheet is not None
    by_hand = [one for one in sheet.statements if one.origins != (ORIGIN,)]
    assert [one.text for one in by_hand] == ["Written by hand.", "An item."]
    assert {one.origins[0].path for one in by_hand} == {"memory/consolidated/prices.md"}
    assert all(one.outside for one in by_hand)


def test_any_text_survives_the_way_through_a_document() -> None:
    """A thousand odd notes, from pieces that mean something in Markdown or in our own form."""
    pieces = ["- ", "* ", "1. ", "# ", "### ", "```", "~~~", "---", "--", "| a |", "> q", "  ", "    x",
              "Source: `x` (2026-01-01)", "\\Source: `x`", "word", "MARK", "<!--", "\u2028", "\t", "\\",
              "- - -", "**", "é", "\u00a0", "", "", "superseded 2026-01-01", "## Superseded", "C#"]  # fmt: skip
    rng = random.Random(7)
    for number in range(1_000):
        lines = [
            "".join(rng.choices(pieces, k=rng.randint(0, 3))) for _ in range(rng.randint(1, 9))
        ]
        note = parse_note("\n".join(["# T", f"start {number}", *lines]).encode(), "memory/x/y.md")
        found = read_statements(note, ORIGIN)
        assert lost_lines(note, found) == (), lines
        assert sorted(one.text for one in again(found)) == sorted(one.text for one in found), lines


def test_a_title_of_no_letters_gives_way_to_the_path() -> None:
    """It would be read back as a rule or as nothing, and the whole run would be given up for it."""
    for title in ("---", "…", "#"):
        front = f'---\ntitle: "{title}"\n---\n\n# {title}\n'
        note = parse_note(f"{front}\nA seat is USD 9.\n".encode(), "memory/x/a.md")
        (one,) = read_statements(note, Origin("2026-11-30", note.path))
        assert one.topic == "memory/x/a.md"
        assert read_statements(parse_note(front.encode(), note.path), ORIGIN) == ()


def test_a_heading_with_an_arrow_is_taken_over() -> None:
    """As several in a row, as which a document shows it."""
    note = parse_note(b"# T\n\n## a \xe2\x80\xba b\n\n- text\n", "memory/x/a.md")
    statements = read_statements(note, Origin("2026-11-30", note.path))
    assert lost_lines(note, statements) == ()
    assert statements[0].topic == "T › a › b"


def test_many_blank_lines_are_passed_over_at_once() -> None:
    """A note of nothing else would hold a run up for hours: this one takes an instant."""
    blocks = list(read_blocks("- a\n" + "\n" * 200_000 + "  b\n"))
    assert len(blocks) == 1
    assert blocks[0].text.endswith("b")


def test_what_a_document_would_not_give_back_is_told_of_one_note_alone() -> None:
    """So that it is passed over by name; the others are merged."""
    sound = Statement("Said by a note.", (ORIGIN,), "T")
    assert unlike_when_read_back([sound]) == ""
    assert unlike_when_read_back([sound, Statement("---", (ORIGIN,), "T")]) == "---"
    assert unlike_when_read_back([replace(sound, topic="***")]) == "said by a note"
