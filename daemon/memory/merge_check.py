"""The proof that a plan loses nothing, taken from the bytes that would be written. Pure.

It reads them back and trusts nothing of how they were made: neither the merging nor a model.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from daemon.config.phrases import Phrases
from daemon.errors import SprintdError
from daemon.knowledge.archive import archived_path
from daemon.knowledge.provenance import SENSITIVITIES
from daemon.memory.blocks import HEADING, bare, one_line, says_something
from daemon.memory.documents import (
    FRONT_LINE,
    Sheet,
    is_frame_line,
    is_source_line,
    read_sheet,
    render_sheet,
)
from daemon.memory.likeness import key_of
from daemon.memory.merge_terms import GivenDocument, GivenNote, LeftLine, MergePlan
from daemon.memory.notes import parse_note
from daemon.memory.statements import ARROW, Statement, read_statements

_LONGEST_SHOWN = 120


class MemoryLoss(SprintdError):
    """A consolidation would lose something, so nothing of it is done; says what."""


class _Said(NamedTuple):
    """A statement by one source, on its day, and what it stood under there."""

    key: str
    topic: str
    unverified: bool
    path: str
    on: str


def check_plan(
    plan: MergePlan,
    notes: Sequence[GivenNote],
    documents: Sequence[GivenDocument],
    ceiling_bytes: int,
) -> None:
    """Every statement of every note and document with its source, date and marks is in a document or in
    the archive afterwards, every note moves there whole, and no document is over its ceiling.

    Raises MemoryLoss."""
    have = _marks(_written(plan))
    for statement in _given(notes, documents):
        for said, (outside, rank) in _marks([statement]).items():
            found = have.get(said)
            shown = f"{one_line(statement.text)[:_LONGEST_SHOWN]!r} of {said.path}"
            if found is None:
                raise MemoryLoss(f"it would lose {shown}")
            if (outside, rank) != (outside and found[0], min(rank, found[1])):
                raise MemoryLoss(f"it would lose where {shown} came from")
    moved = {(move.path, move.sha256) for move in plan.moves}
    for given in notes:
        if (given.note.path, given.sha256) not in moved:
            raise MemoryLoss(f"it would merge {given.note.path} and not keep it")
    for new in plan.documents:
        if new.size_bytes > ceiling_bytes:
            raise MemoryLoss(f"{new.path} would have {new.size_bytes:,} bytes of {ceiling_bytes:,}")


def left_lines(plan: MergePlan, documents: Sequence[GivenDocument]) -> tuple[LeftLine, ...]:
    """What a person wrote into a document and no document or file of statements shows any more, as a
    note behind a value in the front matter. Each stands in the document as it was, in the archive."""
    kept = {move.path: move.to for move in plan.moves}
    kept |= {one.path: archived_path(one.path, plan.run) for one in plan.documents if one.before}
    changed = [one for one in documents if one.path in kept]
    if not changed:
        return ()
    shown = _shown(plan)
    return tuple(
        LeftLine(one.path, line.strip(), kept[one.path])
        for one in changed
        for line in _lines_by_hand(one)
        if key_of(bare(line)) not in shown and key_of(_words_of(line)) not in shown
    )


def unlike_when_read_back(statements: Sequence[Statement]) -> str:
    """The beginning of a statement that would not be read back from a document as it is; empty: all
    would. Such a note is passed over, so that it keeps no other from being merged."""
    text = render_sheet(Sheet("check", "Check", tuple(statements)), Phrases("en"))
    sheet = read_sheet(parse_note(text.encode(), "memory/consolidated/check.md"))
    have = _marks(sheet.statements if sheet else ())
    wanted = _marks(statements)
    return next(
        (said.key[:_LONGEST_SHOWN] for said in wanted if have.get(said) != wanted[said]), ""
    )


def _given(notes: Sequence[GivenNote], documents: Sequence[GivenDocument]) -> Iterator[Statement]:
    for given in notes:
        yield from read_statements(given.note, given.origin)
    for document in documents:
        yield from document.sheet.statements


def _written(plan: MergePlan) -> Iterator[Statement]:
    """What can be read afterwards; files that are moved whole are no part of it."""
    for sheet in _sheets_of(plan):
        yield from sheet.statements
    for unchanged in plan.unchanged:
        yield from unchanged.sheet.statements


def _sheets_of(plan: MergePlan) -> Iterator[Sheet]:
    """The documents and the files of statements that would be written, read back."""
    files = [(one.path, one.text) for one in plan.documents]
    files += [(one.path, one.text) for one in plan.kept_files if "/statements/" in one.path]
    for path, text in files:
        sheet = read_sheet(parse_note(text.encode(), path))
        if sheet is None:
            raise MemoryLoss(f"{path} could not be read back")
        yield sheet


def _marks(statements: Iterable[Statement]) -> dict[_Said, tuple[bool, int]]:
    """By statement and source: whether it came from outside, and how secret it is."""
    found: dict[_Said, tuple[bool, int]] = {}
    for one in statements:
        for origin in one.origins:
            topic = one_line(one.topic_of(origin))
            said = _Said(key_of(one.text), topic, one.unverified, origin.path, origin.on)
            outside, rank = found.get(said, (False, 0))
            strict = SENSITIVITIES.index(origin.sensitivity)
            found[said] = (outside or origin.outside, max(rank, strict))
    return found


def _shown(plan: MergePlan) -> set[str]:
    """Every line and every heading that can be read afterwards, by what it says."""
    found: set[str] = set()
    for sheet in (*_sheets_of(plan), *(one.sheet for one in plan.unchanged)):
        topics = {t for s in sheet.statements for o in s.origins for t in (s.topic_of(o), s.group)}
        words = (part for topic in topics for part in (topic, *topic.split(ARROW)))
        found |= {key_of(one) for one in (sheet.title, *sheet.front, *words)}
        lines = (line for s in sheet.statements for line in s.text.split("\n"))
        found |= {key_of(bare(line)) for line in (*sheet.front, *lines)}
    return found


def _lines_by_hand(document: GivenDocument) -> Iterator[str]:
    """Its lines that say something, without those of the frame and a model's headings."""
    note = parse_note(document.text.encode(), document.path)
    for line in note.front_text.split("\n"):
        if not FRONT_LINE.fullmatch(line) and says_something(line):
            yield line
    # Without the key an older version wrote it, and every heading may be a person's.
    told = "model_headings" in note.front
    made = {one.group for one in document.sheet.statements if told and not one.group_by_hand}
    for line in note.body.split("\n"):
        words = _words_of(line)
        frame = is_source_line(line) or is_frame_line(words) or words in made
        if not frame and says_something(words):
            yield line


def _words_of(line: str) -> str:
    found = HEADING.fullmatch(line)
    return one_line(found[2]) if found else bare(line)
