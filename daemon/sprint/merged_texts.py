"""Merged documents and the archive as sprints and the flow see them: what they are made of decides."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from daemon.governance.flow import StoredText
from daemon.knowledge.archive import ARCHIVE, CONSOLIDATED, FINDINGS, archived_path, original_path
from daemon.knowledge.provenance import UNKNOWN, Provenance, provenance_in
from daemon.memory.documents import Sheet, parts_of, read_sheet
from daemon.memory.journal import INDEX
from daemon.memory.notes import Note, readable_notes
from daemon.memory.opening import OpenRoot, Unreadable
from daemon.memory.statements import known_word
from daemon.sprint.context_plan import KnownFinding

_LARGEST_INDEX = 8_388_608


def read_merged(root: Path) -> tuple[KnownFinding, ...]:
    """The documents as findings of their own; one that cannot be read is given to nobody."""
    found = []
    with OpenRoot(root) as opened:
        for note, sheet in _sheets(opened):
            parts = parts_of(sheet.statements)
            if parts:
                said = provenance_in(note.front, note.path)
                found.append(
                    KnownFinding(
                        note.path, item="", criterion="", title=note.title, parts=parts,
                        sensitivity=known_word(said.sensitivity),
                    )
                )  # fmt: skip
    return tuple(found)


def merged_texts(opened: OpenRoot) -> Iterator[StoredText]:
    """What documents and archived findings bring into the flow, and the notes that open them."""
    for note, sheet in _sheets(opened):
        said = provenance_in(note.front, note.path)
        yield StoredText(note.path, said, parts_of(sheet.statements))
    for run in opened.folders(ARCHIVE.rstrip("/")):
        yield from _archived(opened, run)


def _sheets(opened: OpenRoot) -> Iterator[tuple[Note, Sheet]]:
    for note in readable_notes(opened, CONSOLIDATED):
        sheet = None if note.fault or note.damaged else read_sheet(note)
        if sheet is not None:
            yield note, sheet


def _archived(opened: OpenRoot, run: str) -> Iterator[StoredText]:
    """By the list that the run left; where there is none, by the files themselves."""
    try:
        data = opened.read(f"{ARCHIVE}{run}/{INDEX}", max_bytes=_LARGEST_INDEX)
        entries = [_entry(run, one) for one in json.loads(data)["moved"]]
    except (Unreadable, ValueError, KeyError, TypeError):
        entries = list(_by_file(opened, f"{ARCHIVE}{run}/findings"))
    yield from (one for one in entries if one.parts[0].startswith(FINDINGS))


def _entry(run: str, one: dict[str, Any]) -> StoredText:
    """Raises KeyError or TypeError for what no run of ours wrote."""
    path, sensitivity = str(one["path"]), known_word(str(one["sensitivity"]))
    said = Provenance(one["outside"] is not False, sensitivity)
    return StoredText(archived_path(path, run), said, (path,))


def _by_file(opened: OpenRoot, folder: str) -> Iterator[StoredText]:
    for note in readable_notes(opened, folder):
        path = original_path(note.path)
        said = UNKNOWN if note.fault or note.damaged else provenance_in(note.front, path)
        yield StoredText(note.path, said, (path,))
