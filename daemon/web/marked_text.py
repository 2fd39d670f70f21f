"""An answer cut into pieces, so that a page can mark in it what was looked up and what is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from daemon.quality.claims import Claim, ClaimStatus
from daemon.quality.verdict import Verdict

LONGEST = 20_000
MOST_MARKS = 400
# Of marks that overlap, the one that needs an eye most is shown.
_ORDER: tuple[ClaimStatus, ...] = ("absent", "weak", "derived", "supported")


@dataclass(frozen=True)
class Piece:
    """A part of the text. `status` is that of the claim it is, empty for none; `defects` has the numbers
    (from 1) of the verdict's defects that are about it, `ends` those that end with it."""

    text: str
    status: str = ""
    defects: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()


@dataclass(frozen=True)
class MarkedText:
    """`marks_left_out` counts marks behind the first 400; `is_cut`: the text goes on."""

    pieces: tuple[Piece, ...]
    marks_left_out: int = 0
    is_cut: bool = False


@dataclass(frozen=True)
class _Span:
    start: int
    end: int
    status: str = ""
    defect: int = 0


def mark_text(verdict: Verdict) -> MarkedText:
    """The judged text (without what was cut away) with its claims and defects; never more than the first
    20,000 characters of it. Spans that do not fit the text are left out."""
    text = verdict.cleaned_text[:LONGEST]
    spans = [*_of_defects(verdict), *(_of_claim(one) for one in verdict.claims)]
    fitting = sorted(
        (one for one in spans if 0 <= one.start < one.end <= len(verdict.cleaned_text)),
        key=lambda one: one.start,
    )
    shown = [one for one in fitting[:MOST_MARKS] if one.start < len(text)]
    return MarkedText(
        pieces=tuple(_pieces(text, shown)),
        marks_left_out=max(0, len(fitting) - MOST_MARKS),
        is_cut=len(verdict.cleaned_text) > LONGEST,
    )


def _of_defects(verdict: Verdict) -> Iterable[_Span]:
    for number, defect in enumerate(verdict.defects, 1):
        if defect.span:
            yield _Span(*defect.span, defect=number)


def _of_claim(claim: Claim) -> _Span:
    return _Span(*claim.span, status=claim.status)


def _pieces(text: str, spans: Sequence[_Span]) -> Iterable[Piece]:
    """The text cut at every start and end of a span; each span is looked at only while it is open."""
    cuts = sorted({0, len(text), *(at for one in spans for at in (one.start, one.end))})
    cuts = [at for at in cuts if at <= len(text)]
    waiting, opened = list(reversed(spans)), list[_Span]()
    for start, end in pairwise(cuts):
        while waiting and waiting[-1].start <= start:
            opened.append(waiting.pop())
        opened = [one for one in opened if one.end > start]
        yield _piece(text[start:end], end, opened)


def _piece(text: str, end: int, opened: Sequence[_Span]) -> Piece:
    statuses = {one.status for one in opened}
    return Piece(
        text,
        status=next((status for status in _ORDER if status in statuses), ""),
        defects=tuple(one.defect for one in opened if one.defect),
        ends=tuple(one.defect for one in opened if one.defect and one.end == end),
    )
