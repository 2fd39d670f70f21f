"""A finding's file, cut into what may be cited, what may not, and the sources that were given."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from daemon.memory.findings import SOURCES_HEADINGS, UNVERIFIED_HEADINGS
from daemon.memory.notes import parse_note
from daemon.memory.opening import OpenRoot, Unreadable

_SOURCES = re.compile("|".join(f"^## {re.escape(one)}$" for one in SOURCES_HEADINGS), re.MULTILINE)
_UNVERIFIED = re.compile(
    "|".join(f"^## {re.escape(one)}$" for one in UNVERIFIED_HEADINGS), re.MULTILINE
)
_TITLE = re.compile(r"\A\s*# [^\n]*\n")


@dataclass(frozen=True)
class FindingText:
    """Markdown without headings of its own. `problem` says why there is none, empty where there is."""

    citable: str = ""
    unverified: str = ""
    sources: str = ""
    problem: str = ""


def read_finding(root: Path, path: str) -> FindingText:
    """The file as it is now. Raises Unreadable only for the root itself."""
    with OpenRoot(root) as folder:
        try:
            return split_finding(parse_note(folder.read(path), path).body)
        except Unreadable as error:
            return FindingText(problem=error.reason)


def split_finding(body: str) -> FindingText:
    """By the headings that sprintd writes; a file that people made over may have none of them."""
    body = _TITLE.sub("", body, count=1)
    body, sources = _cut(body, _SOURCES)
    citable, unverified = _cut(body, _UNVERIFIED)
    return FindingText(citable.strip(), unverified.strip(), sources.strip())


def _cut(text: str, heading: re.Pattern[str]) -> tuple[str, str]:
    found = heading.search(text)
    return (text[: found.start()], text[found.end() :]) if found else (text, "")
