"""How good a judge is: shares, precision, recall, F1 and AUROC, each with its 95 % interval.

Intervals are exact functions of the counts, so the same texts always give the same numbers:

    share, precision, recall   Wilson's score interval
    F1                         Wilson's for J = tp / (tp + fp + fn), carried over by F1 = 2J / (1 + J)
    AUROC                      Hanley and McNeil's variance, solved for the bounds as Wilson does for
                               a share (Newcombe 2006, method 5), so that 1.0 has a width too
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

Z_95 = 1.959964

_HALVINGS = 60


@dataclass(frozen=True)
class Measure:
    """A value 0..1 with its 95 % interval; `n` is how many texts it rests on."""

    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class Confusion:
    """Counts of yes and no: `tp` and `fn` should have been yes, `fp` and `tn` no."""

    tp: int = 0
    fp: int = 0
    fn: int = 0
    tn: int = 0

    @property
    def n(self) -> int:
        return self.tp + self.fp + self.fn + self.tn

    @property
    def precision(self) -> Measure | None:
        """None where nothing was said to be one."""
        return share(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> Measure | None:
        """None where there was none to find."""
        return share(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> Measure | None:
        """None where there was none to find."""
        if not self.tp + self.fn:
            return None
        low, high = wilson(self.tp, self.tp + self.fp + self.fn)
        value = self.tp / (self.tp + self.fp + self.fn)
        return Measure(_f1_of(value), _f1_of(low), _f1_of(high), self.n)


def count(truths: Sequence[bool], answers: Sequence[bool]) -> Confusion:
    """The confusion of two lists of the same length. Raises ValueError where they differ in it."""
    pairs = list(zip(truths, answers, strict=True))
    return Confusion(
        tp=pairs.count((True, True)),
        fp=pairs.count((False, True)),
        fn=pairs.count((True, False)),
        tn=pairs.count((False, False)),
    )


def share(hits: int, n: int) -> Measure | None:
    """`hits` of `n`; None where n is 0."""
    return Measure(hits / n, *wilson(hits, n), n) if n else None


def wilson(hits: int, n: int) -> tuple[float, float]:
    """Wilson's 95 % score interval; (0, 1) where n is 0."""
    if not n:
        return 0.0, 1.0
    p, z2 = hits / n, Z_95 * Z_95
    middle = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = Z_95 * sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    return max(0.0, middle - half), min(1.0, middle + half)


def auroc(truths: Sequence[bool], scores: Sequence[float]) -> Measure | None:
    """How often a true one scores higher than a false one, a tie counting half.

    None where one of the two kinds is missing. A constant score has 0.5.
    """
    pairs = list(zip(truths, scores, strict=True))
    yes = sorted(score for truth, score in pairs if truth)
    no = sorted(score for truth, score in pairs if not truth)
    if not yes or not no:
        return None
    wins = sum(bisect_left(no, one) + bisect_right(no, one) for one in yes)
    value = wins / (2 * len(yes) * len(no))
    low = _bound(value, len(yes), len(no), 0.0)
    high = _bound(value, len(yes), len(no), 1.0)
    return Measure(value, low, high, len(pairs))


def best_f1(truths: Sequence[bool], scores: Sequence[float]) -> tuple[Measure, float] | None:
    """The best F1 that any "yes from this score on" reaches on these texts, and that score.

    The threshold was chosen on the same texts, so it flatters; as a baseline that is fair. None
    where there is none to find.
    """
    pairs = sorted(zip(scores, truths, strict=True), key=lambda pair: -pair[0])
    total = sum(truths)
    if not total:
        return None
    best, tp = (Confusion(fn=total, tn=len(pairs) - total), float("inf")), 0
    for at, (score, truth) in enumerate(pairs, 1):
        tp += truth
        if at < len(pairs) and pairs[at][0] == score:
            continue
        found = Confusion(tp, at - tp, total - tp, len(pairs) - total - (at - tp))
        if _f1_value(found) > _f1_value(best[0]):
            best = found, score
    measure = best[0].f1
    return (measure, best[1]) if measure else None


def always_yes_f1(truths: Sequence[bool]) -> Measure | None:
    """F1 of a judge that says yes to everything: what any other must beat."""
    return count(truths, [True] * len(truths)).f1


def _f1_of(jaccard: float) -> float:
    return 2 * jaccard / (1 + jaccard)


def _f1_value(found: Confusion) -> float:
    return 2 * found.tp / (2 * found.tp + found.fp + found.fn)


def _bound(value: float, yes: int, no: int, end: float) -> float:
    """Where |bound - value| is Z standard errors *of the bound*, between the value and 0 or 1."""
    inner, outer = value, end
    for _ in range(_HALVINGS):
        middle = (inner + outer) / 2
        if abs(middle - value) <= Z_95 * _standard_error(middle, yes, no):
            inner = middle
        else:
            outer = middle
    return inner


def _standard_error(value: float, yes: int, no: int) -> float:
    larger = (yes + no) / 2 - 1
    spread = 1 + larger * ((1 - value) / (2 - value) + value / (1 + value))
    return sqrt(max(0.0, value * (1 - value) * spread / (yes * no)))
