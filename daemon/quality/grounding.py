"""Looks up what an output claims in what its writer was given, and says what follows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from daemon.quality.claims import Claim, ClaimKind, ClaimStatus, SourceNote
from daemon.quality.figure_claims import figure_claims
from daemon.quality.normalise import Reading
from daemon.quality.reference_claims import reference_claims
from daemon.quality.verdict import Defect, TaskBrief

_FEWEST_ABSENT = 2
_ABSENT_IN_TEN = 10
_MOST_NAMED = 12
_QUOTED_WORDS = 5


def ground(reading: Reading, task: TaskBrief, sources: Sequence[SourceNote]) -> tuple[Claim, ...]:
    """Every claim that can be looked up, in the order of the text; none where no source was given."""
    if not sources:
        return ()
    found = [*figure_claims(reading, task, sources), *reference_claims(reading, task, sources)]
    return tuple(sorted(found, key=lambda claim: claim.span))


def claim_defects(claims: Sequence[Claim]) -> Iterable[Defect]:
    """What the statuses of all claims together lead to.

    Figures in no note reject where they are two or more and a tenth of all figures; fewer are marked.
    An address or a norm in no note rejects; so does a quotation of five words and more. What stands
    in the notes only beside other words, and the text's own estimates, are marked.
    """
    yield from _absent_figures(claims)
    yield from _weak_figures(claims)
    yield from _absent(claims, "url", "grounding.url", "These addresses are in no note: {}.")
    yield from _absent(
        claims, "norm", "grounding.norm", "These laws, articles or rulings are in no note: {}."
    )
    yield from _quotations(claims)


def _of(claims: Sequence[Claim], kind: ClaimKind, status: ClaimStatus) -> list[Claim]:
    return [one for one in claims if one.kind == kind and one.status == status]


def _absent_figures(claims: Sequence[Claim]) -> Iterable[Defect]:
    absent = _of(claims, "figure", "absent")
    if not absent:
        return
    total = sum(one.kind == "figure" for one in claims)
    rejects = len(absent) >= _FEWEST_ABSENT and len(absent) * _ABSENT_IN_TEN >= total
    message = (
        f"These figures are in no note: {_named(absent)}. Use only figures of the notes, or mark one as"
        " your own estimate and show its arithmetic."
    )
    yield Defect("grounding.absent", message, rejects=rejects, span=absent[0].span)


def _weak_figures(claims: Sequence[Claim]) -> Iterable[Defect]:
    weak = _of(claims, "figure", "weak")
    for check, message, some in (
        (
            "grounding.owner",
            "These figures stand beside another name in the notes: {}.",
            [one for one in weak if one.note and one.place],
        ),
        (
            "grounding.weak",
            "These figures are in the notes, but not about this: {}.",
            [one for one in weak if not one.note],
        ),
        (
            "grounding.unproven",
            "These figures are the text's own estimates: {}.",
            [one for one in weak if one.note and not one.place],
        ),
    ):
        if some:
            yield Defect(check, message.format(_named(some)), rejects=False, span=some[0].span)


def _absent(claims: Sequence[Claim], kind: ClaimKind, check: str, message: str) -> Iterable[Defect]:
    absent = _of(claims, kind, "absent")
    if absent:
        yield Defect(check, message.format(_named(absent)), rejects=True, span=absent[0].span)


def _quotations(claims: Sequence[Claim]) -> Iterable[Defect]:
    absent = _of(claims, "quote", "absent")
    if absent:
        rejects = any(len(one.text.split()) >= _QUOTED_WORDS for one in absent)
        message = f"These quotations are in no note: {_named(absent)}."
        yield Defect("grounding.quote", message, rejects=rejects, span=absent[0].span)


def _named(claims: Sequence[Claim]) -> str:
    """The claims as written, each once; a long list is cut and says by how many."""
    texts = list(dict.fromkeys(" ".join(one.text.split())[:120] for one in claims))
    rest = len(texts) - _MOST_NAMED
    more = f" and {rest} more" if rest > 0 else ""
    return "; ".join(texts[:_MOST_NAMED]) + more
