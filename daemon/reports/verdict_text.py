"""A verdict for people: why, where in the text, what the notes say to it, and what was cut away.

`view_verdict` gives the words in pieces (for a page), `render_verdict` the same as lines (for a
terminal). Text that came from a model or a note is one line without control characters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import get_args

from daemon.config.phrases import Phrases
from daemon.quality.claims import Claim, ClaimStatus
from daemon.quality.verdict import Defect, Verdict
from daemon.reports.plain_text import one_line, wrap

LONGEST_QUOTE = 200

_LONGEST_MESSAGE = 2_000
_MOST_CLAIMS = 200
# What needs a person's eye stands first.
_STATUSES: tuple[ClaimStatus, ...] = ("absent", "weak", "derived", "supported")
_ENDS = (". ", "! ", "? ", "\n")


@dataclass(frozen=True)
class NoteText:
    """A note as its reader was given it; `first_line` is where `text` begins in the file `path`."""

    id: str
    text: str
    path: str = ""
    first_line: int = 1


@dataclass(frozen=True)
class DefectWords:
    """One defect; `quote` is the sentence it stands in, empty where it is about the whole text."""

    check: str
    message: str
    rejects: bool
    quote: str


@dataclass(frozen=True)
class ClaimWords:
    """Claims that the same passage answers in the same way; `text` has each of them once.

    `place` is file:line of the note (or the note's id), `words` what came of them.
    """

    kind: str
    text: str
    status: str
    words: str
    place: str
    passage: str


@dataclass(frozen=True)
class VerdictWords:
    """Everything a person reads about one verdict, in the phrases' language.

    `claims` have what needs an eye first; `claims_left_out` counts those behind the first 200.
    `judged` is what a model that was asked to judge it said, empty where none was.
    """

    headline: str
    defects: tuple[DefectWords, ...]
    score: str
    stripped: tuple[str, ...]
    claim_count: str
    claims: tuple[ClaimWords, ...]
    claims_left_out: int = 0
    judged: str = ""


def view_verdict(verdict: Verdict, say: Phrases, notes: Sequence[NoteText] = ()) -> VerdictWords:
    """The verdict in words. Without `notes` a claim's place is the note's id, without a line."""
    given = {note.id: note for note in notes}
    ordered = sorted(verdict.claims, key=lambda claim: _STATUSES.index(claim.status))
    return VerdictWords(
        headline=_headline(verdict, say),
        defects=tuple(_defect(defect, verdict.cleaned_text) for defect in verdict.defects),
        score=_score(verdict),
        stripped=tuple(one_line(cut, LONGEST_QUOTE) for cut in verdict.stripped),
        claim_count=_claim_count(verdict, say),
        claims=_together(_claim(claim, say, given) for claim in ordered[:_MOST_CLAIMS]),
        claims_left_out=max(0, len(ordered) - _MOST_CLAIMS),
        judged=say.text("verdict.judged", said=one_line(verdict.judged)) if verdict.judged else "",
    )


def render_verdict(
    verdict: Verdict,
    say: Phrases,
    width: int,
    *,
    notes: Sequence[NoteText] = (),
    indent: str = "",
) -> list[str]:
    """The verdict as lines of at most `width` columns, each behind `indent`."""
    lines = _lines(view_verdict(verdict, say, notes), say)
    return [part for deep, line in lines for part in wrap(line, width, indent=indent + "  " * deep)]


def sentence_at(text: str, span: tuple[int, int]) -> str:
    """The sentence that [start, end) stands in, without a list's mark, in at most 200 characters."""
    start, end = span[0], span[0] + len(text[span[0] : span[1]].rstrip())
    before = [text.rfind(mark, 0, start) + len(mark) for mark in _ENDS if mark in text[:start]]
    # The match itself may end its sentence.
    after = [at for mark in _ENDS if (at := text.find(mark, max(start, end - 1))) >= 0]
    found = text[max(before, default=0) : min(after, default=len(text)) + 1]
    return one_line(found.lstrip("-*•># "), LONGEST_QUOTE)


def _lines(view: VerdictWords, say: Phrases) -> Iterator[tuple[int, str]]:
    """Each line with how deep it stands."""
    yield 0, view.headline
    for defect in view.defects:
        weight = "" if defect.rejects else f" ({say.text('verdict.only_marked')})"
        yield 0, f"- {defect.message} [{defect.check}]{weight}"
        if defect.quote:
            yield 2, f"“{defect.quote}”"
    if view.judged:
        yield 0, view.judged
    if view.score:
        yield 0, say.text("verdict.score", parts=view.score)
    if view.stripped:
        yield 0, say.text("verdict.stripped", count=len(view.stripped))
        yield from ((1, f"- “{cut}”") for cut in view.stripped)
    if view.claims:
        yield 0, view.claim_count
        yield from _claim_lines(view, say)


def _claim_lines(view: VerdictWords, say: Phrases) -> Iterator[tuple[int, str]]:
    for claim in view.claims:
        joined = " " if claim.status == "supported" else ": "  # as in notes/a.md:2
        place = f"{joined}{claim.place}" if claim.place else ""
        yield 1, f"- {claim.text}: {claim.words}{place}"
        if claim.passage:
            yield 3, f"“{claim.passage}”"
    if view.claims_left_out:
        yield 1, say.text("verdict.claims_left_out", count=view.claims_left_out)


def _headline(verdict: Verdict, say: Phrases) -> str:
    score, threshold = f"{verdict.score:.2f}", verdict.threshold_hundredths
    outcome = say.text(f"verdict.outcome_{verdict.outcome}")
    if threshold is None:
        return say.text("verdict.headline_shown", outcome=outcome, score=score)
    return say.text(
        "verdict.headline", outcome=outcome, score=score, threshold=f"{threshold / 100:.2f}"
    )


def _defect(defect: Defect, text: str) -> DefectWords:
    quote = sentence_at(text, defect.span) if defect.span else ""
    message = one_line(defect.message, _LONGEST_MESSAGE)
    return DefectWords(one_line(defect.check), message, defect.rejects, quote)


def _score(verdict: Verdict) -> str:
    return ", ".join(f"{one_line(p.name)} {p.hundredths / 100:+.2f}" for p in verdict.parts)


def _claim_count(verdict: Verdict, say: Phrases) -> str:
    counts = Counter(claim.status for claim in verdict.claims)
    numbers = {status: counts[status] for status in get_args(ClaimStatus)}
    return say.text("verdict.claims", count=len(verdict.claims), **numbers)


def _claim(claim: Claim, say: Phrases, given: Mapping[str, NoteText]) -> ClaimWords:
    words = say.text(f"verdict.claim_{claim.status}", kind=say.text(f"verdict.kind_{claim.kind}"))
    note = f" ({one_line(claim.note)})" if claim.note else ""
    return ClaimWords(
        kind=claim.kind,
        text=one_line(claim.text),
        status=claim.status,
        words=words + note,
        place=_place(claim, given.get(claim.source)),
        passage=one_line(claim.passage, LONGEST_QUOTE),
    )


def _together(claims: Iterable[ClaimWords]) -> tuple[ClaimWords, ...]:
    """A passage that holds six figures is shown once, not six times."""
    texts: dict[ClaimWords, dict[str, None]] = {}
    for claim in claims:
        texts.setdefault(replace(claim, text=""), {})[claim.text] = None
    return tuple(replace(claim, text="; ".join(found)) for claim, found in texts.items())


def _place(claim: Claim, note: NoteText | None) -> str:
    if note is None or claim.place is None:
        return one_line(claim.source)
    line = note.first_line + note.text.count("\n", 0, claim.place[0])
    return f"{one_line(note.path or note.id)}:{line}"
