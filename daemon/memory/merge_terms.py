"""What goes into the merging of notes and what comes out of it: values alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from daemon.config.phrases import Phrases
from daemon.memory.documents import Sheet
from daemon.memory.notes import Note
from daemon.memory.statements import Origin

Readers = frozenset[str]


@dataclass(frozen=True)
class Shelf:
    """A document of the configuration. `entries` are criteria, agents, paths (with a slash), or "*"
    for what no other document takes."""

    name: str
    entries: tuple[str, ...]

    @property
    def title(self) -> str:
        return self.name.replace("-", " ").capitalize()


@dataclass(frozen=True)
class MergeRules:
    """`readers` gives the agents that may be given a note by its path alone, none for people only.
    `arrange` may change order and headings of a document, and nothing else."""

    shelves: tuple[Shelf, ...]
    ceiling_bytes: int
    readers: Callable[[str], Readers]
    phrases: Phrases
    arrange: Callable[[Sheet], Sheet] = lambda sheet: sheet


@dataclass(frozen=True)
class GivenNote:
    """A note that is to be merged; `sha256` of its bytes."""

    note: Note
    sha256: str
    origin: Origin


@dataclass(frozen=True)
class GivenDocument:
    """A document as it stands now; `text` is the whole file."""

    path: str
    text: str
    sha256: str
    sheet: Sheet


@dataclass(frozen=True)
class NewDocument:
    """A document as it will be. `before` is the digest of what stands there now, empty for nothing.

    `added` statements are new in it, `joined` ones were said before, `archived` ones had no room.
    """

    path: str
    text: str
    before: str
    statements: int
    added: int
    joined: int
    pairs: int
    superseded: int
    outside: int
    archived: int

    @property
    def size_bytes(self) -> int:
        return len(self.text.encode())


class NewFile(NamedTuple):
    path: str
    text: str


class Move(NamedTuple):
    path: str
    to: str
    sha256: str


class LeftLine(NamedTuple):
    """A line that a person wrote into a document and that stands in the archive alone from now on:
    in `kept`, the document as it was."""

    document: str
    line: str
    kept: str


@dataclass(frozen=True)
class MergePlan:
    """`kept_files` are written into the archive first, then `documents`, then `moves` are done.

    `unchanged` are documents that stay as they are. `left` are lines of people that no document has any
    more.
    """

    run: str
    documents: tuple[NewDocument, ...] = ()
    kept_files: tuple[NewFile, ...] = ()
    moves: tuple[Move, ...] = ()
    unchanged: tuple[GivenDocument, ...] = ()
    taken: Mapping[str, str] = field(default_factory=dict)  # note -> document
    left: tuple[LeftLine, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not (self.documents or self.moves)
