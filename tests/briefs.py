"""The offline writer's brief taken apart: what it quotes, and the frame around that."""

from __future__ import annotations

import re

_MARKED = re.compile(r" \[[^\[\]]+\]$")
_RULE = re.compile(r"\|[\s:|-]+$")


def quoted_sentences(output: str) -> list[str]:
    """The quotations of a brief: its list items and table rows, without the sources' ids."""
    quoted: list[str] = []
    for line in output.splitlines():
        if line.startswith("- "):
            quoted.append(_MARKED.sub("", line[2:]))
        elif line.startswith("|") and not _RULE.match(line):
            quoted.append(line)
    return quoted


def frame_lines(output: str) -> list[str]:
    """Every line of a brief that is no quotation: the frame, headings, table rules and ids."""
    return [
        line
        for line in output.splitlines()
        if line and not line.startswith("- ") and (not line.startswith("|") or _RULE.match(line))
    ]
