"""The texts of a folder that somebody names on the command line, bounded and without links."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from daemon.errors import SprintdError
from daemon.memory.opening import OpenRoot, Unreadable
from daemon.reports.verdict_text import NoteText

MOST_FILES = 500
MOST_BYTES = 20_000_000

_ENDINGS = (".md", ".txt")


def read_texts(folder: Path, tell: Callable[[str], None]) -> tuple[NoteText, ...]:
    """Every *.md and *.txt below `folder`, in order of paths; `path` is as a person would type it.

    Links are not followed and hidden files not read; what is left out is told. Raises SprintdError
    where the folder cannot be read, has no such file, or holds more than 500 of them or 20 MB.
    """
    found: list[NoteText] = []
    size = 0
    with OpenRoot(folder.expanduser().absolute()) as opened:
        for path, refusal in opened.walk(""):
            if not path.endswith(_ENDINGS) or f"/{path}".count("/."):
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
            found.append(NoteText(path, data.decode("utf-8", "replace"), str(folder / path)))
    if not found:
        raise SprintdError(f"{folder}: holds no *.md and no *.txt file that can be read")
    return tuple(found)
