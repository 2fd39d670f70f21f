"""Judges labelled texts and sums up how often the judge was right. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median

from daemon.quality.assessment import assess
from daemon.quality.claims import Claim, ClaimStatus
from daemon.quality.labelled import Expect, LabelledClaim, Sample
from daemon.quality.measures import (
    Confusion,
    Measure,
    always_yes_f1,
    auroc,
    best_f1,
    count,
    share,
)
from daemon.quality.normalise import count_words, fold
from daemon.quality.rules import QualityRules
from daemon.quality.suspicion import suspicion
from daemon.quality.verdict import Outcome, Profile, TaskBrief, Verdict

# A set whose good texts are mostly shorter is one of answers: its score must not reject.
ANSWERS_BELOW_WORDS = 300

SUSPICIOUS_FROM = 0.5
"""From this suspicion on a text that is graded by its source counts as made up."""

_SCORE = "score.below_threshold"
_BACKED: tuple[ClaimStatus | None, ...] = ("supported", "derived", None)
_BETWEEN: tuple[Expect, ...] = ("flag", "strip")
_RANK: dict[Outcome, int] = {"accept": 0, "flag": 1, "reject": 2}


@dataclass(frozen=True)
class Judged:
    """What became of one labelled text; the text itself is let go.

    `outcome` is what the defects alone lead to; `by_score`: only the score rejects it. `met` holds
    for the outcome, `met_with_score` for what the gate does. `badness` orders texts: the worse, the
    higher. `claims` has, for each labelled claim, whether it is true and its status; None: the judge
    did not see it.
    """

    sample: Sample
    profile: Profile
    outcome: Outcome
    by_score: bool
    met: bool
    met_with_score: bool
    badness: float
    words: int
    claims: tuple[tuple[bool, ClaimStatus | None], ...]
    checks: tuple[str, ...]

    @property
    def says_yes(self) -> bool:
        """Whether a defect says bad; of a text graded by its source, whether its suspicion does."""
        if self.sample.by_sources:
            return self.badness >= SUSPICIOUS_FROM
        return self.outcome == "reject"


@dataclass(frozen=True)
class Summary:
    """How right the judge was on one group of texts; a measure is None where nothing can be measured.

    `confusion` is by defects alone, `with_score` by all that the gate does: texts to be rejected
    against texts to be passed. Those to be marked, or to be cut before the rest is judged, are in
    `between` instead (the share rejected), except in a set that has no others to leave alone.
    `suspicion_f1` is the best that any threshold on the suspicion reaches on these texts.
    """

    name: str
    lang: str
    layer: str
    kind: str
    profile: str
    n: int
    by_defect: int
    by_score: int
    as_expected: Measure | None
    as_expected_with_score: Measure | None
    confusion: Confusion
    with_score: Confusion
    auroc: Measure | None
    suspicion_f1: Measure | None
    between: Measure | None
    length_auroc: Measure | None
    length_f1: Measure | None
    always_yes_f1: Measure | None
    true_claims_accepted: Measure | None
    false_claims_accepted: Measure | None


def profiles_of(samples: Iterable[Sample]) -> dict[str, Profile]:
    """The profile of each set: `answer` where half of its good texts are under 300 words."""
    lengths: dict[str, list[tuple[bool, int]]] = {}
    for sample in samples:
        words = count_words(sample.text)
        lengths.setdefault(sample.set, []).append((sample.expect == "reject", words))
    return {name: _profile_for(found) for name, found in lengths.items()}


def judge_sample(sample: Sample, profile: Profile, rules: QualityRules) -> Judged:
    """The verdict of one text, without the text."""
    brief = TaskBrief(sample.id, sample.question, profile, sample.lang, sample.prompt_text)
    verdict = assess(
        sample.text, brief, rules=rules, sources=sample.sources, earlier=sample.earlier
    )
    outcome = _without_score(verdict)
    badness = _badness(sample, verdict, outcome)
    says: Outcome = outcome
    if sample.by_sources:
        says = "reject" if badness >= SUSPICIOUS_FROM else "accept"
    return Judged(
        sample=replace(sample, text="", sources=(), earlier=(), prompt_text="", claims=()),
        profile=profile,
        outcome=outcome,
        by_score=outcome != "reject" and not verdict.accepted,
        met=_is_met(sample.expect, says, verdict),
        met_with_score=_is_met(sample.expect, verdict.outcome, verdict),
        badness=badness,
        words=count_words(sample.text),
        claims=tuple((one.true, _status_of(one, verdict.claims)) for one in sample.claims),
        checks=tuple(sorted({defect.check for defect in verdict.defects})),
    )


def summarise(judged: Sequence[Judged]) -> list[Summary]:
    """For each set: all of it, then each language, layer and kind where there are several."""
    found: list[Summary] = []
    for name in dict.fromkeys(one.sample.set for one in judged):
        whole = [one for one in judged if one.sample.set == name]
        marks_count = not any(one.sample.expect == "pass" for one in whole)
        found.append(_summary(whole, marks_count=marks_count))
        for part in ("lang", "layer", "kind"):
            values = sorted({getattr(one.sample, part) for one in whole})
            for value in values if len(values) > 1 else ():
                some = [one for one in whole if getattr(one.sample, part) == value]
                found.append(_summary(some, marks_count=marks_count, part=part, value=value or "-"))
    return found


def _summary(
    some: Sequence[Judged], *, marks_count: bool, part: str = "", value: str = ""
) -> Summary:
    two = [one for one in some if _is_measured(one.sample.expect, marks_count=marks_count)]
    truths = [one.sample.expect == "reject" for one in two]
    badness = [one.badness for one in two]
    graded = any(one.sample.by_sources for one in two)
    between = [one for one in some if one.sample.expect in _BETWEEN and not marks_count]
    labelled = [one for one in some if one.sample.expect is not None]
    claims = [claim for one in some for claim in one.claims]
    best = best_f1(truths, badness) if graded else None
    return Summary(
        name=some[0].sample.set,
        lang=value if part == "lang" else "",
        layer=value if part == "layer" else "",
        kind=value if part == "kind" else "",
        profile=", ".join(sorted({one.profile for one in some})),
        n=len(some),
        by_defect=sum(one.outcome == "reject" for one in some),
        by_score=sum(one.by_score for one in some),
        as_expected=share(sum(one.met for one in labelled), len(labelled)),
        as_expected_with_score=share(sum(one.met_with_score for one in labelled), len(labelled)),
        confusion=count(truths, [one.says_yes for one in two]),
        with_score=count(truths, [one.says_yes or one.by_score for one in two]),
        auroc=auroc(truths, badness),
        suspicion_f1=best[0] if best else None,
        between=share(sum(one.outcome == "reject" for one in between), len(between)),
        length_auroc=auroc(truths, [-one.words for one in two]),
        length_f1=_length_f1(truths, [one.words for one in two]),
        always_yes_f1=always_yes_f1(truths),
        true_claims_accepted=_accepted(claims, true=True),
        false_claims_accepted=_accepted(claims, true=False),
    )


def _profile_for(lengths: Sequence[tuple[bool, int]]) -> Profile:
    good = [words for is_bad, words in lengths if not is_bad]
    typical = median(good or [words for _, words in lengths])
    return "answer" if typical < ANSWERS_BELOW_WORDS else "report"


def _is_measured(expect: Expect | None, *, marks_count: bool) -> bool:
    return expect in ("reject", "pass") or (expect in _BETWEEN and marks_count)


def _without_score(verdict: Verdict) -> Outcome:
    defects = [defect for defect in verdict.defects if defect.check != _SCORE]
    if any(defect.rejects for defect in defects):
        return "reject"
    return "flag" if defects else "accept"


def _is_met(expect: Expect | None, outcome: Outcome, verdict: Verdict) -> bool:
    if expect == "strip":  # what is left is judged by itself
        return bool(verdict.stripped)
    if expect == "flag":
        return outcome == "flag"
    return (outcome == "reject") == (expect == "reject")


def _badness(sample: Sample, verdict: Verdict, outcome: Outcome) -> float:
    """The outcome first, then the missing score; where a source grades, the suspicion."""
    if sample.by_sources:
        return suspicion(sample.text, sample.sources)
    return _RANK[outcome] + 1 - verdict.score


def _status_of(label: LabelledClaim, claims: Sequence[Claim]) -> ClaimStatus | None:
    """The claim of the same words, else the one that holds them or stands within them."""
    wanted = " ".join(fold(label.text).split())
    same = [one for one in claims if one.kind == label.kind]
    texts = [(" ".join(fold(one.text).split()), one) for one in same]
    exact = [one for text, one in texts if text == wanted]
    near = [one for text, one in texts if text and (text in wanted or wanted in text)]
    found = exact or near
    return found[0].status if found else None


def _accepted(claims: Sequence[tuple[bool, ClaimStatus | None]], *, true: bool) -> Measure | None:
    """The share of claims that got by: supported, derived, or not seen at all."""
    some = [status for is_true, status in claims if is_true == true]
    return share(sum(status in _BACKED for status in some), len(some))


def _length_f1(truths: Sequence[bool], words: Sequence[int]) -> Measure | None:
    """The better of "bad below so many words" and "bad above so many"."""
    found = [best_f1(truths, [sign * one for one in words]) for sign in (-1, 1)]
    return max((one[0] for one in found if one), key=lambda one: one.value, default=None)
