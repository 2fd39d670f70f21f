"""The line of every key of a TOML text, which tomllib does not tell.

A scanner, not a parser: it finds where statements start and end, and tomllib reads the keys.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from typing import Any

KeyLines = dict[tuple[str | int, ...], list[int]]

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_QUOTED = r"\"(?:\\.|[^\"\\\n])*\"|'[^'\n]*'"
_PART = rf"(?:[A-Za-z0-9_-]+|{_QUOTED})"
_KEY = re.compile(rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*")
_STRING = re.compile(
    rf"\"\"\"(?:\\.|[^\\])*?\"\"\"\"{{0,2}}|'''.*?''''{{0,2}}|{_QUOTED}", re.DOTALL
)
_DULL = re.compile(r"[^\"'#\[\]{}\n]+")


def key_lines(text: str) -> KeyLines:
    """All lines on which a key or section is written, in order; sections of an array by index.

    Keys inside inline tables are not listed: look up their nearest ancestor. What cannot be read
    ends the scan, so a broken text gives the keys before the break.
    """
    return _Scanner(text).scan()


def line_of(lines: KeyLines, path: Sequence[str | int]) -> int:
    """The line of a key or of its nearest ancestor; 0 where none is written."""
    for length in range(len(path), 0, -1):
        found = lines.get(tuple(path[:length]))
        if found:
            return found[0]
    return 0


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._table: tuple[str | int, ...] = ()
        self._arrays: dict[tuple[str | int, ...], int] = {}
        self._lines: KeyLines = {}

    def scan(self) -> KeyLines:
        while True:
            self._at = _end(_BLANK.match(self._text, self._at), self._at)
            if self._at >= len(self._text):
                return self._lines
            known = self._header() if self._text[self._at] == "[" else self._assignment()
            if not known:
                return self._lines

    def _header(self) -> bool:
        array = self._text.startswith("[[", self._at)
        path = self._key(self._at + (2 if array else 1))
        if path is None:
            return False
        table = self._resolve(path[:-1]) + path[-1:] if array else self._resolve(path)
        if array:
            self._arrays[table] = self._arrays.get(table, -1) + 1
            table = (*table, self._arrays[table])
        self._note(table)
        self._table = table
        self._at = _line_end(self._text, self._at)
        return True

    def _assignment(self) -> bool:
        start = self._at
        path = self._key(start)
        if path is None:
            return False
        equals = self._text.find("=", self._at)
        if equals < 0 or self._text[self._at : equals].strip(" \t"):
            return False
        self._note(self._table + path, start)
        self._at = equals + 1
        self._value()
        return True

    def _key(self, start: int) -> tuple[str | int, ...] | None:
        """The parts of the dotted key at `start` (blanks before it allowed); moves behind it."""
        while self._text[start : start + 1] in (" ", "\t"):
            start += 1
        match = _KEY.match(self._text, start)
        if match is None:
            return None
        try:
            inner: Any = tomllib.loads(f"{match.group()} = 0")
        except tomllib.TOMLDecodeError:
            return None
        self._at = match.end()
        path: list[str | int] = []
        while isinstance(inner, dict):
            (key, inner), *_ = inner.items()
            path.append(key)
        return tuple(path)

    def _value(self) -> None:
        """Move behind a value: the first line end outside of brackets and strings."""
        depth = 0
        while self._at < len(self._text):
            char = self._text[self._at]
            if char == "\n" and depth <= 0:
                return
            token = _STRING.match(self._text, self._at) or _DULL.match(self._text, self._at)
            if char == "#":
                self._at = _line_end(self._text, self._at)
                continue
            depth += (char in "[{") - (char in "]}")
            self._at = _end(token, self._at + 1)

    def _resolve(self, path: tuple[str | int, ...]) -> tuple[str | int, ...]:
        """[fruit.variety] below [[fruit]] belongs to the newest fruit."""
        found: tuple[str | int, ...] = ()
        for part in path:
            found = (*found, part)
            if found in self._arrays:
                found = (*found, self._arrays[found])
        return found

    def _note(self, path: tuple[str | int, ...], at: int | None = None) -> None:
        line = self._text.count("\n", 0, self._at if at is None else at) + 1
        self._lines.setdefault(path, []).append(line)


def _end(match: re.Match[str] | None, otherwise: int) -> int:
    return match.end() if match else otherwise


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end
