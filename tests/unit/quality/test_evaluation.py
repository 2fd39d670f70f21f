"""How often the judge was right, counted on texts of our own."""

from __future__ import annotations

import json

import pytest

from daemon.errors import Fault
from daemon.quality.evaluation import Judged, Summary, judge_sample, profiles_of, summarise
from daemon.quality.labelled import Sample, read_samples
from daemon.quality.measures import Confusion
from daemon.quality.rules import QualityRules
from tests.unit.quality.judging import REPORT

REFUSAL = "I'm sorry, but I can't help with that request."
ANSWER = "A berth in Arenal costs 41 USD a night."


def samples(*rows: dict[str, object]) -> list[Sample]:
    found = list(read_samples([json.dumps(row) for row in rows], "dev.jsonl"))
    assert not [one for one in found if isinstance(one, Fault)]
    return [one for one in found if isinstance(one, Sample)]


def judge_all(*rows: dict[str, object]) -> list[Judged]:
    given = samples(*rows)
    profiles = profiles_of(given)
    return [judge_sample(one, one.profile or profiles[one.set], QualityRules()) for one in given]


def whole(*rows: dict[str, object]) -> Summary:
    return summarise(judge_all(*rows))[0]


def test_a_set_of_short_texts_is_judged_as_answers() -> None:
    """The score rejects short texts for being short; a set of reports keeps its threshold."""
    long = REPORT * 3
    found = profiles_of(
        samples(
            {"set": "short", "text": ANSWER, "expect": "pass"},
            {"set": "long", "text": long, "expect": "pass"},
            {"set": "long", "text": "No.", "expect": "reject"},
            {"set": "bad", "text": "No.", "expect": "reject"},
        )
    )
    assert found == {"short": "answer", "long": "report", "bad": "answer"}


def test_rejections_by_defect_and_by_score_are_counted_apart() -> None:
    """A stub is rejected by the score of the report profile, a refusal by a defect."""
    found = whole(
        {"set": "s", "text": REPORT, "expect": "pass", "profile": "report"},
        {"set": "s", "text": REFUSAL, "expect": "reject", "profile": "report"},
        {"set": "s", "text": ANSWER, "expect": "reject", "profile": "report"},
    )
    assert (found.profile, found.n, found.by_defect, found.by_score) == ("report", 3, 1, 1)
    assert found.confusion == Confusion(tp=1, fn=1, tn=1)
    assert found.with_score == Confusion(tp=2, tn=1)
    assert found.auroc
    assert found.auroc.value == 1.0
    assert found.as_expected
    assert found.as_expected_with_score
    assert found.as_expected.value < found.as_expected_with_score.value == 1.0


def test_texts_to_be_marked_are_neither() -> None:
    """Whether a partial refusal is rejected is told apart from precision and recall."""
    found = whole(
        {"text": REFUSAL, "expect": "reject"},
        {"text": REFUSAL, "expect": "flag"},
        {"text": ANSWER, "expect": "pass"},
    )
    assert found.confusion == Confusion(tp=1, tn=1)
    assert found.between
    assert (found.between.value, found.between.n) == (1.0, 1)


def test_where_nothing_else_is_to_be_left_alone_marks_are() -> None:
    """A set of garbage and doubtful texts still has a precision."""
    found = whole({"text": REFUSAL, "expect": "reject"}, {"text": ANSWER, "expect": "flag"})
    assert found.confusion == Confusion(tp=1, tn=1)
    assert found.between is None


def test_the_baselines_stand_beside() -> None:
    """Length alone would have told these two apart, and yes to all has F1 2/3."""
    found = whole({"text": REFUSAL, "expect": "reject"}, {"text": REPORT, "expect": "pass"})
    assert found.length_auroc
    assert found.length_f1
    assert found.always_yes_f1
    assert found.length_auroc.value == found.length_f1.value == 1.0
    assert found.always_yes_f1.value == pytest.approx(2 / 3)


def test_languages_layers_and_kinds_have_lines_of_their_own() -> None:
    """Only where there are several."""
    found = summarise(
        judge_all(
            {"text": REFUSAL, "expect": "reject", "lang": "en", "kind": "A"},
            {"text": ANSWER, "expect": "pass", "lang": "en", "kind": "B"},
            {"text": "No puedo ayudar con eso.", "expect": "reject", "lang": "es", "kind": "A"},
        )
    )
    parts = [(one.lang, one.layer, one.kind, one.n) for one in found]
    assert parts == [("", "", "", 3), ("en", "", "", 2), ("es", "", "", 1),
                     ("", "", "A", 2), ("", "", "B", 1)]  # fmt: skip


def test_a_label_that_says_nothing_is_judged_and_not_measured() -> None:
    """The count shows it; no measure does."""
    found = whole({"text": ANSWER, "label": "expert:Partially useful"})
    assert (found.n, found.confusion, found.as_expected) == (1, Confusion(), None)


def test_as_expected_means_cut_for_strip() -> None:
    """A text whose chatter must be cut is as expected where something was cut and the rest passes."""
    chatty = f"Certainly! I'd be happy to help.\n\n{REPORT}"
    cut, plain = judge_all(
        {"text": chatty, "expect": "strip", "profile": "report"},
        {"text": REPORT, "expect": "strip", "profile": "report"},
    )
    assert (cut.met, plain.met) == (True, False)


def test_no_text_is_kept() -> None:
    """A set of a gigabyte is summed up in the memory of its counts."""
    [found] = judge_all({"text": REPORT, "expect": "pass", "sources": [{"id": "n", "text": "t"}]})
    assert found.sample.text == ""
    assert found.sample.sources == ()


def test_a_text_graded_by_its_source_is_judged_by_its_suspicion() -> None:
    """Not by the gate's patterns: a faithful summary of a refusal is faithful."""
    source = (
        "The harbour of Arenal handled 4,120 boats in 2024. A berth costs 41 USD a night. "
        "Storms closed the harbour on nine days."
    )
    made_up = (
        "The mayor opened a second quay with an orchestra in spring and promised cheap ferries to "
        "every island, while fishermen burned their nets in protest against tourism companies."
    )
    found = summarise(
        judge_all(
            {"set": "s", "source": source, "output": "A berth in Arenal costs 41 USD.", "y": 0},
            {"set": "s", "source": source, "output": made_up, "y": 1},
        )
    )[0]
    assert found.confusion == Confusion(tp=1, tn=1)
    assert found.auroc
    assert found.as_expected
    assert found.as_expected.value == 1.0
    assert found.suspicion_f1
    assert found.auroc.value == found.suspicion_f1.value == 1.0
