"""What may happen to the memory's folder, disk and clock, and that nothing is lost by it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from daemon.errors import SprintdError
from daemon.memory.consolidation import consolidate
from daemon.memory.merge_check import MemoryLoss
from daemon.memory.writing import MemoryUnwritable
from tests.acceptance.test_consolidation import assert_whole, fill
from tests.standins.memory_keeper import Keeper

FRONT = (
    b'---\ntitle: "Q"\nitem: "T9"\ncriterion: "KC1"\nagent: "ada"\ncreated_at: "2026-11-01T09:00:00Z"\n'
    b"provenance: outside\nsensitivity: internal\n---\n"
)


class Killed(BaseException):
    pass


def after(last: int) -> Callable[[str], None]:
    """Dies after so many steps."""
    steps: list[str] = []

    def die(step: str) -> None:
        steps.append(step)
        if len(steps) > last:
            raise Killed

    return die


def test_a_crash_of_the_run_and_one_of_its_recovery_lose_nothing(tmp_path: Path) -> None:
    """Wherever either comes; the third run finishes, and is like one that nothing happened to."""
    whole = Keeper(tmp_path / "whole", quick=True)
    for numbers in (range(4), range(4, 8)):
        fill(whole, numbers)
        whole.merge()
    for first in range(0, 12, 2):
        for second in range(0, 12, 3):
            keeper = Keeper(tmp_path / f"{first}-{second}", quick=True)
            fill(keeper, range(4))
            keeper.merge()
            fill(keeper, range(4, 8))
            for last in (first, second):
                try:
                    keeper.merge(at=after(last))
                except Killed:
                    told = keeper.everything()
                    assert all(f"MARKER-{one}." in told for one in range(8))
            keeper.merge()
            assert_whole(keeper, range(8))
            assert keeper.documents() == whole.documents()


def test_a_disk_that_is_full_at_any_write_or_move_leaves_old_or_new(tmp_path: Path) -> None:
    """The journal is there by then, so the next run goes on where this one stopped."""
    for last in range(100):
        keeper = Keeper(tmp_path / str(last), quick=True)
        fill(keeper, range(4))
        keeper.merge()
        fill(keeper, range(4, 8))
        hands, done = keeper.hands(), list[str]()

        def write(path: str, data: bytes, hands=hands, done=done, last=last) -> None:  # type: ignore[no-untyped-def]
            done.append(path)
            if len(done) > last:
                raise MemoryUnwritable(f"cannot write {path}: the disk or the quota is full")
            hands.write(path, data)

        def move(path: str, to: str, sha256: str, hands=hands, done=done, last=last) -> bool:  # type: ignore[no-untyped-def]
            done.append(path)
            if len(done) > last:
                raise MemoryUnwritable(f"cannot move {path}: the disk or the quota is full")
            return bool(hands.move(path, to, sha256))

        full = replace(hands, write=write, move=move)
        try:
            consolidate(keeper.root, keeper.scope(), keeper.rules(), full)
        except MemoryUnwritable:
            told = keeper.everything()
            assert all(f"MARKER-{one}." in told for one in range(8))
            assert keeper.merge().recovered
        assert_whole(keeper, range(8))
        if len(done) <= last:
            break
    assert last > 8


def test_notes_of_any_form_are_taken_over_or_left_by_name(tmp_path: Path) -> None:
    """Marks at the start, line ends of other systems, no last line end, names that differ by case,
    the same item twice, a folder that is called like a note."""
    keeper = Keeper(tmp_path, quick=True)
    folder = keeper.add(1, "- MARKER-1 is here.").parent
    sound = {
        "bom.md": b"\xef\xbb\xbf" + FRONT + b"\n- BOM-MARK stands.\n",
        "crlf.md": (FRONT + b"\n- CRLF-MARK stands.\n").replace(b"\n", b"\r\n"),
        "open.md": FRONT + b"- OPEN-MARK stands",
        "nul.md": FRONT + b"- NUL-MARK \x00 stands.\n",
        "same.md": FRONT + b"- LOWER-MARK stands.\n",
        "Same.md": FRONT + b"- UPPER-MARK stands.\n",
        "dir.md/in.md": FRONT + b"- INNER-MARK stands.\n",
    }
    empty = (
        b"",
        b"\n \n",
        b"\xef\xbb\xbf",
        b"---\norigin: finding\n---\n\n---\n",
        b"---\ntitle: \n---\n",
    )
    odd = {f"empty-{number}.md": data for number, data in enumerate(empty)}
    odd |= {"large.md": b"x " * 2_600_000, "bin.md": bytes(range(256))}
    (folder / "dir.md").mkdir()
    for name, data in {**sound, **odd}.items():
        (folder / name).write_bytes(data)
        os.utime(folder / name, (0, 0))
    os.mkfifo(folder / "pipe.md")
    merged = keeper.merge()
    text = keeper.documents()["market-research.md"]
    assert "empty" not in text  # nobody stated its name
    for mark in ("BOM", "CRLF", "OPEN", "NUL", "LOWER", "UPPER", "INNER"):
        line = next(line for line in text.split("\n- ") if f"{mark}-MARK" in line)
        assert "(2026-11-01; outside; internal)" in line
    left = {one.path.rpartition("/")[2] for one in merged.snapshot.skipped}
    assert left == {*odd, "pipe.md"}
    archive = tmp_path / f"memory/archive/{merged.plan.run}/findings/KC1"
    assert all((archive / name).read_bytes() == data for name, data in sound.items())
    assert all((folder / name).read_bytes() == data for name, data in odd.items())


def test_weeks_years_and_a_clock_that_goes_back_never_share_an_archive(tmp_path: Path) -> None:
    """Week 53, the first days of a year, the same week twice, and years ago."""
    keeper = Keeper(tmp_path, quick=True)
    days = ((2026, 12, 27), (2027, 1, 3), (2027, 1, 4), (2026, 1, 3), (2027, 1, 1), (2021, 1, 1))
    kept: dict[Path, bytes] = {}
    for number, day in enumerate(days):
        keeper.today = date(*day)
        fill(keeper, range(number * 4, number * 4 + 4))
        keeper.merge()
        assert_whole(keeper, range(number * 4 + 4))
        assert all(path.read_bytes() == data for path, data in kept.items())
        files = (tmp_path / "memory/archive").rglob("*")
        kept = {path: path.read_bytes() for path in files if path.is_file()}
    runs = sorted(path.name for path in (tmp_path / "memory/archive").iterdir())
    assert runs == ["2020-W53", "2026-W01", "2026-W52", "2026-W53", "2026-W53-2", "2027-W01"]


def test_whatever_stands_in_the_place_of_a_document_is_not_replaced(tmp_path: Path) -> None:
    """A link, an empty file, a folder, bytes; one that a person deleted is made anew."""

    def link(path: Path) -> None:
        path.symlink_to(tmp_path / "elsewhere.md")

    odd: dict[str, Callable[[Path], object]] = {
        "link": link, "empty": Path.touch, "folder": Path.mkdir,
        "bytes": lambda path: path.write_bytes(b"\xff\xfe"), "gone": lambda _path: None,
    }  # fmt: skip
    (tmp_path / "elsewhere.md").write_text("mine")
    for name, make in odd.items():
        keeper = Keeper(tmp_path / name, quick=True)
        fill(keeper, range(4))
        keeper.merge()
        fill(keeper, range(4, 8))
        path = keeper.root / "memory/consolidated/market-research.md"
        path.unlink()
        make(path)
        if name == "gone":
            keeper.merge()
            assert "MARKER-4" in "".join(keeper.documents().values())
            continue
        with pytest.raises(SprintdError, match=r"consolidated/market-research\.md") as error:
            keeper.merge()
        assert isinstance(error.value, MemoryLoss) or name == "folder"
        assert len(list((keeper.root / "memory/findings").rglob("*.md"))) == 4
        assert (tmp_path / "elsewhere.md").read_text() == "mine"
