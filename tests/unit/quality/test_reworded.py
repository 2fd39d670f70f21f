"""The kinds of failure in other words than the patterns' own, and innocent texts that look like them."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.quality.evaluation import judge_sample
from daemon.quality.labelled import Sample, read_samples
from daemon.quality.rules import QualityRules

FILE = Path(__file__).parents[2] / "data" / "quality" / "reworded.jsonl"
TEXTS = [
    one
    for one in read_samples(FILE.read_text("utf-8").split("\n"), FILE.name)
    if isinstance(one, Sample)
]


@pytest.mark.parametrize("sample", TEXTS, ids=lambda one: one.id)
def test_a_kind_of_failure_is_known_in_other_words(sample: Sample) -> None:
    """By a defect, not by the score; a text to leave alone is neither rejected nor cut to nothing."""
    judged = judge_sample(sample, sample.profile or "report", QualityRules())
    if sample.expect == "pass":
        assert judged.outcome != "reject", judged.checks
    else:
        assert judged.met, judged.checks


def test_both_languages_have_their_share_of_failures_and_of_good_texts() -> None:
    """No set that could be passed by rejecting everything, or by knowing one language."""
    for language in ("en", "es"):
        own = [one for one in TEXTS if one.lang == language]
        assert sum(one.expect == "reject" for one in own) >= 140
        assert sum(one.expect == "pass" for one in own) >= 40
