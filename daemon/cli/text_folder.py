"""The texts of a folder that somebody names on the command line, bounded and without links."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from daemon.errors import SprintdError
from daemon.memory.notes import parse_note
from daemon.memory.opening import OpenRoot, Unreadable
from daemon.reports.verdict_text import NoteText

MOST_FILES = 500
MOST_BYTES = 20_000_000

_ENDINGS = (".md", ".txt")


def read_texts(
    folder: Path, tell: Callable[[str], None], *, but: Path | None = None
) -> tuple[NoteText, ...]:
    """Every *.md and *.txt below `folder`, in order of paths; `path` is as a person would type it.

    The text is the note without its front matter, as an agent is given it. Links are not followed,
    hidden files and the file `but` not read; what is left out is told. Raises SprintdError
    where the folder cannot be read, has no such file, or holds more than 500 of them or 20 MB.
    """
    if not folder.expanduser().is_dir():
        why = "is a file" if folder.expanduser().exists() else "does not exist"
        raise SprintdError(f"{folder}: {why}; name a folder of notes")
    found: list[NoteText] = []
    size = 0
    with OpenRoot(folder.expanduser().absolute()) as opened:
        for path, refusal in opened.walk(""):
            if not path.endswith(_ENDINGS) or "/." in f"/{path}" or _is_same(folder / path, but):
                continue
            try:
                if refusal:
                    raise Unreadable(path, refusal)
                data = opened.read(path)
            except Unreadable as error:
                tell(f"left out {folder / path}: {error.reason}")
                continue
            size += len(data)
            if len(found) == MOST_FILES or size > MOST_BYTES:
                raise SprintdError(
                    f"{folder}: holds more than {MOST_FILES} texts or {MOST_BYTES:,} bytes; "
                    "name a smaller folder"
                )
            body, line = without_front_matter(data)
            found.append(NoteText(path, body, str(folder / path), line))
    if not found:
        raise SprintdError(f"{folder}: holds no *.md and no *.txt file that can be read")
    return tuple(found)


def without_front_matter(data: bytes) -> tuple[str, int]:
    """The text of a note below its front matter, and the line of the file that it begins in."""
    whole = parse_note(data, "")
    above = len(data.decode("utf-8-sig", "replace").splitlines()) - len(whole.body.splitlines())
    return whole.body, above + 1


def _is_same(path: Path, other: Path | None) -> bool:
    """A text that stands among its own notes would back everything that it says."""
    return other is not None and other.exists() and path.exists() and path.samefile(other)
