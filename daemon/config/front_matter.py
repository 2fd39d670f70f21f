"""A Markdown file that starts with YAML between two lines of ---."""

from __future__ import annotations

from dataclasses import dataclass

from daemon.config.document import Document
from daemon.config.text_file import MAX_BYTES, decode
from daemon.config.yaml_file import parse_yaml
from daemon.errors import Fault, WorkspaceInvalid

_FENCE = "---"


@dataclass(frozen=True)
class FrontMatter:
    """Both parts of the file. Lines of `document` are lines of the file; `body` is stripped."""

    document: Document
    body: str
    body_line: int


def parse_front_matter(text: str | bytes, file: str, *, max_bytes: int = MAX_BYTES) -> FrontMatter:
    """Raises WorkspaceInvalid where the fences are missing or the YAML between them is faulty."""
    lines = decode(text, file, max_bytes=max_bytes).split("\n")
    if lines[0].rstrip() != _FENCE:
        message = "does not start with front matter"
        cure = "start the file with a line of ---, then keys, then another line of ---"
        raise WorkspaceInvalid([Fault(file, 1, "", message, cure)])
    closing = next((at for at, line in enumerate(lines) if at and line.rstrip() == _FENCE), None)
    if closing is None:
        message = "the front matter that starts here is never closed"
        raise WorkspaceInvalid([Fault(file, 1, "", message, "close it with a line of ---")])
    # An empty line in place of the opening fence keeps the numbers of all lines.
    document = parse_yaml("\n".join(["", *lines[1:closing]]), file, max_bytes=max_bytes)
    return FrontMatter(document, "\n".join(lines[closing + 1 :]).strip(), closing + 2)
