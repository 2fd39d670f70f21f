"""The confidence gate: may an answer be acted on, given what it says of itself and what judges say?

It adjudicates measurements that others made; it asks no model. Rules and sentences are those of
kcp-agent's gate after synthesis, whose conformance vectors hold for this module. Whatever cannot be
measured fails: no measurement at all, one outside 0..1, a judge that gave none.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Literal

Aggregate = Literal["min", "mean"]

# The word, then a colon or space, then a number, perhaps as a percentage. The word in ASCII: letters
# that only look like it (a dotless i, a long s) are another word.
_REPORT = re.compile(r"(?ai:confidence)[:\s]+([0-9]*\.?[0-9]+)\s*(%?)")
_EXACT = Decimal("0.000001")  # what the score of a verdict is rounded to
_NOT_FINITE = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}  # as the reference writes them


@dataclass(frozen=True)
class ConfidenceSignal:
    """One measurement: who made it, 0..1, and why as one sentence."""

    source: str
    score: float
    reasoning: str


@dataclass(frozen=True)
class FailedEvaluator:
    """A judge that was asked and gave no measurement, and why."""

    message: str


@dataclass(frozen=True)
class ConfidenceVerdict:
    """`score` is the combined one, 0 where nothing could be measured. `signals` are as they came.

    `detail` is the reason as one sentence; `severity` is the caller's own word, empty for none.
    """

    passed: bool
    score: float
    threshold: float
    signals: tuple[ConfidenceSignal, ...]
    detail: str
    severity: str = ""


def assess_confidence(
    answer: str,
    *,
    threshold: float,
    aggregate: Aggregate = "min",
    severity: str = "",
    self_report: ConfidenceSignal | None = None,
    include_self_report: bool = True,
    evaluations: Sequence[ConfidenceSignal | FailedEvaluator] = (),
) -> ConfidenceVerdict:
    """Passes where the combined score reaches the threshold; exactly on it passes.

    `self_report` wins over what the text of the answer says of itself, which is looked for unless
    `include_self_report` is False. Raises ValueError for a threshold outside 0..1.
    """
    if not _is_share(threshold):
        raise ValueError(f"invalid threshold {_number(threshold)} — expected 0..1")
    reported = self_report
    if reported is None and include_self_report:
        reported = find_self_report(answer)
    signals, fault = _gather(reported, evaluations)
    if fault:
        detail = f"{fault} — fail-closed"
        return ConfidenceVerdict(
            passed=False, score=0, threshold=threshold, signals=signals, detail=detail,
            severity=severity,
        )  # fmt: skip
    score, lowest = _combined(signals, aggregate), min(signals, key=lambda one: one.score)
    shown = f"{_rounded(score).normalize():f}"
    if score >= threshold:
        of = f"{aggregate} of {len(signals)} signal{'s' if len(signals) > 1 else ''}"
        detail = f"confidence {shown} >= threshold {_number(threshold)} ({of})"
    else:
        task = f" on {severity} task" if severity else ""
        detail = f"confidence {shown} < threshold {_number(threshold)}{task}"
        detail += f" — {lowest.source}: {lowest.reasoning}"
    return ConfidenceVerdict(
        score >= threshold, float(_rounded(score)), threshold, signals, detail, severity
    )


def find_self_report(answer: str) -> ConfidenceSignal | None:
    """The last thing an answer says of its own confidence; None where it says nothing.

    A percentage, or a number above 1, is taken as so many of a hundred; above that it counts as 1.
    """
    reports = list(_REPORT.finditer(answer))
    if not reports:
        return None
    number, percent = reports[-1].groups()
    score = float(number)
    if percent or score > 1:
        score /= 100
    start = answer.rfind("\n", 0, reports[-1].start()) + 1
    line = answer[start:].partition("\n")[0]
    return ConfidenceSignal("self", min(1.0, score), f'self-reported: "{line.strip()}"')


def _gather(
    reported: ConfidenceSignal | None, evaluations: Sequence[ConfidenceSignal | FailedEvaluator]
) -> tuple[tuple[ConfidenceSignal, ...], str]:
    """The measurements in order, and what is wrong with the last one; empty where nothing is."""
    signals: list[ConfidenceSignal] = []
    for one in (reported, *evaluations) if reported else evaluations:
        if isinstance(one, FailedEvaluator):
            return tuple(signals), f"evaluator failed: {one.message}"
        signals.append(one)
        if not _is_share(one.score):
            name = "self-report" if one is reported else one.source
            return tuple(signals), f"{name} score {_number(one.score)} out of range"
    if not signals:
        return (), "no confidence signal obtainable (no self-report in answer, no evaluator)"
    return tuple(signals), ""


def _combined(signals: Sequence[ConfidenceSignal], aggregate: Aggregate) -> float:
    scores = [one.score for one in signals]
    return sum(scores) / len(scores) if aggregate == "mean" else min(scores)


def _is_share(value: object) -> bool:
    return type(value) in (int, float) and 0 <= value <= 1  # type: ignore[operator]


def _rounded(value: float) -> Decimal:
    return Decimal(value).quantize(_EXACT, ROUND_HALF_UP)


def _number(value: float) -> str:
    """As it was given and as people write it: 1 and 0.82, never 1.0, 0.820000 or 1e-06. Not rounded:
    1.0000001 is out of range and has to look so. What is no number stands as it is."""
    if type(value) not in (int, float):
        return repr(value)
    if not math.isfinite(value):
        return _NOT_FINITE[str(value)]
    return f"{Decimal(repr(value)).normalize():f}"
