"""Notes taken apart: each block of Markdown is one statement, with its source, its date and its context.

Nothing is reworded here: the lines of a statement are the lines of the note. What is left out is said
below (`_SILENT`), and `lost_lines` checks that nothing else is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from daemon.knowledge.archive import FINDINGS
from daemon.knowledge.provenance import SENSITIVITIES, highest
from daemon.llm.frames import FRAMES
from daemon.memory.findings import SOURCES_HEADINGS, UNVERIFIED_HEADINGS
from daemon.memory.notes import Note

ARROW = " › "
_HEADING = re.compile(r"(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*")
_CLOSING = re.compile(r"(?: #+)+\Z")
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]+\S")
_BULLET = re.compile(r"\A[-*+][ \t]+")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_RULE = re.compile(r"([-*_])[ \t]*(?:\1[ \t]*){2,}")
_ATTEMPT = re.compile(r"-\d+\.md$")  # one number: an item may be called KC1-2
_DASHES = re.compile(r"(?:-[- \t]*)?")
# Whole lines that say nothing: the offline writer's own frame.
_SILENT = frozenset(line for frame in FRAMES.values() for line in frame.lines())
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

    `group` is the heading that a document has it under, empty for none of its own. `superseded_on` is
    the day of the newer figure that replaces it, as ISO text; empty: it holds.
    """

    text: str
    origins: tuple[Origin, ...]
    topic: str = ""
    group: str = ""
    unverified: bool = False
    superseded_on: str = ""

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


@dataclass(frozen=True)
class Block:
    """A block of Markdown and the headings above it, outermost first; `is_heading`: one that has
    nothing below it."""

    text: str
    headings: tuple[str, ...]
    is_heading: bool = False


def known_word(sensitivity: str) -> str:
    """One of KCP's words; what is none of them counts as the strictest."""
    return sensitivity if sensitivity in SENSITIVITIES else SENSITIVITIES[-1]


def read_statements(note: Note, origin: Origin) -> tuple[Statement, ...]:
    """Every statement of a note. Of a finding the list of what its agent was given is left out: it
    stays in the file, which the archive keeps."""
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
    if not found and note.title:
        name = _name_of(note)
        found.append(Statement(name, (origin,), name))
    return tuple(found)


def lost_lines(note: Note, statements: tuple[Statement, ...]) -> tuple[str, ...]:
    """Lines of the note that are neither in a statement nor in the context of one."""
    lines = [line for one in statements for line in one.text.split("\n")]
    kept = {*map(_bare, lines), *map(str.strip, lines)}
    told = {part for one in statements for part in one.topic.split(ARROW)}
    told |= {*UNVERIFIED_HEADINGS, *_FRAME_HEADINGS, *one_line(note.title).split(ARROW)}
    finding, listing = note.path.startswith(FINDINGS), False
    lost = []
    for line in note.body.split("\n"):
        heading = _HEADING.fullmatch(line)
        if heading and finding:
            listing = one_line(heading[2]) in SOURCES_HEADINGS
        bare = one_line(heading[2]) if heading else _bare(line)
        if not _says(bare) or listing or {bare, _bare(line)} & kept:
            continue
        if told.issuperset(one_line(bare).split(ARROW)):  # one with an arrow in it is several
            continue
        lost.append(line)
    return tuple(lost)


def read_blocks(body: str, *, indented_only: bool = False) -> Iterator[Block]:
    """The blocks of a text in order: paragraphs, list items with what is below them, tables, fences.

    `indented_only`: what belongs to an item is indented, whatever it is, as in our own documents; an
    open fence then ends with its item.
    """
    lines = [line.rstrip() for line in body.split("\n")]
    stack: list[tuple[int, str, bool]] = []  # level, words, whether anything stood below it
    at = 0
    while at < len(lines):
        heading = _HEADING.fullmatch(lines[at])
        if heading:
            yield from _closed(stack, len(heading[1]))
            if _says(one_line(heading[2])):
                stack.append((len(heading[1]), one_line(heading[2]), False))
            at += 1
            continue
        if not lines[at] or _RULE.fullmatch(lines[at]):
            at += 1
            continue
        end = _end_of_block(lines, at, indented_only=indented_only)
        text = _text_of(lines[at:end])
        if _says(text):
            stack[:] = [(level, words, True) for level, words, _ in stack]
            yield Block(text, tuple(words for _, words, _ in stack))
        at = end
    yield from _closed(stack, 0)


def one_line(text: str) -> str:
    """The words of a text on one line, fit for a heading: marks at its end would be taken for none."""
    return _CLOSING.sub("", " ".join(text.split()))


@lru_cache(maxsize=20_000)
def _lineage(path: str) -> str:
    return _ATTEMPT.sub("", path) if path.startswith(FINDINGS) else path


def _closed(stack: list[tuple[int, str, bool]], level: int) -> Iterator[Block]:
    """Take off the headings that one of this level ends (0: all); those over nothing are blocks."""
    ended = [entry for entry in stack if entry[0] >= level]
    stack[:] = [entry for entry in stack if entry[0] < level]
    for number, (_, words, used) in enumerate(ended):
        if not used:
            above = [*stack, *ended[:number]]
            yield Block(words, tuple(name for _, name, _ in above), is_heading=True)
    if any(not used for _, _, used in ended):
        stack[:] = [(one, words, True) for one, words, _ in stack]


def _end_of_block(lines: list[str], start: int, *, indented_only: bool) -> int:
    """The number of the first line after the block that begins at `start`."""
    item = _ITEM.match(lines[start]) is not None
    fence = "" if indented_only else _opened(lines[start], item=item)
    at = start + 1
    while at < len(lines):
        line = lines[at]
        if fence:
            fence = "" if line.strip().startswith(fence) else fence
            at += 1
            if not fence and not item:
                return at
            continue
        if not line:
            after = next((n for n in range(at, len(lines)) if lines[n]), len(lines))
            if not (item and after < len(lines) and lines[after].startswith((" ", "\t"))):
                return at
            at = after  # all blank lines at once: looked at one by one, many take for ever
            continue
        if not line.startswith((" ", "\t")):
            if _HEADING.fullmatch(line) or _ITEM.match(line) or (item and indented_only):
                return at
            if _FENCE.match(line) and not indented_only:
                return at
        fence = "" if indented_only else _opened(line, item=False)
        at += 1
    return at


def _opened(line: str, *, item: bool) -> str:
    """The marks of a fence that the line opens, else nothing."""
    found = _FENCE.match(_BULLET.sub("", line, count=1) if item else line)
    return found[1] if found else ""


def _text_of(lines: list[str]) -> str:
    """The lines without the bullet, what was below it moved to the left by as much."""
    bullet = _BULLET.match(lines[0])
    width = 0
    if bullet:
        width = len(bullet[0])
        lines = [lines[0][width:], *(_moved(line, width) for line in lines[1:])]
    while lines and _DASHES.fullmatch(lines[0].strip()):  # with a bullet it would be a rule
        lines = lines[1:]
    if not lines:
        return ""
    return "\n".join([lines[0].lstrip(), *lines[1:]]).rstrip("\n")


def _moved(line: str, width: int) -> str:
    return line[min(width, len(line) - len(line.lstrip(" "))) :]


def _says(text: str) -> bool:
    """Whether there is a letter or a digit in it, and not only the offline writer's frame."""
    return text not in _SILENT and any(char.isalnum() for char in text)


def _under(block: Block, headings: tuple[str, ...]) -> bool:
    return any(words in headings for words in block.headings)


def _name_of(note: Note) -> str:
    """Its title; where that says nothing, its path: a topic of no letters would not be read again."""
    title = one_line(note.title)
    return title if _says(title) else note.path


def _topic(name: str, block: Block) -> str:
    silent = {*UNVERIFIED_HEADINGS, *_FRAME_HEADINGS}
    above = [words for words in block.headings if words not in silent]
    return ARROW.join([name, *(words for words in above if words != name)])


def _bare(line: str) -> str:
    return _BULLET.sub("", line.strip(), count=1).strip()
