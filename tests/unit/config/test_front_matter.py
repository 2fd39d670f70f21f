"""Markdown with front matter keeps the line numbers of the file."""

from __future__ import annotations

import pytest

from daemon.config.front_matter import parse_front_matter
from daemon.errors import WorkspaceInvalid


def test_both_parts_and_their_lines() -> None:
    """Lines of keys are lines of the file; the body comes without blank lines around it."""
    found = parse_front_matter(
        b"\xef\xbb\xbf---\r\nid: a\r\nname: b\r\n---\r\n\r\n# T\r\n\r\n---\r\nx\r\n", "f.md"
    )
    assert found.document.value == {"id": "a", "name": "b"}
    assert found.document.line_of(("name",)) == 3
    assert (found.body, found.body_line) == ("# T\n\n---\nx", 5)


@pytest.mark.parametrize(
    ("text", "line", "cause"),
    [
        ("# Title\n", 1, "does not start with front matter"),
        ("", 1, "does not start with front matter"),
        ("---\nid: a\n", 1, "never closed"),
        ("---\nid: a\nid: b\n---\nx", 3, "written twice"),
        ("---\nid: @a\n---\nx", 2, "starts with @"),
    ],
)
def test_faults_have_the_files_line(text: str, line: int, cause: str) -> None:
    """Missing fences and faulty YAML are told with the line in the Markdown file."""
    with pytest.raises(WorkspaceInvalid) as caught:
        parse_front_matter(text, "f.md")
    (fault,) = caught.value.faults
    assert fault.line == line
    assert cause in fault.message
