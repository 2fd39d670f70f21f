"""Reports as files."""

from __future__ import annotations

import resource
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from daemon.reports.files import (
    MOST_AT_ONCE,
    ReportUnwritable,
    file_name,
    keep_files,
    reports_folder,
)
from daemon.store.database import Database
from daemon.store.reports import ReportKind, ReportRow, save_report
from tests.unit.reports.money import NOON


def keep(db: Database, kind: ReportKind, slot: datetime, body: str = "Title\ntext") -> None:
    save_report(db, ReportRow(kind, slot, body, {}, slot))


def names(state: Path) -> list[str]:
    return sorted(path.name for path in reports_folder(state).iterdir())


def test_each_report_has_a_file_named_by_kind_and_slot(db: Database, tmp_path: Path) -> None:
    """Whole or not at all, for its owner only; other kinds stay in the database."""
    keep(db, "daily", NOON, "Title\n  - *a*")
    keep(db, "digest", NOON.replace(second=7))
    keep(db, "silence", NOON)
    assert keep_files(db, tmp_path, 400, NOON) == 2
    assert names(tmp_path) == ["daily-2026-11-30T1200Z.md", "digest-2026-11-30T120007.000000Z.md"]
    path = reports_folder(tmp_path) / file_name("daily", NOON)
    assert path.read_text() == "# Title\n\n- \\*a\\*\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_second_time_writes_nothing_and_what_is_missing_is_written_again(
    db: Database, tmp_path: Path
) -> None:
    """So a crash between the report and its file is mended; a person's edit stays."""
    keep(db, "daily", NOON)
    keep(db, "review", NOON)
    keep_files(db, tmp_path, 400, NOON)
    mine, gone = (reports_folder(tmp_path) / file_name(kind, NOON) for kind in ("daily", "review"))  # type: ignore[arg-type]
    mine.write_text("my remarks")
    gone.unlink()
    assert keep_files(db, tmp_path, 400, NOON) == 1
    assert mine.read_text() == "my remarks"
    assert gone.exists()


def test_what_is_too_old_is_removed_and_only_that(db: Database, tmp_path: Path) -> None:
    """Files of ours, by the day in their name; 0 keeps all, and brings the old ones back."""
    for days in (0, 9, 11, 500):
        keep(db, "daily", NOON - timedelta(days=days))
    assert keep_files(db, tmp_path, 0, NOON) == 4
    foreign = reports_folder(tmp_path) / "notes-2001-01-01.md"
    foreign.write_text("mine")
    assert keep_files(db, tmp_path, 10, NOON) == 0
    assert names(tmp_path) == [
        "daily-2026-11-21T1200Z.md", "daily-2026-11-30T1200Z.md", "notes-2001-01-01.md",
    ]  # fmt: skip
    assert keep_files(db, tmp_path, 0, NOON) == 2


def test_a_long_history_is_written_in_portions_the_newest_first(
    db: Database, tmp_path: Path
) -> None:
    """A run of a job must not be held up by years of files."""
    start = datetime(2026, 1, 1, tzinfo=UTC)
    with db.immediate():
        for hour in range(MOST_AT_ONCE + 5):
            keep(db, "digest", start + timedelta(hours=hour))
    assert keep_files(db, tmp_path, 0, NOON) == MOST_AT_ONCE
    assert "digest-2026-01-01T0000Z.md" not in names(tmp_path)
    assert keep_files(db, tmp_path, 0, NOON) == 5
    assert len(names(tmp_path)) == MOST_AT_ONCE + 5


@pytest.mark.parametrize("odd", ["file", "link"])
def test_a_folder_that_is_none_is_told_of(db: Database, tmp_path: Path, odd: str) -> None:
    """With its place and what becomes of the report; a link to somewhere else is not followed."""
    keep(db, "daily", NOON)
    folder, away = reports_folder(tmp_path), tmp_path / "away"
    away.mkdir()
    folder.symlink_to(away) if odd == "link" else folder.write_text("")
    with pytest.raises(ReportUnwritable, match=r"reports: .*the report is in the database"):
        keep_files(db, tmp_path, 400, NOON)
    assert not list(away.iterdir())


def test_a_link_in_the_place_of_a_file_is_replaced_and_not_written_through(
    db: Database, tmp_path: Path
) -> None:
    """What it leads to stays as it is."""
    keep(db, "daily", NOON)
    target = tmp_path / "target"
    target.write_text("precious")
    folder = reports_folder(tmp_path)
    folder.mkdir()
    (folder / file_name("daily", NOON)).symlink_to(target)
    keep_files(db, tmp_path, 400, NOON)
    assert target.read_text() == "precious"


def test_a_full_disk_and_a_folder_in_the_way_keep_no_other_report_back(
    db: Database, tmp_path: Path
) -> None:
    """What was written stands whole, and the rest comes once there is room."""
    for hour in range(3):
        keep(db, "daily", NOON - timedelta(hours=hour), "T\n" + "x" * (5_000 if hour == 1 else 50))
    odd = reports_folder(tmp_path) / "daily-2020-01-01T1300Z.md"
    odd.mkdir(parents=True)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, hard))
    try:
        with pytest.raises(ReportUnwritable, match="its file is written with the next one"):
            keep_files(db, tmp_path, 400, NOON)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert names(tmp_path) == [odd.name, file_name("daily", NOON)]
    assert keep_files(db, tmp_path, 400, NOON) == 2
    assert len(names(tmp_path)) == 4
