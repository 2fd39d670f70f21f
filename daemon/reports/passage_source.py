"""Where a passage of a note says that it is from: the line below it that names a source."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any
from urllib.parse import urlsplit

from daemon.quality.doubt_words import RETRACTED
from daemon.quality.normalise import fold

_LINE = re.compile(
    r"^[ \t>*_+•-]*(?:\d{1,3}[.)][ \t]+)?[*_(]*(?:sources?|fuentes?|references?|referencias?|refs?|via)[*_]*:(.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_ADDRESS = re.compile(r"(?:https?://|\bwww\.)[^\s<>()\"'\]|]+", re.IGNORECASE)
_DAY = re.compile(r"(?<![\d/-])(\d{4})-(\d{2})(?:-(\d{2}))?(?![\d/-])")
_YEAR = re.compile(r"(?<![\d.,])((?:19|20)\d\d)(?![\d.,]\d|\d)")
_TAKEN_BACK = ("retracted", "withdrawn", "superseded", "superseded_by", "deprecated", "obsolete")
_UNDATED = re.compile(r"\b(?:undated|sin fecha)\b", re.IGNORECASE)


@dataclass(frozen=True)
class NamedSource:
    """`address` is host and path; empty where none is named. `dated_on` is None where the line gives no
    month; `undated` says that it says so itself."""

    address: str = ""
    dated_on: date | None = None
    undated: bool = False


def named_source(body: str, sentence: str) -> NamedSource:
    """What the paragraph of the sentence (given on one line) says of where it is from: a line that names
    its source, else one that the next paragraph begins with, else an address in the text itself."""
    paragraphs = re.split(r"\n[ \t]*\n", body)
    for at, paragraph in enumerate(paragraphs):
        if sentence not in " ".join(paragraph.split()):
            continue
        below = paragraphs[at + 1] if at + 1 < len(paragraphs) else ""
        line = _LINE.search(paragraph) or _LINE.match(below)
        if line:
            return _read(line[1])
        return _read(paragraph) if _ADDRESS.search(paragraph) else NamedSource()
    return NamedSource()


def passage_of(body: str, sentence: str) -> str:
    """The paragraph that has the sentence (given on one line); empty where none has it."""
    paragraphs = re.split(r"\n[ \t]*\n", body)
    return next((one for one in paragraphs if sentence in " ".join(one.split())), "")


def newest_date(as_of: object, named: NamedSource, sentence: str = "") -> date | None:
    """The newest of a note's own date, its source's, and the beginning of the newest year that the
    sentence names; None where nothing says when."""
    known = [one for one in (_day(str(as_of or "")), named.dated_on) if one]
    known += [date(int(year), 1, 1) for year in _YEAR.findall(sentence)]
    return max(known, default=None)


def retracted_passages(body: str) -> tuple[str, ...]:
    """The paragraphs, each on one line, that say of themselves that they do not hold any more."""
    paragraphs = (" ".join(one.split()) for one in re.split(r"\n[ \t]*\n", body))
    return tuple(one for one in paragraphs if RETRACTED.search(fold(one)))


def is_taken_back(front: Mapping[str, Any]) -> bool:
    """Whether a note says of itself that it does not hold any more."""
    words = [str(front.get(key) or "").strip().casefold() for key in _TAKEN_BACK]
    status = str(front.get("status") or "").strip().casefold()
    return status in _TAKEN_BACK or any(one not in ("", "false", "no", "none") for one in words)


def noted_date(as_of: object, named: NamedSource, sentence: str = "") -> date | None:
    """The oldest of a note's own date, its source's, and the end of the newest year that the sentence
    itself names; None where neither of the first two is known, or where the source is undated."""
    known = [one for one in (_day(str(as_of or "")), named.dated_on) if one]
    if named.undated or not known:
        return None
    years = [int(year) for year in _YEAR.findall(sentence)]
    return min(*known, *([date(max(years), 12, 31)] if years else known))


def without_figure(sentence: str, value: float | None) -> str:
    """Without the figure that it gives, where that is whole: "EUR 1950" speaks of no year."""
    if value is None or value % 1:
        return sentence
    return re.sub(rf"(?<!\d){int(value)}(?!\d)", " ", sentence)


def address_of(url: str) -> str:
    """Host and path, by which two spellings of one address are the same."""
    try:
        parts = urlsplit(url.rstrip(".,;"))
    except ValueError:
        return url
    host = (parts.hostname or "").rstrip(".").removeprefix("www.")
    return (host + parts.path.rstrip("/")).strip()


def _read(line: str) -> NamedSource:
    found = _ADDRESS.search(line)
    rest = line.replace(found.group(), " ") if found else line
    address = (
        address_of(_absolute(found.group()))
        if found
        else " ".join(re.split(r"[(·]", rest)[0].split())
    )
    return NamedSource(address.lower(), _day(rest), _UNDATED.search(rest) is not None)


def _absolute(address: str) -> str:
    return address if "://" in address else f"https://{address}"


def _day(text: str) -> date | None:
    """The first day or month (its first day) in a text."""
    for found in _DAY.finditer(text):
        try:
            return date(int(found[1]), int(found[2]), int(found[3] or 1))
        except ValueError:
            continue
    return None
