"""Where merged notes go, and the names that they had before: scopes speak of those.

memory/consolidated/NAME.md        a document that is merged of notes
memory/archive/RUN/findings/...    a note that was merged in that run, under its old path
memory/archive/RUN/statements/...  statements for which a document had no room
"""

from __future__ import annotations

from collections.abc import Iterable

from daemon.knowledge.paths import covers

MEMORY = "memory/"
CONSOLIDATED = "memory/consolidated/"
ARCHIVE = "memory/archive/"
FINDINGS = "memory/findings/"


def archived_path(path: str, run: str) -> str:
    """Where a file of the memory goes that the run takes out of it."""
    return f"{ARCHIVE}{run}/{path.removeprefix(MEMORY)}"


def original_path(path: str) -> str:
    """Where a file of the archive stood before; any other path is its own."""
    if not path.startswith(ARCHIVE):
        return path
    rest = path.removeprefix(ARCHIVE).partition("/")[2]
    return f"{MEMORY}{rest}" if rest else path


def is_archived(path: str) -> bool:
    """Whether the path lies in the archive."""
    return path.startswith(ARCHIVE)


def hidden_part(reads: Iterable[str], parts: Iterable[str]) -> str:
    """The first part of a merged document that keeps it from a reader with these `reads`; empty: none.

    Only findings are given to agents by their paths alone. Any other note is given by the map, so a
    document that holds one is, too. A line that a person wrote into a document is a part of no note,
    and no document is given for such lines alone.
    """
    notes = [was for was in map(original_path, parts) if not was.startswith(CONSOLIDATED)]
    unmapped = (was for was in notes if not was.startswith(FINDINGS))
    return hidden_finding(reads, notes) or next(unmapped, "" if notes else CONSOLIDATED)


def hidden_finding(reads: Iterable[str], parts: Iterable[str]) -> str:
    """The first finding among the parts that a reader with these `reads` may not read; empty: none."""
    entries, found = tuple(reads), map(original_path, parts)
    return next((w for w in found if w.startswith(FINDINGS) and not covers(entries, w)), "")
