"""The consolidation of memory, as far as this version has it: it names what there is to merge."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from daemon.config.phrases import Phrases
from daemon.notify import message
from daemon.reports.pages import item_page
from daemon.reports.plain_text import one_line
from daemon.reports.written import Written, whole_days
from daemon.store import findings
from daemon.store.database import Database
from daemon.store.findings import FindingRow

_WEEK = 7
_MOST_LINES = 30


def write_consolidation(
    db: Database,
    root: Path,
    slot: datetime,
    criteria: Sequence[str],
    phrases: Phrases,
    address: str = "",
) -> Written:
    """The findings of the seven whole UTC days before `slot`, by criterion, with their sizes.

    Reads sizes only and changes no file. `criteria` gives the order; findings of others follow.
    `address` is where links to the page lead; empty: there are none.
    """
    say = phrases.text
    since, until = whole_days(slot, _WEEK)
    found = findings.list_findings(db, since=since, until=until)
    order = [*criteria, *sorted({row.criterion for row in found} - set(criteria))]
    lines = [say("consolidation.title", since=since.date(), until=until.date())]
    facts, parts = [], [message.heading(lines[0])]
    for criterion in order:
        rows = [row for row in reversed(found) if row.criterion == criterion]
        sizes = {row.path: _size_of(root / row.path) for row in rows}
        total = sum(size or 0 for size in sizes.values())
        count, size = len(rows), f"{total:,}"
        title = say("consolidation.criterion", criterion=criterion, count=count, bytes=size)
        lines += [title, *_lines(rows, sizes, phrases)]
        entries = [
            message.line(one_line(row.title), mark=row.item, detail=one_line(row.path),
                         link=item_page(address, row.item))
            for row in rows
        ]  # fmt: skip
        parts.append(message.lines(entries, title=title))
        facts.append({"criterion": criterion, "files": sizes, "bytes": total})
    lines.append(say("consolidation.nothing_merged"))
    parts.append(message.small(lines[-1]))
    return Written("\n".join(lines), {"since": str(since.date()), "criteria": facts}, tuple(parts))


def _lines(rows: Sequence[FindingRow], sizes: dict[str, int | None], phrases: Phrases) -> list[str]:
    lines = []
    for row in rows[:_MOST_LINES]:
        size = sizes[row.path]
        key = "consolidation.finding" if size is not None else "consolidation.missing"
        values = {"bytes": f"{size:,}"} if size is not None else {}
        title, path = one_line(row.title), one_line(row.path)
        lines.append("  - " + phrases.text(key, item=row.item, title=title, path=path, **values))
    more = len(rows) - len(lines)
    return [*lines, *([f"  - … +{more}"] if more else [])]


def _size_of(path: Path) -> int | None:
    """Bytes of a file, or None where it is gone."""
    try:
        return path.lstat().st_size
    except OSError:
        return None
