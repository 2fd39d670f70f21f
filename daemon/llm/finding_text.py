"""What a finding states, without what sprintd itself wrote into its file."""

from __future__ import annotations

import re

from daemon.config.phrases import Phrases
from daemon.knowledge.provenance import is_by_model
from daemon.llm.frames import FRAMES
from daemon.llm.provider import SourceText

_SECTIONS = ("finding.sources_heading", "finding.unverified_heading", "merged.superseded")
_WITHIN = " › "  # a merged document's topics: the finding's title, then its headings
_HEADING = re.compile(r"(#{1,6})\s+(.*?)[\s#]*$")
# The source of a merged statement that holds no more. The words count wherever it stands: a heading that
# a person typed below "Superseded" ends that section, and not what was said of the statement.
_NO_LONGER = re.compile(
    r"[ \t]*Source: `[^`]+` \(\d{4}-\d\d-\d\d[^)]*; (?:superseded \d{4}-\d\d-\d\d|unverified)[;)]"
)
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]")
_OWN_LINES = frozenset(
    [line for frame in FRAMES.values() for line in frame.lines()]
    + [Phrases("en").text("merged.intro"), Phrases("es").text("merged.intro")]
)
_OWN_HEADINGS = frozenset(heading for frame in FRAMES.values() for heading in frame.headings())
# Sections that hold no evidence: what is missing, what may not be cited, and what was read.
_LEFT_OUT = frozenset(
    [frame.gaps for frame in FRAMES.values()]
    + [Phrases("en").text(one) for one in _SECTIONS]
    + [Phrases("es").text(one) for one in _SECTIONS]
    + ["Not verified", "Sin verificar", "No verificado"]
)


def is_finding(source: SourceText) -> bool:
    """Whether the text is an earlier finding, or merged of some, and not a note that people wrote."""
    return is_by_model(source.path)


def stated_part(text: str) -> str:
    """A finding's own statements, as Markdown; headings and lines that sprintd adds are left out.

    Were they quoted, each finding would cite how the one before was made.
    """
    kept: list[str] = []
    skipping = 0  # the level of the heading whose section is left out; 0: none is
    start = 0  # where in `kept` the block that is read begins
    for line in text.split("\n"):
        heading = _HEADING.match(line)
        if heading:
            level, words = len(heading.group(1)), heading.group(2)
            if not skipping or level <= skipping:
                skipping = level if _LEFT_OUT.intersection(words.split(_WITHIN)) else 0
            if words in _OWN_HEADINGS:
                line = ""
        if skipping:
            continue
        if _NO_LONGER.match(line):
            del kept[start:]
            continue
        if heading or _begins(line, kept):
            start = len(kept) + bool(heading)
        kept.append("" if line.strip() in _OWN_LINES else line)
    return "\n".join(kept)


def _begins(line: str, kept: list[str]) -> bool:
    """Whether a block of Markdown begins at the edge here, and not what belongs to the one above."""
    after_gap = not (kept and kept[-1].strip())
    return _ITEM.match(line) is not None or (after_gap and line[:1] not in ("", " ", "\t"))
