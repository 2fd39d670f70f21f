"""Findings: accepted outputs as Markdown files of memory/findings/.

The path follows from criterion, item and attempt, so that writing again after a crash puts the same
content into the same file. A file that has other content is never replaced: the database may have been
lost and the attempts be counted from one again. The sources are listed by code from what the agent was
given and what became of it, never from what the model says it used; what no source bears out stands
under a heading of its own.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from daemon.clock import to_text
from daemon.config.phrases import Phrases
from daemon.config.sections import Language
from daemon.knowledge.archive import ARCHIVE, CONSOLIDATED
from daemon.knowledge.paths import path_fault
from daemon.knowledge.provenance import OUTSIDE, UNKNOWN, WORKSPACE, Provenance, highest
from daemon.memory.tame_markdown import tame_markdown
from daemon.memory.writing import MemoryUnwritable, is_taken

SourceState = Literal["same", "changed", "missing"]

FINDINGS = "memory/findings"
FILE_DIGEST = "file_sha256"  # the key beside a stored verdict
_WITH_UNVERIFIED = (f"{FINDINGS}/", CONSOLIDATED, ARCHIVE)
_MOST_NAMES = 100

_LANGUAGES: tuple[Language, ...] = ("en", "es")
UNVERIFIED_HEADINGS = tuple(
    Phrases(language).text("finding.unverified_heading") for language in _LANGUAGES
)
SOURCES_HEADINGS = tuple(
    Phrases(language).text("finding.sources_heading") for language in _LANGUAGES
)
_HEADINGS = (*UNVERIFIED_HEADINGS, *SOURCES_HEADINGS)
_UNVERIFIED = re.compile(
    "|".join(rf"^## {re.escape(heading)}$" for heading in UNVERIFIED_HEADINGS), re.MULTILINE
)
_MARKDOWN = re.compile(r"([\\`*_\[\]<>|#!~])")


@dataclass(frozen=True)
class FindingSource:
    """A unit that the agent was given. `provenance`: what is known of where its text came from.

    `state`: whether the file, opened again, still holds what the agent was given.
    """

    id: str
    path: str
    title: str
    provenance: Provenance = UNKNOWN
    state: SourceState = "same"


@dataclass(frozen=True)
class Unverified:
    """A sentence that may not be cited: its claims, each with why, as words for people."""

    text: str
    claims: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class NewFinding:
    """An accepted output on its way to memory. `score` is 0..1; `cost_micros` in micro-dollars.

    `body` is what may be cited; empty where all of it is `unverified`.
    """

    item: str
    title: str
    criterion: str
    agent: str
    sprint_id: int
    attempt_id: int
    score: float
    sources: tuple[FindingSource, ...]
    model: str
    cost_micros: int
    created_at: datetime
    body: str
    language: Language = "en"
    unverified: tuple[Unverified, ...] = ()


def place_finding(root: Path, finding: NewFinding) -> tuple[str, bytes]:
    """Where it belongs and what the file holds; writes nothing.

    Where the name is taken by another content, the next one that is free is used: T07-3-2.md. Raises
    MemoryUnwritable where no name can be used.
    """
    data = render_finding(finding).encode()
    for path in _names(finding_path(finding)):
        if not is_taken(root, path, data):
            return path, data
    raise MemoryUnwritable(
        f"cannot write {finding_path(finding)}: it and {_MOST_NAMES - 1} more names are taken by "
        "other findings; move them elsewhere"
    )


def file_digest(data: bytes) -> str:
    """SHA-256 of a finding's file, in hexadecimal; another sort of line ends is no edit."""
    return hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest()


def finding_path(finding: NewFinding) -> str:
    """Where a finding belongs. Raises MemoryUnwritable for an id that is no file name."""
    folder = finding.criterion or "general"
    for name in (folder, finding.item):
        if "/" in name or name.startswith(".") or path_fault(name):
            raise MemoryUnwritable(f"{name!r} cannot be part of a path under {FINDINGS}")
    return f"{FINDINGS}/{folder}/{finding.item}-{finding.attempt_id}.md"


def render_finding(finding: NewFinding) -> str:
    """The file's whole text; the same finding gives the same text."""
    phrases = Phrases(finding.language)
    body, *unverified = render_body(finding)
    sources = "\n".join(_source_line(source, phrases) for source in finding.sources)
    heading = [] if body.startswith("# ") else [f"# {_inline(finding.title)}"]
    parts = [
        "\n".join(["---", *_front(finding), "---"]),
        *heading,
        body,
        *unverified,
        f"## {phrases.text('finding.sources_heading')}",
        sources or phrases.text("finding.no_sources"),
    ]
    return "\n\n".join(parts) + "\n"


def citable_part(text: str, path: str) -> str:
    """A note's text as far as it may bear anything out; of a finding, or of a document that findings
    are merged into, that is what stands before its section of unverified sentences. Offsets in it are
    those of the whole text."""
    if not path.startswith(_WITH_UNVERIFIED):
        return text
    found = _UNVERIFIED.search(text)
    return text[: found.start()] if found else text


def render_body(finding: NewFinding) -> list[str]:
    """What may be cited, then the section of what may not, where there is any."""
    phrases = Phrases(finding.language)
    body = tame_markdown(_clean(finding.body).strip("\n"), _HEADINGS)
    parts = [body or phrases.text("finding.nothing_verified")]
    if finding.unverified:
        parts.append(f"## {phrases.text('finding.unverified_heading')}")
        parts.append("\n".join(_unverified_line(one) for one in finding.unverified))
    return parts


def _names(path: str) -> Iterator[str]:
    """The path, and then the same with -2, -3 and so on."""
    yield path
    for number in range(2, _MOST_NAMES + 1):
        yield f"{path.removesuffix('.md')}-{number}.md"


def _source_line(source: FindingSource, phrases: Phrases) -> str:
    said = "" if source.state == "same" else f"; {phrases.text(f'finding.source_{source.state}')}"
    return f"- `{_code(source.id)}`: {_inline(source.title)} ({_inline(source.path)}){said}"


def _unverified_line(one: Unverified) -> str:
    why = "; ".join(f"{_inline(claim)}: {_inline(doubt)}" for claim, doubt in one.claims)
    return f"- {_inline(one.text)} ({why})"


def _front(finding: NewFinding) -> list[str]:
    lines = [
        f"title: {_quoted(' '.join(_clean(finding.title).split()))}",
        f"item: {_quoted(finding.item)}",
        f"criterion: {_quoted(finding.criterion)}",
        f"agent: {_quoted(finding.agent)}",
        f"sprint: {finding.sprint_id}",
        f"attempt: {finding.attempt_id}",
        f"score: {finding.score:.2f}",
        f"model: {_quoted(finding.model)}",
        f"cost_usd: {finding.cost_micros // 1_000_000}.{finding.cost_micros % 1_000_000:06}",
        f"created_at: {_quoted(to_text(finding.created_at))}",
        "origin: finding",
        *_provenance(finding.sources),
    ]
    sources = [f"  - {{id: {_quoted(s.id)}, path: {_quoted(s.path)}}}" for s in finding.sources]
    return [*lines, "sources:", *sources] if sources else [*lines, "sources: []"]


def _provenance(sources: Sequence[FindingSource]) -> Iterator[str]:
    """Whether any of it came from outside, by which sources, and how secret the strictest one is.

    Without a source that says more, a finding is internal: it was written for the founders.
    """
    outside = [source.id for source in sources if source.provenance.outside]
    yield f"provenance: {OUTSIDE if outside else WORKSPACE}"
    yield f"untrusted_sources: [{', '.join(map(_quoted, outside))}]"
    found = (source.provenance.sensitivity for source in sources)
    yield f"sensitivity: {highest(('internal', *found))}"


def _quoted(text: str) -> str:
    """A double-quoted YAML scalar on one line, whatever the text holds."""
    return '"' + "".join(map(_escaped, _clean(text))) + '"'


def _escaped(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    if char.isprintable():
        return char
    return f"\\U{ord(char):08x}"


def _clean(text: str) -> str:
    """Plain line ends; lone surrogates, and control characters but tab and newline, replaced."""
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    lines = whole.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(c if c in "\n\t" or ord(c) >= 32 else "\N{REPLACEMENT CHARACTER}" for c in lines)


def _inline(text: str) -> str:
    """One line of Markdown in which nothing of the text is markup."""
    return _MARKDOWN.sub(r"\\\1", " ".join(_clean(text).split()))


def _code(text: str) -> str:
    return " ".join(_clean(text).split()).replace("`", "'")
