"""The confidence gate against the conformance vectors, and what they leave open."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.knowledge.confidence import (
    ConfidenceSignal,
    ConfidenceVerdict,
    FailedEvaluator,
    assess_confidence,
    find_self_report,
)

_VECTORS = Path(__file__).parents[3].parent / "shared" / "vectors" / "kcp" / "assess"
_NAMES = sorted(path.stem for path in _VECTORS.glob("*.json"))


@pytest.mark.parametrize("name", _NAMES or ["none"])
def test_conformance_vector_is_reproduced_exactly(name: str) -> None:
    """Answer, options and a given evaluation give the published verdict, its sentence included."""
    if not _NAMES:
        pytest.skip("the KCP vectors are not on this machine")
    vector = json.loads((_VECTORS / f"{name}.json").read_text())
    if "expectError" in vector:
        with pytest.raises(ValueError, match="threshold") as caught:
            _assess(vector)
        assert str(caught.value) == vector["expectError"]
        return
    verdict = _assess(vector)
    severity = {"severity": verdict.severity} if verdict.severity else {}
    found = {
        "passed": verdict.passed, "score": verdict.score, "threshold": verdict.threshold,
        "signals": [{"source": one.source, "score": one.score} for one in verdict.signals],
        "detail": verdict.detail, **severity,
    }  # fmt: skip
    assert found == vector["expect"]


def test_all_fifteen_vectors_are_there() -> None:
    """A vector that went missing would otherwise pass without a word."""
    if not _NAMES:
        pytest.skip("the KCP vectors are not on this machine")
    assert len(_NAMES) == 15


@pytest.mark.parametrize(
    ("answer", "score"),
    [("Confidence: .8", 0.8), ("CONFIDENCE 85", 0.85), ("confidence:\n 12 %", 0.12),
     ("confidence: 1", 1.0), ("my confidence is high", None), ("confidence: -0.4", None),
     ("", None)],
)  # fmt: skip
def test_an_answer_says_how_sure_it_is_in_several_spellings(
    answer: str, score: float | None
) -> None:
    """Any case, a colon or a space, a share or a percentage; words and signs are no numbers."""
    found = find_self_report(answer)
    assert (found.score if found else None) == score


def test_each_of_several_judges_can_fail_the_answer() -> None:
    """The worst one decides, and it is named."""
    judges = [ConfidenceSignal("first", 0.9, "sound"), ConfidenceSignal("second", 0.2, "no source")]
    verdict = assess_confidence("x", threshold=0.5, evaluations=judges)
    assert not verdict.passed
    assert verdict.detail == "confidence 0.2 < threshold 0.5 — second: no source"


def test_numbers_in_the_sentence_stand_as_they_were_given() -> None:
    """A score just above 1 is out of range and looks so; a threshold is not rounded."""
    over = assess_confidence(
        "", threshold=0, evaluations=[ConfidenceSignal("evaluator", 1.0000001, "")]
    )
    assert over.detail == "evaluator score 1.0000001 out of range — fail-closed"
    nan = assess_confidence(
        "", threshold=0, evaluations=[ConfidenceSignal("evaluator", math.nan, "")]
    )
    assert nan.detail == "evaluator score NaN out of range — fail-closed"
    exact = assess_confidence("confidence: 0.5", threshold=0.12345678)
    assert exact.detail == "confidence 0.5 >= threshold 0.12345678 (min of 1 signal)"


def test_a_word_that_only_looks_like_it_is_no_report() -> None:
    """A dotless i after an honest report would otherwise have the last word."""
    found = find_self_report("confidence: 0.2\nconf\u0131dence: 0.99")
    assert found is not None
    assert found.score == 0.2


@pytest.mark.parametrize("score", [-0.1, 1.1, math.nan, math.inf, True, "0.9", None])
def test_what_is_no_share_never_passes(score: Any) -> None:
    """A judge's text, a truth value or an infinity is no measurement."""
    verdict = assess_confidence("x", threshold=0, evaluations=[ConfidenceSignal("j", score, "")])
    assert (verdict.passed, verdict.score) == (False, 0)
    assert verdict.detail.endswith("out of range — fail-closed")


def test_a_judge_that_failed_outweighs_a_good_report() -> None:
    """Not even a threshold of 0 lets it through."""
    verdict = assess_confidence(
        "confidence: 1", threshold=0, evaluations=[FailedEvaluator("no reply")]
    )
    assert not verdict.passed
    assert verdict.detail == "evaluator failed: no reply — fail-closed"


@given(
    scores=st.lists(st.floats(0, 1), min_size=1, max_size=4),
    threshold=st.floats(0, 1),
    mean=st.booleans(),
)
def test_it_passes_exactly_where_the_combined_score_reaches_the_threshold(
    scores: list[float], threshold: float, mean: bool
) -> None:
    """Min never passes where one signal is below; mean lies between the lowest and the highest."""
    judges = [ConfidenceSignal("j", score, "r") for score in scores]
    combined = sum(scores) / len(scores) if mean else min(scores)
    verdict = assess_confidence(
        "", threshold=threshold, aggregate="mean" if mean else "min", evaluations=judges
    )
    assert verdict.passed == (combined >= threshold)
    assert verdict.score == pytest.approx(combined, abs=1e-6)


def _assess(vector: dict[str, Any]) -> ConfidenceVerdict:
    options = vector["options"]
    given_report = options.get("selfReport")
    evaluations: list[ConfidenceSignal | FailedEvaluator] = []
    if "evaluator" in vector:
        evaluations.append(ConfidenceSignal("evaluator", **vector["evaluator"]))
    if "evaluatorError" in vector:
        evaluations.append(FailedEvaluator(vector["evaluatorError"]))
    return assess_confidence(
        vector["answer"],
        threshold=options["threshold"],
        aggregate=options.get("aggregate", "min"),
        severity=options.get("severity", ""),
        self_report=ConfidenceSignal(**given_report) if given_report else None,
        include_self_report=options.get("includeSelfReport", True),
        evaluations=evaluations,
    )
