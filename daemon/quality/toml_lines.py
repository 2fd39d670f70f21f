"""Where a key stands in a TOML text: the standard parser gives values without lines."""

from __future__ import annotations

import re

_HEADER = re.compile(r"\s*\[\[?\s*[\"']?([\w-]+)[\"']?\s*\]")
_KEY = re.compile(r"\s*[\"']?([\w-]+)[\"']?\s*=")
_AT_LINE = re.compile(r"at line (\d+)")


class TomlLines:
    """Line numbers, from 1, of top-level keys and of the keys in tables; 0 where unknown."""

    def __init__(self, text: str) -> None:
        self._top: dict[str, int] = {}
        self._tables: dict[tuple[str, int], int] = {}
        self._keys: dict[tuple[str, int, str], int] = {}
        counts: dict[str, int] = {}
        current: tuple[str, int] | None = None
        for number, line in enumerate(text.splitlines(), start=1):
            header, key = _HEADER.match(line), _KEY.match(line)
            if header:
                name = header.group(1)
                current = (name, counts.get(name, 0))
                counts[name] = current[1] + 1
                self._tables[current] = number
                self._top.setdefault(name, number)
            elif key and current:
                self._keys.setdefault((*current, key.group(1)), number)
            elif key:
                self._top.setdefault(key.group(1), number)

    def top(self, key: str) -> int:
        return self._top.get(key, 0)

    def table(self, name: str, index: int) -> int:
        return self._tables.get((name, index), 0)

    def key(self, name: str, index: int, key: str) -> int:
        """The key's line, or its table's where the key is not there."""
        return self._keys.get((name, index, key), self.table(name, index))


def syntax_line(message: str, text: str) -> int:
    """The line that a parser's message names; without one, the last line of the text."""
    found = _AT_LINE.search(message)
    return int(found.group(1)) if found else max(1, len(text.splitlines()))
