"""What a person writes into a merged document stays there, whatever it is and wherever it stands."""

from __future__ import annotations

import random
import re
import shutil
from datetime import UTC, datetime
from pathlib import Path

from daemon.config.phrases import Phrases
from daemon.memory.consolidation import Arrange
from daemon.memory.documents import read_sheet
from daemon.memory.notes import parse_note
from daemon.memory.statements import Statement
from daemon.reports.consolidation import consolidation_as_json, write_consolidation
from daemon.sprint.merge_order import arrange_by
from tests.standins.memory_keeper import TODAY, Keeper

DOCUMENT = "memory/consolidated/market-research.md"
SECTIONS = ("## What is known", "## Where sources differ", "## Superseded")
BY_HAND = """
# A chapter of mine

Text in the chapter.

## A section of mine

- one
  - below one
1. first

| plan | price |
|---|---|
| pro | 99 |

```python
def made():

    return 1
# no heading
- no list
```

> quoted
> twice

<!-- a remark

in two parts -->

See [the page][p] and a note[^1].

[p]: https://example.org/p "Title"
[^1]: The note.

Underlined
==========

#### A deep one

Text below the deep one.

## Nothing below it
"""


def grown(root: Path) -> Keeper:
    """A document with all its sections: known, differing, unverified, superseded."""
    keeper = Keeper(root, quick=True)
    keeper.add(1, "- A seat costs USD 20 a month.", item="T01", age=30)
    keeper.add(2, "- A seat costs USD 35 a month.", item="T02", age=20, outside=True)
    keeper.add(3, "- The court has 90 judges now.\n- Something stands firm.", item="T03", age=20)
    keeper.merge()
    doubt = "\n\n## Unverified, do not cite\n\n- Perhaps this is so."
    keeper.add(4, f"- The court has 95 judges now.{doubt}", item="T03", age=8)
    keeper.merge()
    return keeper


def edit(keeper: Keeper, before: str, after: str) -> None:
    path = keeper.root / DOCUMENT
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after, 1))


def text_of(keeper: Keeper) -> str:
    return (keeper.root / DOCUMENT).read_text()


def statements_of(keeper: Keeper) -> dict[str, Statement]:
    sheet = read_sheet(parse_note((keeper.root / DOCUMENT).read_bytes(), DOCUMENT))
    assert sheet is not None
    return {one.text: one for one in sheet.statements}


def test_any_markdown_of_a_person_stays_whole_and_is_merged_once(tmp_path: Path) -> None:
    """At the top, between the sections and at the end; the next run finds nothing to do."""
    for number, place in enumerate(("## What is known", "## Superseded", "")):
        keeper = grown(tmp_path / str(number))
        edit(
            keeper,
            place or text_of(keeper),
            (BY_HAND + "\n" + place) if place else text_of(keeper) + BY_HAND,
        )
        assert keeper.merge().plan.left == ()
        text = text_of(keeper)
        for line in filter(None, (line.strip(" #") for line in BY_HAND.splitlines())):
            assert len(re.findall(rf"^[-#> ›\w]*{re.escape(line)}$", text, re.MULTILINE)) >= 1, line
        assert (
            "- ```python\n  def made():\n\n      return 1\n  # no heading\n  - no list\n  ```\n"
            in text
        )
        assert "- <!-- a remark\n\n  in two parts -->\n" in text
        assert "- | plan | price |\n  |---|---|\n  | pro | 99 |\n" in text
        for section in (
            "What is known",
            "Where sources differ",
            "Unverified, do not cite",
            "Superseded",
        ):
            assert text.count(f"## {section}\n") == 1
        assert text.count("Text in the chapter.") == text.count("# Question T03\n") - 2 == 1
        assert keeper.merge().plan.is_empty


def test_a_heading_of_a_person_stays_above_what_was_replaced(tmp_path: Path) -> None:
    """Also where what stands below it does not hold, and of the first level."""
    for number, heading in enumerate(("# My own words", "## My own words")):
        keeper = grown(tmp_path / str(number))
        for section in ("Superseded", "Where sources differ", "Unverified, do not cite"):
            edit(keeper, f"## {section}\n", f"## {section}\n\n{heading}\n")
        assert keeper.merge().plan.left == ()
        assert text_of(keeper).count("### My own words\n\n#### Question") == 3
        assert statements_of(keeper)["The court has 90 judges now."].superseded_on == "2026-11-28"
        assert statements_of(keeper)["Perhaps this is so."].unverified
        assert keeper.merge().plan.is_empty


def test_a_heading_of_a_person_is_no_part_of_what_notes_stood_under(tmp_path: Path) -> None:
    """Otherwise a newer figure of the same item would not replace the old one any more."""
    keeper = grown(tmp_path)
    edit(keeper, "## What is known", "# My own words\n\n## What is known")
    edit(keeper, "# Market research\n", "# The market, as we see it\n")
    keeper.merge()
    keeper.add(5, "- The court has 99 judges now.", item="T03", age=7)
    keeper.today = TODAY.replace(day=20)
    keeper.merge()
    assert statements_of(keeper)["The court has 95 judges now."].superseded_on == "2026-11-29"
    assert {one.topic for text, one in statements_of(keeper).items() if "court" in text} == {
        "Question T03"
    }
    assert "# The market, as we see it\n" in text_of(keeper)
    assert 'title: "The market, as we see it"' in text_of(keeper)


def test_front_matter_of_a_person_stays(tmp_path: Path) -> None:
    """Keys, lists below them and comments; our own keys are worked out again, which is told."""
    keeper = grown(tmp_path)
    added = "owner: ada  # of the market\ntags:\n  - prices\n# a remark\n"
    edit(keeper, "statements: 6\n", f"statements: 6  # a count\n{added}")
    merged = keeper.merge()
    assert f"model_headings: []\n{added}---\n" in text_of(keeper)
    (left,) = merged.plan.left
    assert left.line == "statements: 6  # a count"
    assert left.line in (tmp_path / left.kept).read_text()
    told = write_consolidation(
        datetime(2026, 12, 6, 6, tzinfo=UTC), merged, 9_000, (), Phrases("en")
    )
    assert f"Only in the archive from now on: statements: 6 # a count ({left.kept})" in told.body
    assert consolidation_as_json(merged)["left"] == [left._asdict()]
    assert keeper.merge().plan.is_empty


def test_a_document_that_a_person_made_stricter_stays_so(tmp_path: Path) -> None:
    """It was put back before: what was confidential to a person went to whoever read findings."""
    keeper = grown(tmp_path)
    edit(keeper, "sensitivity: internal", "sensitivity: confidential")
    keeper.merge()
    (text,) = keeper.documents().values()
    assert list(keeper.documents()) == ["market-research-confidential.md"]
    assert len(re.findall(r"Source: .*; confidential\)", text)) == 6

    keeper = Keeper(tmp_path / "outside", quick=True)
    keeper.add(1, "- A seat costs USD 20 a month.")
    keeper.merge()
    edit(keeper, "provenance: workspace", "provenance: outside")
    keeper.merge()
    assert "provenance: outside" in text_of(keeper)
    assert "; outside; internal)" in text_of(keeper)


def test_what_a_person_took_out_changed_or_put_below_does_not_come_back(tmp_path: Path) -> None:
    """The words of a source line decide what a statement is; without them its place does."""
    keeper = grown(tmp_path)
    edit(keeper, "Something stands firm.", "Something stands firmer.")
    old = text_of(keeper)
    start = old.index("- A seat costs USD 35")
    gone = old[start : old.index("\n\n", start)]
    edit(keeper, gone, "")
    edit(keeper, "; unverified; internal", "; internal")
    path = keeper.root / DOCUMENT
    path.write_text(path.read_text() + "\nI doubt this too.\n")
    keeper.merge()
    found = statements_of(keeper)
    assert "Something stands firmer." in found
    assert not {"Something stands firm.", "A seat costs USD 35 a month."} & found.keys()
    assert found[
        "I doubt this too."
    ].unverified  # it stands below "Superseded", which holds nothing
    assert found["Perhaps this is so."].unverified  # the heading above it still says so
    edit(keeper, "- Perhaps this is so.", "\n# Found out\n\n- Perhaps this is so.")
    edit(keeper, "; unverified; internal", "; internal")
    keeper.merge()
    assert not statements_of(keeper)["Perhaps this is so."].unverified


def test_every_line_of_a_person_is_shown_or_told_of(tmp_path: Path) -> None:
    """Odd edits at odd places, from pieces that mean something in Markdown or in our own form."""
    pieces = ["# ", "## ", "### ", "#### ", "- ", "  ", "```", "~~~ x", "<!--", "-->", "word", "> q", "1. ",
              "---", "| a | b |", "===", "Source: `x`", "Superseded", "What is known", "", "",
              "[a]: b", "\\", "title: x", "Market research"]  # fmt: skip
    keeper = grown(tmp_path)
    start, rng = text_of(keeper), random.Random(11)
    archive = tmp_path / "memory/archive"
    for number in range(60):
        lines = start.split("\n")
        for _ in range(rng.randint(1, 4)):
            some = [
                "".join(rng.choices(pieces, k=rng.randint(0, 3))) for _ in range(rng.randint(1, 5))
            ]
            some.append(f"mark{number}x")
            place = rng.randint(lines.index("# Market research"), len(lines))
            lines[place:place] = some
        (keeper.root / DOCUMENT).write_text("\n".join(lines))
        merged = keeper.merge()
        told = "\n".join([*keeper.documents().values(), *(one.line for one in merged.plan.left)])
        by_hand = [one for one in lines if one not in SECTIONS and "Source" not in one]
        for word in re.findall(r"\w+", "\n".join(by_hand)):
            assert word in told, (word, lines)
        assert "Perhaps this is so." in told
        once = sorted(text_of(keeper).split("\n"))
        keeper.merge()  # may put the topics in another order, and nothing else
        assert sorted(text_of(keeper).split("\n")) == once, lines
        assert keeper.merge().plan.is_empty, lines
        for (
            run
        ) in archive.iterdir():  # a run of each of the hundred would have a week's name of its own
            run.rename(tmp_path / f"{run.name}-{number}")


def test_a_models_headings_go_with_its_order_and_a_persons_stay(tmp_path: Path) -> None:
    """The front matter tells them apart; one heading of both is the person's."""
    keeper = grown(tmp_path)
    edit(keeper, "### Question T03", "# Mine\n\n### Question T03")

    def order(words: str) -> Arrange:
        return arrange_by({"Market research": [(words, ["Question T07"])]})

    keeper.add(7, "- A clerk answers on Mondays.", item="T07")
    keeper.merge(lambda _sheets: order("A clerk"))
    assert 'model_headings: ["A clerk"]\n' in text_of(keeper)
    assert "## A clerk\n" in text_of(keeper)
    assert "## Mine\n" in text_of(keeper)
    keeper.add(8, "- A clerk answers on Fridays too, mine says.", item="T07")
    keeper.merge(lambda _sheets: order("Mine"))
    assert "model_headings: []\n" in text_of(keeper)
    assert "A clerk\n" not in text_of(keeper)
    assert text_of(keeper).count("## Mine\n") == 1


def test_a_run_is_undone_by_copying_its_archive_back(tmp_path: Path) -> None:
    """As docs/memory.md says: documents byte for byte, and the next run merges the notes again."""
    keeper = grown(tmp_path)
    before = keeper.documents()
    keeper.add(9, "- The MARKER-9 stands here.", outside=True)
    run = keeper.merge().plan.run
    after = keeper.documents()
    for folder, to in (("consolidated", "consolidated"), ("findings", "findings")):
        kept = tmp_path / f"memory/archive/{run}" / folder
        shutil.copytree(kept, tmp_path / "memory" / to, dirs_exist_ok=True)
    assert keeper.documents() == before
    again = keeper.merge()
    assert list(again.plan.taken) == ["memory/findings/KC1/T9-9.md"]
    assert again.plan.run != run
    assert keeper.documents() == after
    shutil.copytree(kept, tmp_path / "memory/findings", dirs_exist_ok=True)
    keeper.merge()  # a note that is in the document already
    assert keeper.documents() == after
