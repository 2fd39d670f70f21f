"""What the files' entries have in common: well-formed ids, one-line texts, parsed lists."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Generic, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from daemon.config.document import Document, Steps, dotted
from daemon.errors import Fault

Noun = TypeVar("Noun")

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
INIT = "write it, or make a workspace with a complete sample: sprintd init FOLDER"


def _check_id(value: str) -> str:
    if not _ID.fullmatch(value):
        raise ValueError(
            f"{value!r} is not a well-formed id: letters (a-z), digits, - and _, "
            "at most 64 of them, a letter or digit first"
        )
    return value


def _check_words(value: str) -> str:
    words = " ".join(value.split())
    if not words:
        raise ValueError("is empty")
    return words


def _check_text(value: str) -> str:
    if not value.strip():
        raise ValueError("is empty")
    return value.strip()


Id = Annotated[str, AfterValidator(_check_id)]
Words = Annotated[str, Field(max_length=500), AfterValidator(_check_words)]
Text = Annotated[str, Field(max_length=20_000), AfterValidator(_check_text)]


class Entry(BaseModel):
    """One entry as it stands in a file: closed to unknown keys."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


@dataclass(frozen=True)
class Draft:
    """An entry with faults: its keys as text, and where it stands."""

    value: Mapping[str, Any]
    document: Document
    steps: Steps

    def names(self, field: str) -> list[tuple[Steps, str]]:
        """What a key names, a text or a list of texts, each with its place in the entry."""
        found = self.value.get(field)
        if isinstance(found, str):
            return [((field,), found)]
        entries = found if isinstance(found, list) else []
        return [((field, at), one) for at, one in enumerate(entries) if isinstance(one, str)]

    def place(self, inner: Steps) -> tuple[str, int, str]:
        """File, line and dotted key."""
        path = (*self.steps, *inner)
        return self.document.file, self.document.line_of(path), dotted(path)


@dataclass(frozen=True)
class Parsed(Generic[Noun]):
    """What one kind of file gave: the sound nouns, where each stands, and the faults.

    `known_ids` also holds the ids of entries that have faults, so that one broken entry does not
    make every reference to it look broken too; None where not even the ids could be read. `drafts`
    are the entries of a list that have faults, as they were written, so that what they name can be
    checked all the same.
    """

    nouns: tuple[Noun, ...]
    places: tuple[tuple[Document, Steps], ...]
    known_ids: frozenset[str] | None
    faults: tuple[Fault, ...]
    drafts: tuple[Draft, ...] = ()

    def line_of(self, index: int, *steps: str | int) -> int:
        """The line of a key of the noun at `index`."""
        document, prefix = self.places[index]
        return document.line_of((*prefix, *steps))

    def file_of(self, index: int) -> str:
        return self.places[index][0].file

    def knows(self, noun_id: str) -> bool:
        """Whether something of this id exists; True where that cannot be told."""
        return self.known_ids is None or noun_id in self.known_ids


def broken(faults: Sequence[Fault]) -> Parsed[Any]:
    """A file that could not be read at all."""
    return Parsed((), (), None, tuple(faults))


def ids_in(document: Document, key: str) -> frozenset[str] | None:
    """The ids of all entries of a list, sound or not; None where there is no such list."""
    root = document.value
    entries = root.get(key) if isinstance(root, dict) else None
    if not isinstance(entries, list):
        return None
    found = (entry.get("id") for entry in entries if isinstance(entry, dict))
    return frozenset(text for text in found if isinstance(text, str))


def twice(ids: Sequence[tuple[str, str, int]]) -> list[Fault]:
    """A fault for each id that stands in more than one place; entries are (id, file, line).

    Compared without regard to case: ids become file names, and some disks do not tell them apart.
    """
    first: dict[str, tuple[str, str, int]] = {}
    faults = []
    for noun_id, file, line in ids:
        earlier = first.setdefault(noun_id.casefold(), (noun_id, file, line))
        if earlier != (noun_id, file, line):
            other, other_file, other_line = earlier
            same = "" if other == noun_id else f" (as {other}, which differs only in case)"
            message = f"{noun_id} is already used in {other_file}:{other_line}{same}"
            faults.append(Fault(file, line, "id", message, "give one of the two another id"))
    return faults


def read_limit(path: Path) -> int:
    """How many bytes a file of this kind may have: lists of many entries are longer than prose."""
    return 16_777_216 if path.suffix == ".yaml" else 262_144
