"""sprintd report."""

from __future__ import annotations

import os
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

from daemon.bootstrap import database_of
from daemon.reports.files import keep_files
from daemon.store.database import open_database
from daemon.store.reports import ReportRow, save_report
from tests.unit.cli.small import as_json, edit, sprintd

DAY = datetime(2026, 11, 30, 13, 0, tzinfo=UTC)


def keep(root: Path, kind: str, slot: datetime, body: str) -> None:
    db = open_database(database_of(root))
    try:
        save_report(db, ReportRow(kind, slot, body, {"a": 1}, slot))  # type: ignore[arg-type]
    finally:
        db.close()


def test_without_a_stored_one_the_report_is_made_now_and_kept_nowhere(worked: Path) -> None:
    """Daily, digest and review; a look leaves no trace, and asks no model."""
    for kind, words in (
        ("daily", "the UTC day"),
        ("digest", "Needs you (1)"),
        ("review", "NOT YET KNOWN"),
    ):
        done = sprintd(worked, "report", kind)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("Made now, from how it stands; kept nowhere.\n")
        assert words in done.stdout
    assert "No report yet." in sprintd(worked, "report", "--list").stdout
    assert as_json(worked, "report")["reports"][0]["stored"] is False


def test_a_fresh_workspace_has_a_report_too(small: Path) -> None:
    """Nothing ran: it says so, and no database is made."""
    assert "Nothing was learned." in sprintd(small, "report").stdout
    assert "nothing happened since the last digest" in sprintd(small, "report", "digest").stderr
    assert not database_of(small).exists()


def test_the_newest_stored_one_is_shown_and_now_makes_another(worked: Path) -> None:
    """By its slot; --now is about how it stands."""
    keep(worked, "daily", DAY, "Old report\n  - a")
    keep(worked, "daily", DAY + timedelta(days=1), "New report\n  - b")
    assert sprintd(worked, "report").stdout == "New report\n  - b\n"
    assert sprintd(worked, "report", "--now").stdout.startswith("Made now")


def test_reports_of_a_day_are_shown_in_their_order(worked: Path) -> None:
    """All that were due on it; without one, the way to those that there are."""
    for hour in (3, 1, 2):
        keep(worked, "digest", DAY.replace(hour=hour), f"Digest of {hour}")
    keep(worked, "digest", DAY + timedelta(days=1), "Another day")
    done = sprintd(worked, "report", "digest", "--date", "2026-11-30")
    assert done.stdout.split("\n\n") == ["Digest of 1", "Digest of 2", "Digest of 3\n"]
    none = sprintd(worked, "report", "digest", "--date", "2026-10-01")
    assert none.returncode == 1
    assert "sprintd report digest --list" in none.stderr
    for text in ("yesterday", "9999-12-31"):
        odd = sprintd(worked, "report", "--date", text)
        assert odd.returncode == 2
        assert "such as 2026-11-30" in odd.stderr
    assert sprintd(worked, "report", "--now", "--date", "2026-11-30").returncode == 2


def test_the_list_has_the_newest_first_and_where_their_files_are(worked: Path) -> None:
    """Of the kinds that are kept as files; of one kind where it is named."""
    keep(worked, "daily", DAY, "One\nmore")
    keep(worked, "digest", DAY + timedelta(hours=1), "Two\nmore")
    keep(worked, "silence", DAY, "Three")
    db = open_database(database_of(worked))
    keep_files(db, worked / "state", 0, DAY)
    db.close()
    rows = as_json(worked, "report", "--list")["reports"]
    assert [(row["kind"], row["title"]) for row in rows] == [("digest", "Two"), ("daily", "One")]
    assert Path(rows[1]["file"]).read_text().startswith("# One")
    assert [row["kind"] for row in as_json(worked, "report", "daily", "--list")["reports"]] == [
        "daily"
    ]


def test_json_has_the_text_the_markdown_and_the_figures(worked: Path) -> None:
    """As stored; `file` is null where there is none."""
    keep(worked, "daily", DAY, "One\n  - [a](b)")
    (shown,) = as_json(worked, "report")["reports"]
    assert shown["markdown"] == "# One\n\n- \\[a](b)\n"
    assert (shown["body"], shown["facts"], shown["file"]) == ("One\n  - [a](b)", {"a": 1}, None)
    assert (shown["slot"], shown["stored"]) == ("2026-11-30T13:00:00.000000Z", True)


def test_the_lines_to_copy_stay_whole(worked: Path) -> None:
    """A signed note that is wrapped verifies nothing; all else fits the terminal."""
    note = "— key " + "A" * 150
    keep(worked, "daily", DAY, f"T\n  - {'word ' * 60}\n```\n{note}\n```")
    lines = sprintd(worked, "report").stdout.splitlines()
    assert note in lines
    assert all(len(line) <= 100 for line in lines if line != note)
    assert lines[2].startswith("    word")


def test_a_pdf_is_written_for_its_owner_only(worked: Path, tmp_path: Path) -> None:
    """In place of the text; one that is there is replaced, a folder that is missing is told of."""
    path = tmp_path / "daily.pdf"
    path.write_text("old")
    done = sprintd(worked, "report", "--pdf", str(path))
    assert done.stdout == f"{path}: 1 report\n"
    assert path.read_bytes().startswith(b"%PDF-")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sorted(os.listdir(tmp_path)) == ["daily.pdf", "small"]  # noqa: PTH208  nothing half-written
    lost = sprintd(worked, "report", "--pdf", str(tmp_path / "no" / "a.pdf"))
    assert lost.returncode == 1
    assert f"{tmp_path}/no/a.pdf cannot be written: No such file or directory" in lost.stderr
    os.mkfifo(tmp_path / "pipe")
    lost = sprintd(worked, "report", "--pdf", str(tmp_path / "pipe"))
    assert f"{tmp_path}/pipe cannot be written: is no ordinary file" in lost.stderr
    assert (tmp_path / "pipe").is_fifo()
    lost = sprintd(worked, "report", "--pdf", str(tmp_path))
    assert f"{tmp_path} cannot be written" in lost.stderr
    assert as_json(worked, "report", "--pdf", str(path))["reports"][0]["kind"] == "daily"


def test_broken_files_leave_the_figures_and_a_consolidation_is_never_made(worked: Path) -> None:
    """The daily report goes on without the backlog; a review cannot, and says where the fault is."""
    edit(worked, "backlog.yaml", "items:", "itemz:")
    assert "B02" in sprintd(worked, "report").stdout
    assert "backlog.yaml" in sprintd(worked, "report", "review").stderr
    assert "memory consolidate --dry-run" in sprintd(worked, "report", "consolidation").stderr
