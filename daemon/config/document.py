"""What a YAML text says, with the line of every entry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

Steps = Sequence[str | int]


def dotted(path: Steps) -> str:
    """A path as people write it: items[3].priority."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text


class Places:
    """Where the entries of one mapping or list stand; containers only, to stay small."""

    __slots__ = ("inner", "line", "lines", "quoted")

    def __init__(self, line: int) -> None:
        self.line = line
        self.lines: dict[str | int, int] = {}
        self.inner: dict[str | int, Places] = {}
        self.quoted: set[str | int] = set()


@dataclass(frozen=True)
class Document:
    """One YAML document: `value` holds dicts with text keys, lists, text and None, nothing else.

    A plain empty value, `~` and `null` are None; whatever is quoted (or a block text) is text.
    """

    value: Any
    file: str
    _places: Places = field(repr=False, compare=False)

    def line_of(self, path: Steps) -> int:
        """The line of an entry, or of its nearest ancestor that exists; lines count from 1."""
        places, line = self._places, self._places.line
        for step in path:
            if step not in places.lines:
                return line
            line = places.lines[step]
            if step not in places.inner:
                return line
            places = places.inner[step]
        return line

    def quoted(self, path: Steps) -> bool:
        """Whether the scalar at `path` was written in quotes or as a block text."""
        if not path:
            return "" in self._places.quoted
        places = self._places
        for step in path[:-1]:
            if step not in places.inner:
                return False
            places = places.inner[step]
        return path[-1] in places.quoted
