"""Notes: the Markdown files under memory/, with or without front matter.

One broken file never keeps the others from being read, and no file is changed by reading it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from daemon.config.yaml_file import parse_yaml
from daemon.errors import Fault, WorkspaceInvalid
from daemon.memory.opening import OpenRoot, Unreadable

MEMORY = "memory"

_MARK = "---"


@dataclass(frozen=True)
class Note:
    """One note. `body` is the text after the front matter; `front` holds text scalars, `front_text` its
    lines as they stand.

    `damaged` is true where bytes that are not UTF-8 were replaced by U+FFFD. `fault` says what is
    wrong with the front matter, which is then part of the body; empty where nothing is. It
    stands in `fault_line`, 0 where it has none.
    """

    path: str
    title: str
    front: dict[str, Any]
    body: str
    size_bytes: int
    damaged: bool = False
    fault: str = ""
    front_text: str = ""
    fault_line: int = 0


@dataclass(frozen=True)
class SkippedNote:
    """A file that was not read, and why."""

    path: str
    reason: str


def read_note(root: Path, path: str) -> Note:
    """One note. Raises Unreadable: missing, a link, not an ordinary file, larger than 1 MiB."""
    with OpenRoot(root) as opened:
        return parse_note(opened.read(path), path)


def readable_notes(opened: OpenRoot, folder: str) -> Iterator[Note]:
    """Every note below a folder that can be read, faulty ones too; the others are passed over."""
    for path, refusal in opened.walk(folder.rstrip("/")):
        if refusal or not path.endswith(".md"):
            continue
        with suppress(Unreadable):
            yield parse_note(opened.read(path), path)


def parse_note(data: bytes, path: str) -> Note:
    """The note that these bytes are; never raises."""
    text, damaged = _decode(data)
    front, body, wrong = _split(text, path)
    line = wrong.line if wrong else 0
    fault = str(replace(wrong, file="", line=0)).removeprefix(": ") if wrong else ""
    title = front.get("title")
    if not isinstance(title, str) or not title.strip():
        title = _heading(body) or path.rpartition("/")[2].removesuffix(".md")
    above = text[: len(text) - len(body)].strip("\n").split("\n")[1:-1]
    return Note(path, title.strip(), front, body, len(data), damaged, fault, "\n".join(above), line)


def parse_sound_note(data: bytes, path: str) -> Note:
    """The same, of a note that is to be relied on. Raises Unreadable for one that is no UTF-8, and for one
    whose front matter is faulty: nobody can say where it came from."""
    note = parse_note(data, path)
    if note.damaged:
        raise Unreadable(path, "is damaged: not UTF-8 text; save it as UTF-8")
    if note.fault:
        raise Unreadable(
            path, f"does not say where it came from (line {note.fault_line}): {note.fault}"
        )
    return note


def _decode(data: bytes) -> tuple[str, bool]:
    text = data.decode("utf-8", "replace")
    damaged = text.encode() != data
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"), damaged


def _split(text: str, path: str) -> tuple[dict[str, Any], str, Fault | None]:
    """Front matter, body, and what is wrong with the front matter (then the body is everything)."""
    lines = text.split("\n")
    if lines[0].rstrip() != _MARK:
        return {}, text, None
    for number, line in enumerate(lines[1:], 1):
        if line.rstrip() == _MARK:
            return _front(lines, number, path, text)
    return {}, text, Fault(path, 1, "", "the front matter that starts here is not closed with ---")


def _front(
    lines: list[str], end: int, path: str, text: str
) -> tuple[dict[str, Any], str, Fault | None]:
    # The opening mark becomes an empty line, so that line numbers in faults are the file's own.
    try:
        front = parse_yaml("\n".join(["", *lines[1:end]]), path).value
    except WorkspaceInvalid as error:
        return {}, text, error.faults[0]
    body = "\n".join(lines[end + 1 :]).removeprefix("\n")
    if front is None:
        return {}, body, None
    if not isinstance(front, dict):
        return {}, text, Fault(path, 1, "", "the front matter is not a mapping of fields")
    return front, body, None


def _heading(body: str) -> str:
    for line in body.split("\n"):
        if line.startswith("# "):
            return line[2:].strip()
    return ""
