"""Notes taken apart: each block of Markdown is one statement, with its source, its date and its context.

Nothing is reworded here: the lines of a statement are the lines of the note. What is left out is said
in `blocks`, and `lost_lines` checks that nothing else is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from daemon.knowledge.archive import FINDINGS
from daemon.knowledge.provenance import SENSITIVITIES, highest
from daemon.llm.frames import FRAMES
from daemon.memory.blocks import HEADING, Block, bare, one_line, read_blocks, says_something
from daemon.memory.findings import SOURCES_HEADINGS, UNVERIFIED_HEADINGS
from daemon.memory.notes import Note

ARROW = " › "
_ATTEMPT = re.compile(r"-\d+\.md$")  # one number: an item may be called KC1-2
_FRAME_HEADINGS = frozenset(words for f in FRAMES.values() for words in (f.best, f.evidence))

_OWN_HEADINGS = frozenset((*SOURCES_HEADINGS, *UNVERIFIED_HEADINGS, *_FRAME_HEADINGS))


@dataclass(frozen=True, order=True)
class Origin:
    """A note that makes a statement. `on`: the day it was made, as ISO text.

    `outside`: the note came from outside, or may have. `sensitivity` is one of KCP's words, or empty.
    `topic`: what it stood under in this note; empty: the topic of its statement.
    """

    on: str
    path: str
    outside: bool = False
    sensitivity: str = ""
    topic: str = ""

    @property
    def lineage(self) -> str:
        """What later notes replace earlier ones of: all findings of one item, else the note itself."""
        return _lineage(self.path)


@dataclass(frozen=True)
class Statement:
    """One block of Markdown. `topic` is where it stood: the note's title and its headings.

    `group` is the heading that a document has it under, empty for none of its own; `group_by_hand`: a
    person typed it, so it stays. `superseded_on` is the day of the newer figure that replaces it, as
    ISO text; empty: it holds.
    """

    text: str
    origins: tuple[Origin, ...]
    topic: str = ""
    group: str = ""
    unverified: bool = False
    superseded_on: str = ""
    group_by_hand: bool = False

    @property
    def outside(self) -> bool:
        return any(origin.outside for origin in self.origins)

    @property
    def sensitivity(self) -> str:
        return highest(origin.sensitivity for origin in self.origins)

    @property
    def newest(self) -> str:
        """The day of its newest source."""
        return max((origin.on for origin in self.origins), default="")

    def topic_of(self, origin: Origin) -> str:
        """What it stood under in one of its sources."""
        return origin.topic or self.topic

    def by(self, origins: Iterable[Origin]) -> Statement:
        """The same by some of its sources alone: nothing of what the others had above it."""
        some = tuple(origins)
        topics = [self.topic_of(one) for one in some]
        topic = self.topic if self.topic in topics else next(iter(topics), self.topic)
        told = (
            replace(o, topic="" if t == topic else t) for o, t in zip(some, topics, strict=True)
        )
        return replace(self, origins=tuple(told), topic=topic)


def known_word(sensitivity: str) -> str:
    """One of KCP's words; what is none of them counts as the strictest."""
    return sensitivity if sensitivity in SENSITIVITIES else SENSITIVITIES[-1]


def read_statements(note: Note, origin: Origin) -> tuple[Statement, ...]:
    """Every statement of a note; none of one that is empty. Of a finding the list of what its agent was
    given is left out: it stays in the file, which the archive keeps."""
    finding = note.path.startswith(FINDINGS)
    found = []
    for block in read_blocks(note.body):
        if finding and _under(block, SOURCES_HEADINGS):
            continue
        unverified = finding and _under(block, UNVERIFIED_HEADINGS)
        if block.is_heading and block.text in (one_line(note.title), *_OWN_HEADINGS):
            continue
        found.append(
            Statement(block.text, (origin,), _topic(_name_of(note), block), unverified=unverified)
        )
    if not found and says_something(f"{note.front.get('title') or ''}{note.body}"):
        name = _name_of(note)
        found.append(Statement(name, (origin,), name))
    return tuple(found)


def lost_lines(note: Note, statements: tuple[Statement, ...]) -> tuple[str, ...]:
    """Lines of the note that are neither in a statement nor in the context of one."""
    lines = [line for one in statements for line in one.text.split("\n")]
    kept = {*map(bare, lines), *map(str.strip, lines)}
    told = {part for one in statements for part in one.topic.split(ARROW)}
    told |= {*UNVERIFIED_HEADINGS, *_FRAME_HEADINGS, *one_line(note.title).split(ARROW)}
    finding, listing = note.path.startswith(FINDINGS), False
    lost = []
    for line in note.body.split("\n"):
        heading = HEADING.fullmatch(line)
        if heading and finding:
            listing = one_line(heading[2]) in SOURCES_HEADINGS
        words = one_line(heading[2]) if heading else bare(line)
        if not says_something(words) or listing or {words, bare(line)} & kept:
            continue
        if told.issuperset(one_line(words).split(ARROW)):  # one with an arrow in it is several
            continue
        lost.append(line)
    return tuple(lost)


@lru_cache(maxsize=20_000)
def _lineage(path: str) -> str:
    return _ATTEMPT.sub("", path) if path.startswith(FINDINGS) else path


def _under(block: Block, headings: tuple[str, ...]) -> bool:
    return any(words in headings for words in block.headings)


def _name_of(note: Note) -> str:
    """Its title; where that says nothing, its path: a topic of no letters would not be read again."""
    title = one_line(note.title)
    return title if says_something(title) else note.path


def _topic(name: str, block: Block) -> str:
    silent = {*UNVERIFIED_HEADINGS, *_FRAME_HEADINGS}
    above = [words for words in block.headings if words not in silent]
    return ARROW.join([name, *(words for words in above if words != name)])
