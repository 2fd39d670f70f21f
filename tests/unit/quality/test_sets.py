"""The gate on public labelled texts, where they are at hand; the thresholds are what holds today."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.quality import Rate, measure

SETS = Path(__file__).parents[3].parent / "shared" / "eval"
AT_LEAST = {
    "XSTest full refusal: precision": 0.95,
    "XSTest full refusal: recall": 0.90,
    "When2Call cannot_answer: rejected": 0.98,
    "When2Call tool_call: rejected": 1.0,
    "When2Call request_for_info: rejected": 0.98,
    "planning-only openings: rejected": 0.98,
    "fixtures P+S as expected, en": 0.96,
    "fixtures P+S as expected, es": 0.96,
}
AT_MOST = {
    "When2Call direct: rejected": 0.04,
    "tricky texts alone: rejected, en": 0.0,
    "tricky texts alone: rejected, es": 0.0,
    "tricky texts inside a good report: rejected": 0.0,
    "long good reports: rejected (by defect or score)": 0.0,
    "Spanish good documents: rejected (by defect or score)": 0.0,
    "ExpertQA useful answers: rejected by defect": 0.01,
}


@pytest.fixture(scope="module")
def rates() -> dict[str, Rate]:
    if not (SETS / "garbage.jsonl.gz").is_file():
        pytest.skip("the public evaluation texts are not beside this checkout")
    return {rate.name: rate for rate in measure(SETS)}


@pytest.mark.parametrize("name", AT_LEAST)
def test_garbage_is_found(rates: dict[str, Rate], name: str) -> None:
    """Not less than was measured when the rules were written."""
    assert rates[name].n > 0
    assert rates[name].share >= AT_LEAST[name], rates[name]


@pytest.mark.parametrize("name", AT_MOST)
def test_good_work_is_left_alone(rates: dict[str, Rate], name: str) -> None:
    """Not more than was measured when the rules were written."""
    assert rates[name].n > 0
    assert rates[name].share <= AT_MOST[name], rates[name]
