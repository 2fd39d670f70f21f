"""The figures of an output, looked up in its sources."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from daemon.quality.claims import Claim, ClaimStatus, SourceNote
from daemon.quality.content_words import content_stems
from daemon.quality.figure_arithmetic import Arithmetic
from daemon.quality.figure_index import FigureIndex
from daemon.quality.figure_lookup import Sighting, needed, sightings
from daemon.quality.figure_neighbours import between_others
from daemon.quality.figure_owners import other_owner
from daemon.quality.figure_rates import from_a_rate
from daemon.quality.figures import SMALLEST, Figure, find_figures
from daemon.quality.normalise import Reading, fold, read
from daemon.quality.passages import Passages
from daemon.quality.verdict import TaskBrief

ESTIMATE = "the text's own estimate, with its arithmetic"

_FEW_WORDS = 3
_NEAR_AMOUNTS = 12
_OWN_ESTIMATE = re.compile(
    r"\b(?:own|our|my) (?:estimates?|calculations?|assumptions?)\b|\b(?:we|i) (?:estimate|assume)\b"
    r"|\b(?:estimacion|calculo|supuesto)(?:es|s)? propi[oa]s?\b|\bnuestr[oa]s? (?:estimacion|calculo|supuesto)"
    r"|\b(?:estimamos|calculamos|suponemos|estimo|supongo)\b"
)
_ARITHMETIC = re.compile(
    r"\d ?(?:%|k|m|[a-z]{3,12})? ?(?:[x×*+÷/=]|[-−–] | por | times ) ?[$€]? ?\d|= ?[~≈]?[$€]?\d"
)

MOST_FIGURES = 600


@dataclass(frozen=True)
class _Desk:
    """What the look-up of every figure needs at hand."""

    reading: Reading
    output: Passages
    index: FigureIndex
    sources: Sequence[SourceNote]
    asked: frozenset[float]


def figure_claims(
    reading: Reading, task: TaskBrief, sources: Sequence[SourceNote]
) -> tuple[Claim, ...]:
    """Every figure of the text's own words, tables and quotations, with what came of it.

    Figures of the task's question count as given. The text's order; nothing for a text without any;
    of a text that is all figures the first MOST_FIGURES.
    """
    hidden = [(one.start, one.end) for one in reading.masks if one.kind in ("code", "references")]
    output = Passages(reading.raw, reading.open)
    figures = find_figures(reading.raw, reading.open, hidden, output.numbers)
    if not figures:
        return ()
    desk = _Desk(
        reading,
        output,
        FigureIndex(sources),
        sources,
        _asked(task),
    )
    figures = figures[:MOST_FIGURES]
    claims = [_looked_up(desk, figure) for figure in figures]
    return tuple(_with_derived(desk, figures, claims))


def calls_it_an_estimate(text: str) -> bool:
    """Whether a sentence says of itself that it estimates, assumes or calculates something."""
    return _OWN_ESTIMATE.search(fold(text)) is not None


def _looked_up(desk: _Desk, figure: Figure) -> Claim:
    """Supported, weak or absent, before any arithmetic is tried."""
    span = desk.reading.span(figure.start, figure.end)
    about = _about(desk.output, figure)
    seen = sightings(figure, about, desk.index, _beside(desk, figure))
    enough = [one for one in seen if one.shared >= needed(about)]
    if not enough and any(value in desk.asked for value, _ in figure.readings):
        return Claim("figure", figure.text, span, "supported", note="in the question")
    if not seen:
        return Claim("figure", figure.text, span, "absent")
    strangers = []
    for sighting in enough:
        note = _belongs_elsewhere(desk, figure, sighting)
        if not note:
            return _sighted(desk, figure, sighting, "supported", _rounded(desk, sighting))
        strangers.append(note)
    return _sighted(desk, figure, seen[0], "weak", strangers[0] if strangers else "")


def _belongs_elsewhere(desk: _Desk, figure: Figure, sighting: Sighting) -> str:
    """What the figure plainly belongs to at this place, and not in the text; empty for most."""
    stranger = other_owner(desk.output, figure, desk.index, sighting.place)
    if stranger:
        return f"it stands there beside {stranger.there}, not {stranger.here}"
    words = between_others(desk.output, figure, desk.index, sighting.place)
    return (
        f"it stands there beside '{words}', and another figure beside these words" if words else ""
    )


def _rounded(desk: _Desk, sighting: Sighting) -> str:
    place = sighting.place
    written = desk.index.texts[place.source].text[place.start : place.end]
    return f"rounded from {written}" if sighting.rounded else ""


def _sighted(
    desk: _Desk, figure: Figure, sighting: Sighting, status: ClaimStatus, note: str
) -> Claim:
    place = sighting.place
    return Claim(
        "figure",
        figure.text,
        desk.reading.span(figure.start, figure.end),
        status,
        desk.sources[place.source].id,
        (place.start, place.end),
        desk.index.texts[place.source].passage(place.start, place.end),
        note,
    )


def _about(output: Passages, figure: Figure) -> frozenset[str]:
    """The content words of the figure's sentence or row; with the sentence before, where it has few."""
    if output.row(figure.start):
        return output.window_stems(figure.start)
    start, end = output.sentence(figure.start)
    found = content_stems(output.folded[start:end])
    if len(found) < _FEW_WORDS:
        before, _ = output.sentence(max(0, start - 2))
        found |= content_stems(output.folded[before:start])
        found |= content_stems(fold(output.above_item(figure.start)))
    return found


def _beside(desk: _Desk, figure: Figure) -> frozenset[float]:
    """The other figures of its sentence or row."""
    start, end = desk.output.row(figure.start) or desk.output.sentence(figure.start)
    return frozenset(
        value
        for one in desk.output.numbers_in(start, end)
        if not (figure.start - 3 < one.end and one.start < figure.end + 3)
        for value, _ in one.readings
        if value > SMALLEST
    )


def _asked(task: TaskBrief) -> frozenset[float]:
    question = read(task.question)
    figures = find_figures(question.raw, question.open)
    return frozenset(value for figure in figures for value, _ in figure.readings)


def _with_derived(
    desk: _Desk, figures: Sequence[Figure], claims: Sequence[Claim]
) -> Iterable[Claim]:
    """The same claims; what is not supported is calculated, or marked as an estimate, or dropped."""
    ids = [one.id for one in desk.sources]
    arithmetic = Arithmetic(desk.output, desk.index, figures, claims, ids)
    amounts: list[tuple[str, float]] = []
    for figure, claim in zip(figures, claims, strict=True):
        known = claim if claim.status == "supported" or claim.note else None
        judged = known or _calculated(desk, arithmetic, amounts, figure, claim)
        if judged is None:
            continue
        if judged.status in ("supported", "derived") and figure.readings:
            amounts.append((figure.text, figure.readings[0][0]))
        yield judged


def _calculated(
    desk: _Desk,
    arithmetic: Arithmetic,
    amounts: Sequence[tuple[str, float]],
    figure: Figure,
    claim: Claim,
) -> Claim | None:
    """The claim with the arithmetic that gives it, or as it was; None for a way of speaking."""
    note = arithmetic.explain(figure) or from_a_rate(
        figure, desk.output, desk.index, amounts[-_NEAR_AMOUNTS:]
    )
    if note:
        return Claim("figure", claim.text, claim.span, "derived", note=note)
    if claim.status == "absent" and figure.fraction:
        return None  # "half the battle" is a way of speaking
    if claim.status == "absent" and _own_estimate(desk.output, figure):
        return replace(claim, status="weak", note=ESTIMATE)
    return claim


def _own_estimate(output: Passages, figure: Figure) -> bool:
    """Its sentence, or the one before, says that it is an estimate, and the arithmetic is there."""
    start, end = output.sentence(figure.start)
    before, _ = output.sentence(max(0, start - 2))
    _, behind = output.sentence(min(end, len(output.text) - 1))
    near = output.folded[before : max(behind, end)]
    return _OWN_ESTIMATE.search(near) is not None and _ARITHMETIC.search(near) is not None
