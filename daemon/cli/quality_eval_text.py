"""The results of an evaluation as lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from daemon.quality.evaluation import Judged, Summary
from daemon.quality.measures import Confusion, Measure
from daemon.reports.plain_text import one_line, render_table, wrap

_FEW_KINDS = 15


def render_summaries(
    summaries: Sequence[Summary], missed: Sequence[Judged], columns: int
) -> Iterator[str]:
    """A block for each set: its measures, then a table of its languages, layers and kinds."""
    for name in dict.fromkeys(one.name for one in summaries):
        whole, *parts = [one for one in summaries if one.name == name]
        yield from _block(whole, columns)
        yield from _parts(parts, columns)
        yield ""
    for one in missed:
        yield from wrap(_miss(one), columns)


def _block(one: Summary, columns: int) -> Iterator[str]:
    found = one.confusion
    counts = f"{found.tp + found.fn:,} to be rejected, {found.fp + found.tn:,} to be left alone"
    yield from wrap(
        f"{one_line(one.name)}: {one.n:,} texts, profile {one.profile}; {counts}", columns
    )
    yield f"  rejected: {one.by_defect:,} by a defect, {one.by_score:,} by the score alone"
    score = one.with_score if one.by_score else Confusion()
    with_score = one.as_expected_with_score if one.by_score else None
    rows = [
        ("precision", _precision(found), _beside(_precision(score), "with the score")),
        ("recall", found.recall, _beside(score.recall, "with the score")),
        ("F1", found.f1, _beside(score.f1, "with the score")),
        ("F1 by length alone", one.length_f1, _beside(one.always_yes_f1, "yes to all")),
        ("AUROC", one.auroc, _beside(one.length_auroc, "by minus length")),
        ("F1 at the best suspicion", one.suspicion_f1, "chosen on these texts"),
        ("as expected", one.as_expected, _beside(with_score, "with the score")),
        ("to mark or cut, rejected", one.between, ""),
        ("made-up claims accepted", one.false_claims_accepted, ""),
        ("true claims accepted", one.true_claims_accepted, ""),
    ]  # fmt: skip
    for name, measured, beside in rows:
        if measured:
            yield f"  {name:<25} {_of(measured):<29} {beside}".rstrip()


def _parts(parts: Sequence[Summary], columns: int) -> Iterator[str]:
    """Of many kinds only those that are not wholly as expected."""
    kinds = [one for one in parts if one.kind]
    whole = [one for one in kinds if one.as_expected is None or one.as_expected.value == 1.0]
    hidden = whole if len(kinds) > _FEW_KINDS else []
    shown = [one for one in parts if one not in hidden]
    titles = ("", "n", "as expected", "by defect", "by score", "precision", "recall")
    rows = [
        (
            one.lang or (f"layer {one.layer}" if one.layer else one.kind),
            f"{one.n:,}",
            _percent(one.as_expected),
            f"{one.by_defect:,}",
            f"{one.by_score:,}",
            _percent(_precision(one.confusion)),
            _percent(one.confusion.recall),
        )
        for one in shown
    ]
    if rows:
        table = render_table(titles, rows, width=columns - 2, right=(1, 2, 3, 4, 5, 6))
        yield from (f"  {line}" for line in table.splitlines())
    if hidden:
        yield f"  {len(hidden)} of {len(kinds)} kinds are wholly as expected and not listed"


def _miss(one: Judged) -> str:
    sample = one.sample
    checks = f" ({', '.join(one.checks)})" if one.checks else ""
    where = f"{one_line(sample.set)}:{sample.line} {one_line(sample.id)} [{sample.lang}]"
    return f"{where} {one_line(sample.kind)}: expected {sample.expect}, was {one.outcome}{checks}"


def _of(measure: Measure) -> str:
    """95.9 % [93.8-97.3] of 533."""
    span = f"[{100 * measure.low:.1f}-{100 * measure.high:.1f}]"
    return f"{100 * measure.value:5.1f} % {span} of {measure.n:,}"


def _precision(found: Confusion) -> Measure | None:
    """Only where there is something to find and something to leave alone: else it says nothing."""
    return found.precision if found.tp + found.fn and found.fp + found.tn else None


def _beside(measure: Measure | None, name: str) -> str:
    return f"{name} {100 * measure.value:.1f} %" if measure else ""


def _percent(measure: Measure | None) -> str:
    return f"{100 * measure.value:.1f} %" if measure else "-"
