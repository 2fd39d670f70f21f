"""A text divided into what may be cited and the sentences that may not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from daemon.quality.claims import Claim
from daemon.quality.figure_claims import ESTIMATE, calls_it_an_estimate
from daemon.quality.masks import is_heading, is_table_row

Doubt = Literal["absent", "weak", "changed", "missing"]

_MARKER = re.compile(r"[ \t]*(?:>[ \t]*)*(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)?(?:\[[ xX]?\][ \t]+)?")
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+")
# The marks of sources behind a sentence belong to it.
_END = re.compile(r"[.!?…]+[\"'»”’)\]*_]*(?:[ \t]*\[[^\[\]\n]{1,160}\])*[.]?(?=\s|$)")
_NEXT = re.compile(r"\s+[a-zà-ÿ0-9]")
_SHORT = re.compile(
    r"(?:^|[\s(])(?:[A-Za-z]|arts?|nos?|n[uú]ms?|drs?|dra|sra?s?|mrs?|ms|st|vs|etc|approx|aprox|pp?"
    r"|figs?|inc|ltd|cf|e\.g|i\.e|p\.ej|ee|uu)\.$",
    re.IGNORECASE,
)
_EMPTY_LINES = re.compile(r"\n(?:[ \t]*\n){2,}")
_LEFT_OUT = "[…]"


@dataclass(frozen=True)
class Moved:
    """A sentence (or a table's row) that was taken out, and why: each claim with its doubt."""

    text: str
    doubts: tuple[tuple[str, Doubt], ...]


@dataclass(frozen=True)
class Divided:
    """`body` is what may be cited, empty where nothing is left; `moved` is in the text's order."""

    body: str
    moved: tuple[Moved, ...]


def doubt_of(text: str, claim: Claim) -> Doubt | None:
    """Why a claim of `text` may not be cited; None where it may, or is marked as an own estimate."""
    if claim.status not in ("absent", "weak"):
        return None
    if claim.note == ESTIMATE:
        return None if _is_marked(text, claim) else "absent"
    return "absent" if claim.status == "absent" else "weak"


def divide(text: str, doubted: Sequence[tuple[Claim, Doubt]]) -> Divided:
    """Take every sentence with a doubted claim out of the text, in which the claims have their spans.

    A table's row goes as a whole; a heading stays, without the claim. Nothing is lost: what the body
    does not have stands in `moved`.
    """
    places: dict[tuple[int, int], list[tuple[str, Doubt]]] = {}
    in_headings: list[tuple[int, int]] = []
    for claim, doubt in doubted:
        place = sentence_span(text, *claim.span)
        places.setdefault(place, []).append((" ".join(claim.text.split()), doubt))
        if is_heading(text[place[0] : place[1]]):
            in_headings.append(claim.span)
    headings = {sentence_span(text, *span) for span in in_headings}
    cuts = [(*place, "") for place in places if place not in headings]
    cuts += [(*span, _LEFT_OUT) for span in in_headings]
    moved = (
        Moved(_bare(text[start:end]), tuple(dict.fromkeys(doubts)))
        for (start, end), doubts in sorted(places.items())
    )
    return Divided(_without(text, sorted(cuts)), tuple(moved))


def sentence_span(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the sentence around [start, end) stands: within its block of lines, without a list's mark.

    A table's row and a heading are one as a whole.
    """
    first, last = _block(text, start, max(end - 1, start))
    line = text[first:last]
    if is_table_row(line) or is_heading(line):
        return first, last
    marker = _MARKER.match(text, first, last)
    first = marker.end() if marker else first
    begin, until = first, last
    for stop in _END.finditer(text, first, last):
        if _goes_on(text, stop.start(), stop.end(), last):
            continue
        if stop.end() <= start:
            begin = stop.end()
        elif stop.end() >= end:
            until = stop.end()
            break
    while begin < until and text[begin].isspace():
        begin += 1
    return begin, until


def _is_marked(text: str, claim: Claim) -> bool:
    """Whether its own sentence or the one before says so: a figure in front of an estimate is none."""
    start, end = sentence_span(text, *claim.span)
    if is_table_row(text[start:end]):
        return True
    before, _ = sentence_span(text, max(0, start - 2), max(0, start - 2))
    return calls_it_an_estimate(text[before:end])


def _goes_on(text: str, stop: int, after: int, last: int) -> bool:
    """Whether a full stop ends an abbreviation: what follows is no beginning of a sentence."""
    short = _SHORT.search(text[max(0, stop - 12) : stop + 1])
    return bool(short) or _NEXT.match(text, after, last) is not None


def _block(text: str, start: int, end: int) -> tuple[int, int]:
    """The lines around a place that belong together: a paragraph, an item, a heading, a row."""
    first, last = text.rfind("\n", 0, start) + 1, _line_end(text, end)
    if _stands_alone(text[first:last]):
        return first, last
    while first and not _ITEM.match(text, first):
        above = text.rfind("\n", 0, first - 1) + 1
        line = text[above : first - 1]
        if not line.strip() or _stands_alone(line):
            break
        first = above
    while last < len(text):
        below = _line_end(text, last + 1)
        line = text[last + 1 : below]
        if not line.strip() or _stands_alone(line) or _ITEM.match(line):
            break
        last = below
    return first, last


def _stands_alone(line: str) -> bool:
    return is_heading(line) or is_table_row(line) or line.lstrip().startswith(("```", "~~~"))


def _line_end(text: str, at: int) -> int:
    found = text.find("\n", at)
    return len(text) if found < 0 else found


def _bare(piece: str) -> str:
    """A sentence, or a heading or row without its marks, on one line."""
    return " ".join(piece.strip().strip("|#").split())


def _without(text: str, cuts: Sequence[tuple[int, int, str]]) -> str:
    kept: list[str] = []
    at = 0
    for start, end, instead in cuts:
        if start < at:
            continue
        kept.append(text[at:start])
        kept.append(instead)
        at = end
        while not instead and at < len(text) and text[at] in " \t":
            at += 1
        if not instead and is_table_row(text[start:end]) and text[at : at + 1] == "\n":
            at += 1
    kept.append(text[at:])
    lines = "".join(kept).split("\n")
    before = set(text.split("\n"))
    # A line of which only its mark is left was the item that went.
    whole = [
        line.rstrip()
        for line in lines
        if line in before or not line.strip() or _MARKER.sub("", line, count=1).strip()
    ]
    return _EMPTY_LINES.sub("\n\n", "\n".join(whole)).strip("\n")
