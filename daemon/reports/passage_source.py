"""Where a passage of a note says that it is from: the line below it that names a source."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from urllib.parse import urlsplit

_LINE = re.compile(r"^[ \t>*_-]*(?:sources?|fuentes?)[*_]*:(.*)$", re.IGNORECASE | re.MULTILINE)
_ADDRESS = re.compile(r"https?://[^\s<>()\"'\]]+")
_DAY = re.compile(r"(?<![\d/-])(\d{4})-(\d{2})(?:-(\d{2}))?(?![\d/-])")
_YEAR = re.compile(r"(?<![\d.,])((?:19|20)\d\d)(?![\d.,]\d|\d)")
_UNDATED = re.compile(r"\b(?:undated|sin fecha)\b", re.IGNORECASE)


@dataclass(frozen=True)
class NamedSource:
    """`address` is host and path; empty where none is named. `dated_on` is None where the line gives no
    month; `undated` says that it says so itself."""

    address: str = ""
    dated_on: date | None = None
    undated: bool = False


def named_source(body: str, sentence: str) -> NamedSource:
    """What stands below the sentence (given on one line) in its own paragraph; nothing where the
    paragraph names no source."""
    for paragraph in re.split(r"\n[ \t]*\n", body):
        flat = " ".join(paragraph.split())
        if sentence not in flat:
            continue
        line = _LINE.search(paragraph)
        return _read(line[1]) if line else NamedSource()
    return NamedSource()


def noted_date(as_of: object, named: NamedSource, sentence: str = "") -> date | None:
    """The oldest of a note's own date, its source's, and the end of the newest year that the sentence
    itself names; None where neither of the first two is known, or where the source is undated."""
    known = [one for one in (_day(str(as_of or "")), named.dated_on) if one]
    if named.undated or not known:
        return None
    years = [int(year) for year in _YEAR.findall(sentence)]
    return min(*known, *([date(max(years), 12, 31)] if years else known))


def address_of(url: str) -> str:
    """Host and path, by which two spellings of one address are the same."""
    try:
        parts = urlsplit(url.rstrip(".,;"))
    except ValueError:
        return url
    return (parts.netloc.lower().removeprefix("www.") + parts.path.rstrip("/")).strip()


def _read(line: str) -> NamedSource:
    found = _ADDRESS.search(line)
    rest = line.replace(found.group(), " ") if found else line
    address = address_of(found.group()) if found else " ".join(re.split(r"[(·]", rest)[0].split())
    return NamedSource(address.lower(), _day(rest), _UNDATED.search(rest) is not None)


def _day(text: str) -> date | None:
    """The first day or month (its first day) in a text."""
    for found in _DAY.finditer(text):
        try:
            return date(int(found[1]), int(found[2]), int(found[3] or 1))
        except ValueError:
            continue
    return None
