"""The memory as a consolidation finds it: notes to merge, documents, and what stays as it is and why."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path

from daemon.knowledge.archive import CONSOLIDATED
from daemon.knowledge.path_scope import folded
from daemon.knowledge.provenance import OUTSIDE_FOLDERS, Provenance, joined, provenance_in
from daemon.memory.documents import read_sheet
from daemon.memory.merge_check import unlike_when_read_back
from daemon.memory.merge_terms import GivenDocument, GivenNote
from daemon.memory.notes import Note, SkippedNote, parse_note, parse_sound_note
from daemon.memory.opening import OpenRoot, Unreadable
from daemon.memory.statements import Origin, known_word, lost_lines, read_statements

_LARGEST_NOTE = 262_144  # bytes; "small notes" are far below
_MOST_NOTES = 1_000  # in one run; the others wait
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_WRITTEN, _ABOUT = ("created_at",), ("as_of", "date", "updated")


@dataclass(frozen=True)
class MergeScope:
    """Which notes may be merged: those under `folders` (each ends with a slash) that are at least
    `keep_days` old on `today`.

    `held` are paths that somebody still works from. `mapped` has the unit of each path that the map
    names: the author's notes stay. `marks` has what is known of where a note came from beside what it
    says itself. `only` narrows to notes of these digests; None does not.
    """

    folders: Sequence[str]
    keep_days: int
    today: date
    held: Collection[str] = ()
    mapped: Mapping[str, str] = field(default_factory=dict)
    marks: Mapping[str, Provenance] = field(default_factory=dict)
    only: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Snapshot:
    """`waiting` notes will be merged later, `skipped` ones only after somebody mends them; each with
    why. `blocked` are files of memory/consolidated/ that no run may replace."""

    notes: tuple[GivenNote, ...]
    documents: tuple[GivenDocument, ...]
    waiting: tuple[SkippedNote, ...]
    skipped: tuple[SkippedNote, ...]
    blocked: tuple[SkippedNote, ...]
    bytes_read: int = 0

    def digests(self) -> dict[str, str]:
        return {given.note.path: given.sha256 for given in self.notes}


class _Waits(Exception):
    pass


def take_snapshot(root: Path, scope: MergeScope) -> Snapshot:
    """Read it all. One bad file never keeps the others out. Raises Unreadable for the root itself."""
    notes: list[GivenNote] = []
    waiting: list[SkippedNote] = []
    skipped: list[SkippedNote] = []
    size = 0
    with OpenRoot(root) as opened:
        documents, blocked = _documents(opened)
        for path, refusal in _paths(opened, scope.folders):
            try:
                if refusal:
                    raise Unreadable(path, refusal)
                given = _note(opened, path, scope)
                if len(notes) >= _MOST_NOTES:
                    raise _Waits(
                        f"{_MOST_NOTES:,} notes are merged in one run; it is the next one's"
                    )
            except Unreadable as error:
                skipped.append(SkippedNote(error.path, error.reason))
            except _Waits as reason:
                waiting.append(SkippedNote(path, str(reason)))
            else:
                notes.append(given)
                size += given.note.size_bytes
    return Snapshot(tuple(notes), documents, tuple(waiting), tuple(skipped), tuple(blocked), size)


def _paths(opened: OpenRoot, folders: Sequence[str]) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for folder in folders:
        for path, refusal in opened.walk(folder.rstrip("/")):
            name = path.rpartition("/")[2]
            small = path.endswith(".md") and not name.startswith((".", "README"))
            if (small or (refusal and not name.startswith("."))) and path not in seen:
                seen.add(path)
                yield path, refusal


def _note(opened: OpenRoot, path: str, scope: MergeScope) -> GivenNote:
    """Raises Unreadable for one that cannot be merged, _Waits for one that is left for later."""
    if path in scope.mapped:
        unit = scope.mapped[path]
        raise Unreadable(path, f"the map names it as {unit}; take the unit out to have it merged")
    if "`" in path:
        raise Unreadable(path, "has a backtick in its name; rename it")
    data = opened.read(path, max_bytes=_LARGEST_NOTE)
    sha256 = hashlib.sha256(data).hexdigest()
    note = parse_sound_note(data, path)
    modified = opened.modified_at(path).date().isoformat()
    if path in scope.held:
        raise _Waits("an answer that is not judged yet rests on it")
    written = _day_in(note, _WRITTEN) or modified
    if written > (scope.today - timedelta(days=scope.keep_days)).isoformat():
        raise _Waits(f"is younger than {scope.keep_days} days")
    if scope.only is not None and scope.only.get(path) != sha256:
        raise _Waits("was written or changed while the others were merged")
    origin = _origin(note, _day_in(note, (*_WRITTEN, *_ABOUT)) or modified, scope)
    statements = read_statements(note, origin)
    if not statements:
        raise Unreadable(path, "is empty; write something into it, or delete it")
    lost = [*lost_lines(note, statements), unlike_when_read_back(statements)]
    if lost[0]:
        raise Unreadable(path, f"has a line that cannot be taken over: {lost[0].strip()[:80]!r}")
    return GivenNote(note, sha256, origin)


def _origin(note: Note, on: str, scope: MergeScope) -> Origin:
    said = provenance_in(note.front, note.path)
    whole = joined(said, scope.marks.get(note.path, Provenance()))
    outside = whole.outside or folded(note.path).startswith(OUTSIDE_FOLDERS)
    return Origin(on, note.path, outside, known_word(whole.sensitivity))


def _day_in(note: Note, names: Sequence[str]) -> str:
    """The first day that the front matter gives under one of the names; empty for none."""
    for name in names:
        found = _DAY.match(str(note.front.get(name) or ""))
        if found and _is_day(found[0]):
            return found[0]
    return ""


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _documents(opened: OpenRoot) -> tuple[tuple[GivenDocument, ...], list[SkippedNote]]:
    """The documents that sprintd wrote, and the files beside them that it did not."""
    found: list[GivenDocument] = []
    blocked: list[SkippedNote] = []
    for path, refusal in opened.walk(CONSOLIDATED.rstrip("/")):
        if path.rpartition("/")[2].startswith("."):
            continue
        try:
            if refusal:
                raise Unreadable(path, refusal)
            data = opened.read(path)
            note = parse_note(data, path)
            sheet = None if note.damaged or note.fault else read_sheet(note)
            if sheet is None:
                reason = note.fault or ("is not UTF-8" if note.damaged else "is no merged document")
                raise Unreadable(path, reason)
        except Unreadable as error:
            blocked.append(SkippedNote(error.path, error.reason))
        else:
            found.append(
                GivenDocument(path, data.decode(), hashlib.sha256(data).hexdigest(), sheet)
            )
    return tuple(found), blocked
