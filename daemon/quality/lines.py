"""Regexes whose every match stands at the beginning of a line: tried there, and nowhere else."""

from __future__ import annotations

import re
from collections.abc import Iterator


def at_lines(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """What `finditer` finds, for a pattern that begins with `^` in every branch (re.MULTILINE).

    The search of a regex asks at every character whether a line begins there.
    """
    end = at = 0
    match, find = pattern.match, text.find
    while at <= len(text):
        found = match(text, at) if at >= end else None
        if found:
            end = found.end()
            yield found
        at = find("\n", at) + 1
        if at == 0:
            return


def first_at_line(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """What `search` finds, for such a pattern."""
    return next(at_lines(pattern, text), None)
