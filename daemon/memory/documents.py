"""Merged documents as Markdown: written from statements, and read back into the same ones.

Every statement is one list item. Its last lines name its sources, one each:
      Source: `memory/findings/KC1/T01-3.md` (2026-11-30; outside; internal)
What it stood under in that note is told where that was something else than its heading here.
What a person writes into a document by hand has no such line; it is a statement of the document itself.
Headings of the first and second level that a person types stay above what he put there, wherever that
ends; the model's own, which say nothing that is not below them, are told apart by the front matter.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from daemon.config.phrases import Phrases
from daemon.config.sections import Language
from daemon.knowledge.provenance import OUTSIDE, WORKSPACE, Provenance, highest, provenance_in
from daemon.memory.blocks import HEADING, SOURCE_MARK, Block, one_line, read_blocks
from daemon.memory.likeness import key_of
from daemon.memory.notes import Note, parse_note
from daemon.memory.statements import ARROW, Origin, Statement, known_word

ORIGIN = "consolidation"
_LANGUAGES: tuple[Language, ...] = ("en", "es")
_SOURCE = re.compile(
    r"Source: `([^`\n]+)` \((\d{4}-\d\d-\d\d)((?:; [a-z]+(?: \d{4}-\d\d-\d\d)?)*)\)(?:, under: (.+))?"
)
_LIKE_A_SOURCE = re.compile(rf"\A(\s*)(\\*{SOURCE_MARK})")
_ESCAPED = re.compile(rf"\A(\s*)\\(\\*{SOURCE_MARK})")
_SUPERSEDED, _UNVERIFIED, _OUTSIDE = "superseded ", "unverified", "outside"
_LEAST = "internal"
_GROUP_LEVEL = 2  # and above; what is below a heading of that level is a topic
_FRONT_KEYS = (
    "title", "origin", "document", "newest", "provenance", "sensitivity", "statements",
    "model_headings",
)  # fmt: skip
# A line of the front matter that is worked out anew.
FRONT_LINE = re.compile(
    r'(?:title|newest): "[^"]*"|model_headings: \[.*\]|(?:document|statements|origin): [^#]*'
    r"|provenance: (?:outside|workspace)|sensitivity: [a-z]+"
)
_KEY = re.compile(r"([^\s#:\-][^:]*):(?:\s|\Z)")


@dataclass(frozen=True)
class Sheet:
    """One document: its `name` in the configuration, its title, and its statements in their order.

    `pairs`: groups of statements that give different figures of the same thing, by their texts.
    `front`: lines that a person added to the front matter.
    """

    name: str
    title: str
    statements: tuple[Statement, ...]
    pairs: tuple[tuple[Statement, ...], ...] = ()
    front: tuple[str, ...] = ()


def render_sheet(sheet: Sheet, phrases: Phrases) -> str:
    """The whole file; the same statements give the same text, whenever it is written."""
    say = phrases.text
    apart = {one for pair in sheet.pairs for one in pair}
    holding = [one for one in sheet.statements if not (one.unverified or one.superseded_on)]
    known = [one for one in holding if one not in apart]
    old = [one for one in sheet.statements if one.superseded_on]
    doubtful = [one for one in sheet.statements if one.unverified and not one.superseded_on]
    lines = [*_front(sheet, known), "", f"# {sheet.title}", "", say("merged.intro")]
    for group in dict.fromkeys(one.group for one in known):
        lines += ["", f"## {group or say('merged.known')}"]
        lines += _items((one for one in known if one.group == group), grouped=True)
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
    title = _title_in(note)
    titles = {one_line(note.title), one_line(title)}
    made = note.front.get("model_headings")
    found = []
    for block in read_blocks(note.body, frame=_OURS):
        one = _read(block, titles, title, by_hand)
        if one is not None:
            typed = bool(one.group) and isinstance(made, list) and one.group not in made
            found.append(replace(one, group_by_hand=typed))
    front = _front_by_hand(note.front_text)
    return Sheet(name, title, _as_strict_as(said, found), front=front if _is_front(front) else ())


def is_source_line(line: str) -> bool:
    """Whether a line names a source, or begins as one that does."""
    return line.lstrip().startswith(SOURCE_MARK)


def is_frame_line(words: str) -> bool:
    """Whether it is a heading of every document, or what stands above all of them."""
    return words in _OURS or words in _ours("merged.intro")


def is_frame_heading(words: str) -> bool:
    """Whether a heading reads as one of those that every document has, in any language."""
    return key_of(words) in _OUR_KEYS


def parts_of(statements: Iterable[Statement]) -> tuple[str, ...]:
    """The notes that statements come from, each once."""
    return tuple(dict.fromkeys(origin.path for one in statements for origin in one.origins))


def _front(sheet: Sheet, known: Sequence[Statement]) -> Iterator[str]:
    """No moment of writing: nothing new gives the same bytes."""
    statements = sheet.statements
    outside = any(one.outside for one in statements)
    by_hand = {one.group for one in statements if one.group_by_hand}
    made = dict.fromkeys(one.group for one in known if one.group and one.group not in by_hand)
    yield "---"
    yield f'title: "{_quotable(sheet.title)}"'
    yield f"origin: {ORIGIN}"
    yield f"document: {sheet.name}"
    yield f'newest: "{max((one.newest for one in statements), default="0001-01-01")}"'
    yield f"provenance: {OUTSIDE if outside else WORKSPACE}"
    yield f"sensitivity: {highest((_LEAST, *(one.sensitivity for one in statements)))}"
    yield f"statements: {len(statements)}"
    yield f"model_headings: {json.dumps(list(made), ensure_ascii=False)}"
    yield from sheet.front
    yield "---"


def _items(statements: Iterable[Statement], *, grouped: bool = False) -> Iterator[str]:
    """`grouped`: their heading stands above them already; else a person's is told with the topic."""
    above, topic = "", ""
    for one in statements:
        group = "" if grouped or not one.group_by_hand else one.group
        if (group, one.topic) != (above, topic):
            if group and group != above:
                yield from ("", f"### {group}")
            above, topic = group, one.topic
            yield from ("", f"{'####' if group else '###'} {topic}", "") if topic else ("",)
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


def _read(block: Block, titles: set[str], title: str, by_hand: Origin) -> Statement | None:
    section, group, topic = _place(block, titles)
    lines = block.text.split("\n")
    origins: list[Origin] = []
    words: set[str] = set()
    while len(lines) > 1 and (found := _SOURCE.fullmatch(lines[-1].strip())):
        said = [word for word in found[3].split("; ") if word]
        origins.insert(0, _origin(found[2], found[1], said, found[4] or ""))
        words.update(said)
        lines.pop()
    if not origins and _is_ours(block, titles):
        return None
    superseded = [word.removeprefix(_SUPERSEDED) for word in words if word.startswith(_SUPERSEDED)]
    put_there = section in _ours("merged.superseded") and not superseded
    return Statement(
        "\n".join(_ESCAPED.sub(r"\1\2", line, count=1) for line in lines).rstrip("\n"),
        tuple(origins) or (by_hand,),
        topic or one_line(title),
        group,
        unverified=_UNVERIFIED in words
        or put_there
        or section in _ours("finding.unverified_heading"),
        superseded_on=max(superseded, default=""),
    )


def _place(block: Block, titles: set[str]) -> tuple[str, str, str]:
    """The section of ours that it stands in, a heading of its own, and its topic. Below what does not
    hold, a heading of its own is one level lower, and the topic under it."""
    above = list(zip(block.levels, block.headings, strict=True))
    if above and above[0][0] == 1 and above[0][1] in titles:
        above = above[1:]
    section = above.pop(0)[1] if above and above[0][1] in _OURS else ""
    deep = [words for level, words in above if level > _GROUP_LEVEL + 1]
    level_of_groups = _GROUP_LEVEL
    if section and section not in _ours("merged.known") and deep:
        level_of_groups += 1
    group = ARROW.join(words for level, words in above if level <= level_of_groups)
    topic = ARROW.join(words for level, words in above if level > level_of_groups)
    return section, group, topic


def _title_in(note: Note) -> str:
    """Its heading of the first level, which a person may change; the front matter follows it."""
    first = ""
    for line in note.body.split("\n"):
        found = HEADING.fullmatch(line)
        if not found:
            continue
        level, words = len(found[1]), one_line(found[2])
        if level > 1 or words == one_line(note.title):
            return words if level == 1 else first or note.title
        first = first or words
    return first or note.title


def _as_strict_as(said: Provenance, statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """With the marks that a person gave the whole document in its front matter; none comes off."""
    outside = said.outside and not any(one.outside for one in statements)
    least = known_word(said.sensitivity)
    have = highest((_LEAST, *(one.sensitivity for one in statements)))
    stricter = highest((have, least)) != have
    if not (outside or stricter):
        return tuple(statements)

    def marked(origin: Origin) -> Origin:
        sensitivity = highest((origin.sensitivity, least)) if stricter else origin.sensitivity
        return replace(origin, outside=origin.outside or outside, sensitivity=sensitivity)

    return tuple(replace(one, origins=tuple(map(marked, one.origins))) for one in statements)


def _front_by_hand(text: str) -> tuple[str, ...]:
    """The lines of a front matter that are not ours: keys with what is below them, and comments."""
    found: list[str] = []
    ours = False
    for line in text.split("\n"):
        key = _KEY.match(line)
        if key:
            ours = key[1].strip().strip("'\"") in _FRONT_KEYS
        if line.strip() and (line.startswith("#") or not ours):
            found.append(line.rstrip())
    return tuple(found)


def _is_front(lines: Sequence[str]) -> bool:
    """Whether they can be read on their own: a value may stand for one of another line."""
    return not parse_note("\n".join(["---", *lines, "---", ""]).encode(), "").fault


def _is_ours(block: Block, titles: set[str]) -> bool:
    """Whether it is a line of the frame, which no note said."""
    words = one_line(block.text)
    if block.is_heading:
        return words in _OURS or words in titles
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
_OUR_KEYS = frozenset(map(key_of, _OURS))
