"""Reports as Markdown files, for people who look with a file manager or copy a folder."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

from daemon.errors import SprintdError
from daemon.ledger.durable import make_folder, replace
from daemon.reports.blocks import report_markdown
from daemon.reports.post import slot_name
from daemon.store import reports
from daemon.store.database import Database
from daemon.store.reports import ReportKind

FILED: tuple[ReportKind, ...] = ("digest", "daily", "review", "consolidation")
MOST_AT_ONCE = 100
_MOST_SLOTS = 100_000
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
_NAME = re.compile(rf"(?:{'|'.join(FILED)})-(\d{{4}}-\d\d-\d\d)T[0-9.]+Z\.md")


class ReportUnwritable(SprintdError):
    """A file in state/reports cannot be written. The report itself is in the database."""


def reports_folder(state_dir: Path) -> Path:
    """Where the files are; for their owner only."""
    return state_dir / "reports"


def file_name(kind: ReportKind, slot: datetime) -> str:
    """daily-2026-12-01T1300Z.md; with seconds where the slot has some."""
    return f"{kind}-{slot_name(slot).replace(':', '')}.md"


def keep_files(db: Database, state_dir: Path, keep_days: int, now: datetime) -> int:
    """Write the files that are missing, the newest first, and remove those that are too old.

    How many were written: at most MOST_AT_ONCE, the rest comes with the next call. `keep_days` of 0
    keeps all. A file that is there is left as it is, also where a person changed it; only names like
    ours are ever removed. Raises ReportUnwritable and StoreError.
    """
    since = now - timedelta(days=keep_days) if keep_days else _LONG_AGO
    folder = reports_folder(state_dir)
    try:
        there = _names_in(folder)
        for path in (folder / name for name in there if _is_older(name, since)):
            if path.is_symlink() or not path.is_dir():  # a folder of that name is no file of ours
                path.unlink(missing_ok=True)
        missing = [
            (kind, slot)
            for kind, slot in reports.list_slots(db, FILED, since, _MOST_SLOTS)
            if file_name(kind, slot) not in there
        ]
        written = [one for one in missing[:MOST_AT_ONCE] if _write(db, folder, *one)]
    except OSError as error:
        place = error.filename or folder
        raise ReportUnwritable(
            f"{place}: {error.strerror or type(error).__name__}; the report is in the database "
            "(sprintd report), its file is written with the next one"
        ) from error
    return len(written)


def _write(db: Database, folder: Path, kind: ReportKind, slot: datetime) -> bool:
    row = reports.find_report(db, kind, slot)
    if row is not None:
        text = report_markdown(row.body)
        replace(folder / file_name(kind, slot), text.encode("utf-8", "replace"))
    return row is not None


def _names_in(folder: Path) -> set[str]:
    """Made where it is missing. Raises OSError, also where it is a link to somewhere else."""
    if folder.is_symlink():
        raise NotADirectoryError(20, "is a link, which is not followed", str(folder))
    make_folder(folder)
    return {path.name for path in folder.iterdir()}


def _is_older(name: str, since: datetime) -> bool:
    found = _NAME.fullmatch(name)
    return found is not None and found[1] < f"{since:%Y-%m-%d}"
