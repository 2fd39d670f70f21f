"""Merged documents as Markdown: written from statements, and read back into the same ones.

Every statement is one list item. Its last lines name its sources, one each:
      Source: `memory/findings/KC1/T01-3.md` (2026-11-30; outside; internal)
What it stood under in that note is told where that was something else than its heading here.
What a person writes into a document by hand has no such line; it is a statement of the document itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from daemon.config.phrases import Phrases
from daemon.config.sections import Language
from daemon.knowledge.provenance import OUTSIDE, WORKSPACE, highest, provenance_in
from daemon.memory.notes import Note
from daemon.memory.statements import (
    ARROW,
    Block,
    Origin,
    Statement,
    known_word,
    one_line,
    read_blocks,
)

ORIGIN = "consolidation"
_LANGUAGES: tuple[Language, ...] = ("en", "es")
_SOURCE = re.compile(
    r"Source: `([^`\n]+)` \((\d{4}-\d\d-\d\d)((?:; [a-z]+(?: \d{4}-\d\d-\d\d)?)*)\)(?:, under: (.+))?"
)
_LIKE_A_SOURCE = re.compile(r"\A(\s*)(\\*Source: `)")
_ESCAPED = re.compile(r"\A(\s*)\\(\\*Source: `)")
_SUPERSEDED, _UNVERIFIED, _OUTSIDE = "superseded ", "unverified", "outside"
_LEAST = "internal"


@dataclass(frozen=True)
class Sheet:
    """One document: its `name` in the configuration, its title, and its statements in their order.

    `pairs`: groups of statements that give different figures of the same thing, by their texts.
    """

    name: str
    title: str
    statements: tuple[Statement, ...]
    pairs: tuple[tuple[Statement, ...], ...] = ()


def render_sheet(sheet: Sheet, phrases: Phrases) -> str:
    """The whole file; the same statements give the same text, whenever it is written."""
    say = phrases.text
    apart = {one for pair in sheet.pairs for one in pair}
    holding = [one for one in sheet.statements if not (one.unverified or one.superseded_on)]
    known = [one for one in holding if one not in apart]
    old = [one for one in sheet.statements if one.superseded_on]
    doubtful = [one for one in sheet.statements if one.unverified and not one.superseded_on]
    lines = [*_front(sheet), "", f"# {sheet.title}", "", say("merged.intro")]
    for group in dict.fromkeys(one.group for one in known):
        lines += ["", f"## {group or say('merged.known')}"]
        lines += _items(one for one in known if one.group == group)
    if sheet.pairs:
        lines += ["", f"## {say('merged.differing')}"]
        for number, pair in enumerate(sheet.pairs):
            lines += [*(["", "---"] if number else []), *_items(pair)]
    if doubtful:  # nothing from here on may bear anything out
        lines += ["", f"## {say('finding.unverified_heading')}", *_items(doubtful)]
    if old:
        lines += ["", *([] if doubtful else [f"## {say('finding.unverified_heading')}", ""])]
        lines += [f"## {say('merged.superseded')}", *_items(old)]
    return "\n".join(lines) + "\n"


def read_sheet(note: Note) -> Sheet | None:
    """The document that a file is; None where it is none that sprintd wrote."""
    name = note.front.get("document")
    if note.front.get("origin") != ORIGIN or not isinstance(name, str) or not name:
        return None
    said = provenance_in(note.front, note.path)
    day = note.front.get("newest")
    by_hand = Origin(
        day if isinstance(day, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", day) else "0001-01-01",
        note.path,
        said.outside,
        known_word(said.sensitivity),
    )
    found = []
    for block in read_blocks(note.body, indented_only=True):
        one = _read(block, note.title, by_hand)
        if one is not None:
            found.append(one)
    return Sheet(name, note.title, tuple(found))


def is_frame_heading(words: str) -> bool:
    """Whether a heading is one of those that every document has, in any language."""
    return words in _OURS


def parts_of(statements: Iterable[Statement]) -> tuple[str, ...]:
    """The notes that statements come from, each once."""
    return tuple(dict.fromkeys(origin.path for one in statements for origin in one.origins))


def _front(sheet: Sheet) -> Iterator[str]:
    """No moment of writing: nothing new gives the same bytes."""
    statements = sheet.statements
    outside = any(one.outside for one in statements)
    yield "---"
    yield f'title: "{_quotable(sheet.title)}"'
    yield f"origin: {ORIGIN}"
    yield f"document: {sheet.name}"
    yield f'newest: "{max((one.newest for one in statements), default="0001-01-01")}"'
    yield f"provenance: {OUTSIDE if outside else WORKSPACE}"
    yield f"sensitivity: {highest((_LEAST, *(one.sensitivity for one in statements)))}"
    yield f"statements: {len(statements)}"
    yield "---"


def _items(statements: Iterable[Statement]) -> Iterator[str]:
    topic = ""
    for one in statements:
        if one.topic != topic:
            topic = one.topic
            yield from ("", f"### {topic}", "") if topic else ("",)
        yield from item_lines(one)


def item_lines(statement: Statement) -> list[str]:
    """A statement as a list item, its sources last."""
    lines = [_LIKE_A_SOURCE.sub(r"\1\\\2", line, count=1) if _LIKE_A_SOURCE.match(line) else line
             for line in statement.text.split("\n")]  # fmt: skip
    lines += [_source_line(origin, statement) for origin in statement.origins]
    return [f"- {lines[0]}", *(f"  {line}" if line else "" for line in lines[1:])]


def _source_line(origin: Origin, statement: Statement) -> str:
    words = [origin.on]
    words += [_SUPERSEDED + statement.superseded_on] if statement.superseded_on else []
    words += [_UNVERIFIED] if statement.unverified else []
    words += [_OUTSIDE] if origin.outside else []
    words += [origin.sensitivity] if origin.sensitivity else []
    under = f", under: {origin.topic}" if origin.topic else ""
    return f"Source: `{origin.path}` ({'; '.join(words)}){under}"


def _read(block: Block, title: str, by_hand: Origin) -> Statement | None:
    section, topic = _place(block, title)
    lines = block.text.split("\n")
    origins: list[Origin] = []
    words: set[str] = set()
    while len(lines) > 1 and (found := _SOURCE.fullmatch(lines[-1].strip())):
        said = [word for word in found[3].split("; ") if word]
        origins.insert(0, _origin(found[2], found[1], said, found[4] or ""))
        words.update(said)
        lines.pop()
    if not origins and _is_ours(block, title):
        return None
    superseded = [word.removeprefix(_SUPERSEDED) for word in words if word.startswith(_SUPERSEDED)]
    return Statement(
        "\n".join(_ESCAPED.sub(r"\1\2", line, count=1) for line in lines).rstrip("\n"),
        tuple(origins) or (by_hand,),
        topic or one_line(title),
        section if section not in _OURS else "",
        unverified=_UNVERIFIED in words or section in _ours("finding.unverified_heading"),
        superseded_on=max(superseded, default=""),
    )


def _place(block: Block, title: str) -> tuple[str, str]:
    """The section (##) that it stands in, and its topic (### and what a person put below)."""
    above = block.headings
    if above and above[0] == one_line(title):
        above = above[1:]
    return (above[0] if above else ""), ARROW.join(above[1:])


def _is_ours(block: Block, title: str) -> bool:
    """Whether it is a line of the frame, which no note said."""
    words = one_line(block.text)
    if block.is_heading:
        return words in _OURS or words == one_line(title)
    return words in _ours("merged.intro")


def _origin(on: str, path: str, words: list[str], topic: str) -> Origin:
    rest = [w for w in words if w != _UNVERIFIED and not w.startswith(_SUPERSEDED)]
    said = [known_word(word) for word in rest if word != _OUTSIDE]
    return Origin(on, path, _OUTSIDE in rest, highest(said), topic)


@cache
def _ours(key: str) -> tuple[str, ...]:
    return tuple(one_line(Phrases(language).text(key)) for language in _LANGUAGES)


def _quotable(text: str) -> str:
    return one_line(text).replace("\\", "").replace('"', "'")


_SECTIONS = ("merged.known", "merged.differing", "merged.superseded", "finding.unverified_heading")
_OURS = frozenset(words for key in _SECTIONS for words in _ours(key))
