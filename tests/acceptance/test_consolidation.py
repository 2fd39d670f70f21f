"""Promise 11: consolidation loses no fact, whatever happens to it."""

from __future__ import annotations

import os
import random
import re
import resource
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from daemon.errors import AlreadyRunning
from daemon.memory.consolidation import Arrange, Merged
from daemon.memory.documents import Sheet, read_sheet
from daemon.memory.journal import Changed
from daemon.memory.lock import memory_lock
from daemon.memory.merge_check import MemoryLoss
from daemon.memory.notes import parse_note
from daemon.memory.statements import Statement
from daemon.memory.writing import MemoryUnwritable
from tests.standins.memory_keeper import Keeper

CHECKOUT = Path(__file__).parents[2]
NOTES = 48


def fill(keeper: Keeper, numbers: Sequence[int]) -> None:
    """Each note carries a marker, a figure that others contradict, and what all of them say."""
    for number in numbers:
        body = (
            f"- Alone in its line stands MARKER-{number}.\n"
            f"- The licence of product {number % 5} costs {number} dollars a month.\n\n"
            f"Everybody says this.\n\n## Unverified, do not cite\n\n- Perhaps DOUBT-{number}. (no note has it)"
        )
        keeper.add(number, body, criterion=f"KC{number % 4}", outside=number % 3 == 0,
                   agent="compliance-specialist" if number % 7 == 0 else "ada")  # fmt: skip


def statements_of(keeper: Keeper) -> list[Statement]:
    """Those of the documents and of the archive's files of statements."""
    found: list[Statement] = []
    files = [*(keeper.root / "memory/consolidated").glob("*.md")]
    files += (keeper.root / "memory/archive").glob("*/statements/*.md")
    for path in files:
        sheet = read_sheet(parse_note(path.read_bytes(), str(path.relative_to(keeper.root))))
        assert sheet is not None
        found += sheet.statements
    return found


def assert_whole(keeper: Keeper, numbers: Sequence[int]) -> None:
    """Every marker is in a statement with its source and its mark, and in a note that is kept."""
    found = statements_of(keeper)
    by_text = {text: one for one in found for text in re.findall(r"(?:MARKER|DOUBT)-\d+", one.text)}
    archive = "\n".join(
        p.read_text() for p in (keeper.root / "memory/archive").rglob("findings/**/*.md")
    )
    for number in numbers:
        marker, doubt = by_text[f"MARKER-{number}"], by_text[f"DOUBT-{number}"]
        assert marker.outside == (number % 3 == 0)
        assert marker.origins[0].path.endswith(f"-{number}.md")
        assert not marker.unverified
        assert doubt.unverified
        assert f"MARKER-{number}." in archive
    for name, text in keeper.documents().items():
        assert len(text.encode()) <= keeper.ceiling, name
        outside = any(int(number) % 3 == 0 for number in re.findall(r"MARKER-(\d+)", text))
        assert ("provenance: outside" in text) >= outside


def test_48_notes_become_four_documents_and_no_marker_is_lost(tmp_path: Path) -> None:
    """In documents and archive; the notes themselves are in the archive byte for byte."""
    keeper = Keeper(tmp_path)
    fill(keeper, range(NOTES))
    before = {path.name: path.read_bytes() for path in tmp_path.rglob("memory/findings/**/*.md")}
    merged = keeper.merge()
    assert list(keeper.documents()) == [
        "compliance-analysis.md", "funding-intelligence.md", "market-research.md", "technical-findings.md"
    ]  # fmt: skip
    assert_whole(keeper, range(NOTES))
    kept = {
        path.name: path.read_bytes()
        for path in tmp_path.rglob("memory/archive/**/findings/**/*.md")
    }
    assert kept == before
    assert list(tmp_path.rglob("memory/findings/**/*.md")) == []
    assert len(merged.plan.taken) == len(keeper.moved) == NOTES
    assert keeper.merge().plan.is_empty


def test_a_second_run_with_nothing_new_changes_no_byte(tmp_path: Path) -> None:
    """Figures of which some were replaced and some differ, in many orders, with many sources each."""
    words = (
        "The Berlin survey counted %d growers in %d towns.",
        "A tuber of row %d loses %d grams.",
    )
    for seed in range(4):
        rng, keeper = random.Random(seed), Keeper(tmp_path / str(seed), quick=True)
        for number in range(NOTES):
            some = [
                f"## {rng.choice('ABC')}\n\n- {rng.choice(words) % (rng.randint(1, 3), rng.randint(1, 9))}"
                for _ in range(4)
            ]
            keeper.add(
                number, "\n\n".join(some), item=f"T{rng.randint(1, 7)}", age=rng.randint(8, 40)
            )
        keeper.merge()
        before = keeper.documents()
        assert "superseded" in before["market-research.md"], seed
        assert keeper.merge().plan.is_empty
        assert keeper.documents() == before


def test_200_weeks_lose_nothing_and_stay_within_the_ceiling(tmp_path: Path) -> None:
    """Four years of Sundays; in between a person edits a document, and the rest goes on."""
    keeper = Keeper(tmp_path, ceiling=3_000, quick=True)
    numbers: list[int] = []
    for week in range(200):
        new = range(len(numbers), len(numbers) + (NOTES if week == 0 else 1))
        fill(keeper, new)
        numbers += new
        keeper.merge()
        keeper.today += timedelta(days=7)
        if week == 100:
            path = tmp_path / "memory/consolidated/market-research.md"
            path.write_text(path.read_text().replace("\n## ", "\nBY-HAND\n\n## ", 1))
    assert_whole(keeper, numbers)
    assert len(keeper.documents()) == 4
    assert any(one.text == "BY-HAND" for one in statements_of(keeper))


def drop(sheet: Sheet) -> Sheet:
    return replace(sheet, statements=sheet.statements[: len(sheet.statements) // 2])


def cut(sheet: Sheet) -> Sheet:
    return replace(
        sheet, statements=tuple(replace(one, text=one.text[:5]) for one in sheet.statements)
    )


def whiten(sheet: Sheet) -> Sheet:
    some = (
        replace(one, origins=tuple(replace(o, outside=False) for o in one.origins))
        for one in sheet.statements
    )
    return replace(sheet, statements=tuple(some))


def invent(sheet: Sheet) -> Sheet:
    return replace(
        sheet, statements=tuple(replace(one, text="All is well.") for one in sheet.statements)
    )


def turn(sheet: Sheet) -> Sheet:
    return replace(sheet, statements=tuple(reversed(sheet.statements)))


@pytest.mark.parametrize("fault", [drop, cut, whiten, invent])
def test_an_arrangement_that_loses_something_is_not_used(tmp_path: Path, fault: Arrange) -> None:
    """The documents are written in the plain order then, and whole."""
    keeper = Keeper(tmp_path)
    fill(keeper, range(NOTES))
    merged = keeper.merge(lambda _sheets: fault)
    assert not merged.arranged
    assert_whole(keeper, range(NOTES))


def test_an_arrangement_that_only_orders_is_used(tmp_path: Path) -> None:
    """It is asked for without the lock, which another run can take meanwhile."""
    keeper = Keeper(tmp_path)
    fill(keeper, range(NOTES))

    def ask(sheets: Sequence[Sheet]) -> Arrange:
        assert len(sheets) == 4
        with memory_lock(tmp_path / "state"):
            return turn

    assert keeper.merge(ask).arranged
    assert_whole(keeper, range(NOTES))


def test_a_note_written_while_a_model_thinks_waits(tmp_path: Path) -> None:
    """So does one that was changed; neither is touched."""
    keeper = Keeper(tmp_path)
    fill(keeper, range(4))
    changed = tmp_path / "memory/findings/KC1/T1-1.md"

    def ask(_sheets: Sequence[Sheet]) -> Arrange:
        keeper.add(90, "- MARKER-90 came late.")
        changed.write_text(changed.read_text() + "\n- MARKER-91 was added.\n")
        return turn

    merged = keeper.merge(ask)
    assert {one.path for one in merged.snapshot.waiting} == {
        "memory/findings/KC1/T1-1.md", "memory/findings/KC1/T90-90.md"
    }  # fmt: skip
    assert "MARKER-91" in changed.read_text()
    keeper.merge()
    assert "MARKER-90" in "".join(keeper.documents().values())
    assert "MARKER-91" in "".join(keeper.documents().values())


def test_a_note_changed_at_the_last_moment_stays(tmp_path: Path) -> None:
    """Between the plan and its turn: it is in the document as it was, and merged again later."""
    keeper = Keeper(tmp_path)
    path = keeper.add(1, "- MARKER-1 is old.")

    def edit(step: str) -> None:
        if step == "journal":
            path.write_text(path.read_text() + "\n- MARKER-2 is new.\n")

    assert keeper.merge(at=edit).staying == ("memory/findings/KC1/T1-1.md",)
    assert "MARKER-2" in path.read_text()
    keeper.merge()
    (text,) = keeper.documents().values()
    assert text.count("MARKER-1 is old") == text.count("MARKER-2 is new") == 1


def test_a_document_edited_at_the_last_moment_is_left_alone(tmp_path: Path) -> None:
    """The run is given up before it wrote anything; the next one merges what is there."""
    keeper = Keeper(tmp_path)
    fill(keeper, range(4))
    keeper.merge()
    fill(keeper, range(4, 8))
    path = tmp_path / "memory/consolidated/technical-findings.md"

    def edit(step: str) -> None:
        if step == "journal":
            path.write_text(path.read_text() + "\nBY-HAND\n")

    with pytest.raises(Changed):
        keeper.merge(at=edit)
    assert "BY-HAND" in path.read_text()
    keeper.merge()
    assert "BY-HAND" in path.read_text()
    assert_whole(keeper, range(8))


def test_what_differs_stands_side_by_side_and_what_was_replaced_says_when(tmp_path: Path) -> None:
    """Two items contradict each other; one item changed its own figure; both keep their sources."""
    keeper = Keeper(tmp_path)
    keeper.add(1, "- A seat costs USD 20 a month.", item="T01", age=30)
    keeper.add(2, "- A seat costs USD 35 a month.", item="T02", age=20, outside=True)
    keeper.add(3, "- The court has 90 judges now.", item="T03", age=20)
    keeper.merge()
    keeper.add(4, "- The court has 95 judges now.", item="T03", age=8)
    keeper.merge()
    (text,) = keeper.documents().values()
    known, rest = text.split("## Where sources differ\n")
    pairs, old = rest.split("## Unverified, do not cite\n")
    assert "95 judges" in known
    assert [line for line in pairs.splitlines() if line.startswith(("- ", "  Source"))] == [
        "- A seat costs USD 20 a month.",
        "  Source: `memory/findings/KC1/T01-1.md` (2026-11-06; internal)",
        "- A seat costs USD 35 a month.",
        "  Source: `memory/findings/KC1/T02-2.md` (2026-11-16; outside; internal)",
    ]
    assert "## Superseded" in old
    assert (
        "  Source: `memory/findings/KC1/T03-3.md` (2026-11-16; superseded 2026-11-28; internal)"
        in old
    )


def test_an_archive_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    """Nothing leaves the workspace, and nothing is merged until it is gone."""
    keeper = Keeper(tmp_path / "root")
    fill(keeper, range(3))
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "root/memory/archive").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Changed, match=r"index\.json: a folder on the way is a symbolic link"):
        keeper.merge()
    assert list((tmp_path / "elsewhere").iterdir()) == []
    (tmp_path / "root/memory/archive").unlink()
    keeper.merge()
    assert_whole(keeper, range(3))


class Killed(BaseException):
    pass


def test_a_crash_at_any_step_leaves_all_and_the_next_run_finishes(tmp_path: Path) -> None:
    """Old or new, never neither: after every step all markers stand somewhere."""
    steps: list[str] = []
    trial = Keeper(tmp_path / "trial")
    fill(trial, range(6))
    trial.merge()
    fill(trial, range(6, 12))
    trial.merge(at=steps.append)
    assert len(steps) > 12

    for number, last in enumerate(steps):
        keeper = Keeper(tmp_path / str(number))
        fill(keeper, range(6))
        keeper.merge()
        fill(keeper, range(6, 12))

        def die(step: str, last: str = last) -> None:
            if step == last:
                raise Killed

        with pytest.raises(Killed):
            keeper.merge(at=die)
        told = keeper.everything()
        assert all(f"MARKER-{one}." in told for one in range(12)), last
        for text in keeper.documents().values():
            assert text.endswith(")\n")
        merged = keeper.merge()
        assert merged.recovered == (last != "end")
        assert_whole(keeper, range(12))
        assert keeper.documents() == trial.documents()
        assert not (keeper.root / "state/consolidation.json").exists()


@pytest.mark.parametrize("step", ["journal", "write/3", "move/12"])
def test_a_process_that_dies_is_finished_by_the_next(tmp_path: Path, step: str) -> None:
    """The lock dies with it, and the journal is on the disk."""
    keeper = Keeper(tmp_path)
    fill(keeper, range(8))
    command = [sys.executable, "-m", "tests.standins.memory_keeper", str(tmp_path), step]
    assert subprocess.run(command, cwd=CHECKOUT, check=False).returncode == 9
    assert keeper.merge().recovered
    assert_whole(keeper, range(8))


def test_two_runs_at_once_are_one(tmp_path: Path) -> None:
    """The second is told so; what a dead one left of its lock keeps nobody out."""
    keeper = Keeper(tmp_path)
    fill(keeper, range(4))
    (tmp_path / "state").mkdir()
    (tmp_path / "state/memory.lock").write_text(f"{os.getpid()}\n")
    with memory_lock(tmp_path / "state"), pytest.raises(AlreadyRunning):
        keeper.merge()
    ends: list[Merged | Exception] = []

    def run() -> None:
        try:
            ends.append(Keeper(tmp_path).merge())
        except AlreadyRunning as error:
            ends.append(error)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(isinstance(end, Merged) and bool(end.plan.taken) for end in ends) == 1
    assert_whole(keeper, range(4))


def test_a_full_disk_leaves_the_old_state(tmp_path: Path) -> None:
    """Nothing was begun, because the journal comes first; with room the run is done."""
    keeper = Keeper(tmp_path)
    fill(keeper, range(8))
    before = {path: path.read_bytes() for path in (tmp_path / "memory").rglob("*.md")}
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (500, hard))
    try:
        with pytest.raises(MemoryUnwritable, match="the disk or the quota is full"):
            keeper.merge()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert before == {path: path.read_bytes() for path in (tmp_path / "memory").rglob("*.md")}
    keeper.merge()
    assert_whole(keeper, range(8))


def test_odd_files_are_passed_over_by_name_and_stay_as_they_are(tmp_path: Path) -> None:
    """Not UTF-8, broken front matter, links of both kinds, too large, named by the map, still in use."""
    keeper = Keeper(tmp_path)
    folder = keeper.add(1, "- MARKER-1 is sound.").parent
    (folder / "bin.md").write_bytes(b"# Bin\n\xff\xfe x\n")
    (folder / "front.md").write_text("---\ntitle: [\n---\ntext\n")
    (folder / "large.md").write_text("x " * 200_000)
    (tmp_path / "secret.txt").write_text("SECRET")
    (folder / "link.md").symlink_to(tmp_path / "secret.txt")
    os.link(tmp_path / "secret.txt", folder / "hard.md")
    keeper.add(2, "- MARKER-2 is mapped.")
    keeper.add(3, "- MARKER-3 is held.")
    keeper.add(4, "- MARKER-4 is young.", age=2)
    keeper.mapped, keeper.held = (
        {"memory/findings/KC1/T2-2.md": "own"},
        {"memory/findings/KC1/T3-3.md"},
    )
    before = {path: path.read_bytes() for path in folder.iterdir() if path.name != "T1-1.md"}
    merged = keeper.merge()
    assert before == {path: path.read_bytes() for path in folder.iterdir()}
    assert [one.path.rpartition("/")[2] for one in merged.snapshot.skipped] == [
        "T2-2.md", "bin.md", "front.md", "hard.md", "large.md", "link.md"
    ]  # fmt: skip
    assert [one.path.rpartition("/")[2] for one in merged.snapshot.waiting] == [
        "T3-3.md",
        "T4-4.md",
    ]
    (text,) = keeper.documents().values()
    assert "MARKER-1" in text
    assert "SECRET" not in text


def test_a_file_that_sprintd_did_not_write_is_never_replaced(tmp_path: Path) -> None:
    """Also not one that was damaged: the run says which, and does nothing."""
    keeper = Keeper(tmp_path)
    fill(keeper, range(4))
    path = keeper.write("memory/consolidated/market-research.md", "# My own\n")
    with pytest.raises(MemoryLoss, match="is no merged document; mend it or move it away"):
        keeper.merge()
    assert path.read_text() == "# My own\n"
    assert len(list(tmp_path.rglob("memory/findings/**/*.md"))) == 4


def test_documents_are_split_by_who_may_read_their_parts(tmp_path: Path) -> None:
    """And by what is confidential: what one note gave to nobody else stays so in a document."""
    keeper = Keeper(tmp_path)
    ben = frozenset({"ben"})
    keeper.folders = ("memory/findings/", "memory/ideas/")
    keeper.add(1, "- ONLY-BEN", criterion="KC0")
    keeper.add(2, "- BOTH")
    keeper.add(3, "- PRIVATE", sensitivity="confidential")
    os.utime(keeper.write("memory/ideas/x.md", "- PEOPLE"), (0, 0))

    def readers(path: str) -> frozenset[str]:
        if "/ideas/" in path:
            return frozenset()
        return ben if "/KC0/" in path else ben | {"ada"}

    keeper.readers = readers
    keeper.merge()
    documents = keeper.documents()
    assert {
        name: re.findall("ONLY-BEN|BOTH|PRIVATE|PEOPLE", text) for name, text in documents.items()
    } == {
        "market-research.md": ["BOTH"],
        "market-research-ben.md": ["ONLY-BEN"],
        "market-research-confidential.md": ["PRIVATE"],
        "market-research-people.md": ["PEOPLE"],
    }
    assert "sensitivity: confidential" in documents["market-research-confidential.md"]


def test_nothing_is_cut_however_small_the_room(tmp_path: Path) -> None:
    """A statement that is larger than the ceiling goes to the archive whole."""
    keeper = Keeper(tmp_path, ceiling=2_000)
    long = "word " * 2_000 + "MARKER-END"
    keeper.add(1, f"- {long}\n- MARKER-SHORT")
    rng = random.Random(3)
    for number in range(2, 30):
        keeper.add(number, "- " + " ".join(f"w{rng.randint(0, 999)}" for _ in range(40)))
    keeper.merge()
    (text,) = keeper.documents().values()
    assert len(text.encode()) <= 2_000
    assert any(one.text == long for one in statements_of(keeper))
    assert len(statements_of(keeper)) == 30


def test_a_note_for_which_a_full_document_has_no_room_is_in_the_archive(tmp_path: Path) -> None:
    """Also where the document itself stays as it was."""
    keeper = Keeper(tmp_path, ceiling=2_000)
    for number in range(20):
        keeper.add(number, f"- MARKER-{number} " + "word " * 20)
    keeper.merge()
    before = keeper.documents()
    keeper.add(20, "- MARKER-OLD " + "word " * 60, age=300)
    keeper.merge()
    assert keeper.documents() == before
    assert any("MARKER-OLD" in one.text for one in statements_of(keeper))


def test_a_figure_that_many_notes_give_differently_does_not_empty_its_document(
    tmp_path: Path,
) -> None:
    """As a survey that counts anew each week: its oldest counts leave for the archive, and no others do
    for their sake; those that stay still stand side by side."""
    keeper = Keeper(tmp_path, ceiling=4_000, quick=True)
    for number in range(48):
        keeper.add(number, f"- The Berlin survey counted {number} growers.", age=60 - number)
    keeper.add(90, "- MARKER-90 stands for itself.", age=61)
    keeper.merge()
    text = keeper.documents()["market-research.md"]
    assert "MARKER-90" in text
    counted = [int(found) for found in re.findall(r"counted (\d+) growers", text)]
    assert counted == list(range(48 - len(counted), 48))
    assert len(counted) > 5
    assert text.count("## Where sources differ") == 1
    assert len(text.encode()) <= keeper.ceiling
    assert len(set(re.findall(r"counted \d+ growers", keeper.everything()))) == 48
    assert keeper.merge().plan.is_empty
