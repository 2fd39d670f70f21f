"""Markdown taken apart into blocks, each with the headings above it. Pure; no line is reworded."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from daemon.llm.frames import FRAMES

HEADING = re.compile(r"(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*")
BULLET = re.compile(r"\A[-*+][ \t]+")
SOURCE_MARK = "Source: `"
_CLOSING = re.compile(r"(?: #+)+\Z")
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]+\S")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_RULE = re.compile(r"([-*_])[ \t]*(?:\1[ \t]*){2,}")
_DASHES = re.compile(r"(?:-[- \t]*)?")
_COMMENT, _COMMENT_END = "<!--", "-->"
_MOST_BY_HAND = 300  # lines of a fence or a comment that a person put into a document
_MOST_WRAPPED = 50  # lines of an item that a person's editor broke at the edge
_FRAME_LEVEL = 2
# Whole lines that say nothing: the offline writer's own frame.
_SILENT = frozenset(line for frame in FRAMES.values() for line in frame.lines())


@dataclass(frozen=True)
class Block:
    """A block of Markdown and the headings above it, outermost first, with their `levels` (1 to 6);
    `is_heading`: one that has nothing below it."""

    text: str
    headings: tuple[str, ...]
    is_heading: bool = False
    levels: tuple[int, ...] = ()


@dataclass
class _Above:
    """A heading that is open: whether anything stood below it."""

    level: int
    words: str
    used: bool = False


def read_blocks(body: str, *, frame: Collection[str] | None = None) -> Iterator[Block]:
    """The blocks of a text in order: paragraphs, list items with what is below them, tables, fences.

    `frame`: the text is one of our own documents, and these are the headings of its sections, which end
    every other. What belongs to an item is indented there, whatever it is, and an open fence ends with
    its item; a fence or a comment at the edge is a person's, and one block.
    """
    ours = frame is not None
    lines = [line.rstrip() for line in body.split("\n")]
    stack: list[_Above] = []
    at = 0
    while at < len(lines):
        heading = HEADING.fullmatch(lines[at])
        if heading:
            level, words = len(heading[1]), one_line(heading[2])
            section = level <= _FRAME_LEVEL and words in (frame or ())
            yield from _closed(stack, 1 if section else level)
            if says_something(words):
                stack.append(_Above(level, words))
            at += 1
            continue
        if not lines[at] or _RULE.fullmatch(lines[at]):
            at += 1
            continue
        end = (_end_by_hand(lines, at) if ours else 0) or _end_of_block(lines, at, ours=ours)
        text = _text_of(lines[at:end])
        if says_something(text):
            yield _block(text, stack)
            for one in stack:
                one.used = True
        at = end
    yield from _closed(stack, 0)


def one_line(text: str) -> str:
    """The words of a text on one line, fit for a heading: marks at its end would be taken for none."""
    return _CLOSING.sub("", " ".join(text.split()))


def says_something(text: str) -> bool:
    """Whether there is a letter or a digit in it, and not only the offline writer's frame."""
    return text not in _SILENT and any(char.isalnum() for char in text)


def bare(line: str) -> str:
    """A line without its bullet and the spaces around it."""
    return BULLET.sub("", line.strip(), count=1).strip()


def _block(text: str, above: list[_Above], *, is_heading: bool = False) -> Block:
    words, levels = tuple(one.words for one in above), tuple(one.level for one in above)
    return Block(text, words, is_heading, levels)


def _closed(stack: list[_Above], level: int) -> Iterator[Block]:
    """Take off the headings that one of this level ends (0: all); those over nothing are blocks."""
    ended = [one for one in stack if one.level >= level]
    stack[:] = [one for one in stack if one.level < level]
    for number, one in enumerate(ended):
        if not one.used:
            yield _block(one.words, [*stack, *ended[:number]], is_heading=True)
    if any(not one.used for one in ended):
        for above in stack:
            above.used = True


def _end_by_hand(lines: list[str], start: int) -> int:
    """The end of a fence or a comment at the edge of a document; 0 where there is none, or where it
    would swallow what is ours."""
    fence = _FENCE.match(lines[start])
    if lines[start][0].isspace() or not (fence or lines[start].startswith(_COMMENT)):
        return 0
    for at in range(start, min(len(lines), start + _MOST_BY_HAND)):
        line = lines[at]
        if line.lstrip().startswith(SOURCE_MARK):
            return 0
        if fence:
            closes = at > start and line.startswith(fence[1]) and not line.strip(fence[1][0])
        else:
            closes = _COMMENT_END in line
        if closes:
            return at + 1
    return 0


def _end_of_block(lines: list[str], start: int, *, ours: bool) -> int:
    """The number of the first line after the block that begins at `start`."""
    item = _ITEM.match(lines[start]) is not None
    fence = "" if ours else _opened(lines[start], item=item)
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
            if (
                HEADING.fullmatch(line)
                or _ITEM.match(line)
                or (item and ours and not _is_wrapped(lines, at))
            ):
                return at
            if _end_by_hand(lines, at) if ours else _FENCE.match(line):
                return at
        fence = "" if ours else _opened(line, item=False)
        at += 1
    return at


def _is_wrapped(lines: list[str], at: int) -> bool:
    """Whether a line at the edge goes on with the item above it: the item's sources are yet to come."""
    if lines[at - 1].lstrip().startswith(SOURCE_MARK):
        return False
    for line in lines[at : at + _MOST_WRAPPED]:
        if not line or HEADING.fullmatch(line) or _ITEM.match(line):
            return False
        if line.startswith(" ") and line.lstrip().startswith(SOURCE_MARK):
            return True
    return False


def _opened(line: str, *, item: bool) -> str:
    """The marks of a fence that the line opens, else nothing."""
    found = _FENCE.match(BULLET.sub("", line, count=1) if item else line)
    return found[1] if found else ""


def _text_of(lines: list[str]) -> str:
    """The lines without the bullet, what was below it moved to the left by as much."""
    bullet = BULLET.match(lines[0])
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
