"""The notes that an agent was given, as the store has them, and where they stand in their files."""

from __future__ import annotations

from pathlib import Path

from daemon.memory.opening import OpenRoot, Unreadable
from daemon.reports.verdict_text import NoteText
from daemon.store import texts
from daemon.store.attempts import AttemptRow
from daemon.store.database import Database


def given_notes(db: Database, root: Path, row: AttemptRow) -> tuple[NoteText, ...]:
    """Every note of an attempt that the store still has. Raises StoreError.

    Where its file holds the text as it was given, places in it are lines of the file; where the file
    has changed or is gone, the note has no path and places are lines of the text that was given.
    """
    notes: list[NoteText] = []
    with OpenRoot(root) as opened:
        for source in row.prompt.get("sources", ()):
            text = texts.find_text(db, source["sha256"])
            if text is not None:
                line = _first_line(opened, source["path"], text)
                path = source["path"] if line else ""
                notes.append(NoteText(source["id"], text, path, line or 1))
    return tuple(notes)


def _first_line(opened: OpenRoot, path: str, text: str) -> int:
    """The line of the file where the text begins; 0 where the file does not hold it."""
    try:
        whole = opened.read(path).decode("utf-8", "replace").replace("\r\n", "\n")
    except Unreadable:
        return 0
    start = whole.find(text)
    return whole.count("\n", 0, start) + 1 if start >= 0 else 0
