"""Marks such as [unit-id] that name a note: one that was not given is an invented source."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from daemon.quality.claims import Claim
from daemon.quality.masks import Mask
from daemon.quality.normalise import Reading
from daemon.quality.note_texts import NoteText, blocked_by

_MARK = re.compile(r"\[([A-Za-z0-9][\w./\-,; ]{1,160}+)\](?![\[(:])")
_BETWEEN = re.compile(r"\s*[,;]\s*")
_ID = re.compile(r"[A-Za-z0-9]+(?:[._/-]+[A-Za-z0-9]+)*")
_JOINT = re.compile(r"[./]")
_DIGIT = re.compile(r"\d")
_PLACE = re.compile(r"(?:lines?|l[ií]neas?|p\.?|pp\.?|page|p[aá]gina|no\.?)\s*[\d-]+|[\d-]+")


def mark_claims(reading: Reading, notes: Sequence[NoteText]) -> Iterable[Claim]:
    """A claim of kind `url`, absent, for each mark that looks like the notes' ids and is none.

    Known are the ids and paths of the notes, their last parts, and marks that stand in a note's own
    text. Numbers ([1]), words ([sic]), links and code are no such marks.
    """
    shapes = {_shape(note.note.id) for note in notes if note.note.id} - {"w", "0"}
    capitals = any(note.note.id != note.note.id.lower() for note in notes)
    known = {name for note in notes for name in _names(note)}
    code = [(mask.start, mask.end) for mask in _code(reading.masks)]
    for match in _MARK.finditer(reading.raw):
        if blocked_by(code, match.start(), match.end()):
            continue
        for name in _BETWEEN.split(match.group(1).strip()):
            if not capitals and name != name.lower():
                continue
            if _is_unknown(name, shapes, known) and not _stands_in(name, notes):
                yield Claim(
                    kind="url",
                    text=f"[{name}]",
                    span=reading.span(match.start(), match.end()),
                    status="absent",
                    note="a note that was not given",
                )


def _code(masks: Sequence[Mask]) -> Iterable[Mask]:
    return (mask for mask in masks if mask.kind == "code")


def _names(note: NoteText) -> Iterable[str]:
    for name in (note.note.id.lower(), note.note.path.lower()):
        if name:
            yield name
            yield name.rpartition("/")[2]
            yield name.rpartition("/")[2].removesuffix(".md")
            yield name.rpartition(".")[2]


def _is_unknown(name: str, shapes: set[str], known: set[str]) -> bool:
    name = name.strip()
    if not _ID.fullmatch(name) or _PLACE.fullmatch(name) or name.lower() in known:
        return False
    return name.endswith(".md") or _shape(name) in shapes


def _shape(name: str) -> str:
    """How an id is built: law-sources.gazette-2 is w.w, N12 is w0, a single word is w."""
    parts = _JOINT.split(name)
    if len(parts) == 1:
        return "w" if name.isalpha() or not _DIGIT.search(name) else "w0"
    kinds = ["0" if part.isdigit() else "w" for part in parts]
    return "".join(
        kind + joint for kind, joint in zip(kinds, [*_JOINT.findall(name), ""], strict=True)
    )


def _stands_in(name: str, notes: Sequence[NoteText]) -> bool:
    """A note's own text may carry marks, and a writer who quotes it carries them on."""
    return any(f"[{name.lower()}" in note.lower for note in notes)
