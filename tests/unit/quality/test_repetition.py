from __future__ import annotations

import pytest

from daemon.quality.assessment import assess
from daemon.quality.rules import QualityRules
from daemon.quality.verdict import TaskBrief, Verdict
from tests.unit.quality.judging import REPORT, judge, rejecting


def against(text: str, *earlier: str, prompt_text: str = "") -> Verdict:
    brief = TaskBrief("T", "?", profile="answer", prompt_text=prompt_text)
    return assess(text, brief, rules=QualityRules(), earlier=earlier)


@pytest.mark.parametrize(
    "text",
    [
        "The fee is " + "is " * 20 + "high.",
        "the market grows " * 12,
        "Prices: " + "a" * 60,
        "ha" * 90 + " " + "z" * 41,
    ],
)
def test_a_text_that_falls_into_a_loop_of_words_is_rejected(text: str) -> None:
    """Also where the loop is one long token."""
    assert "repetition.tokens" in rejecting(judge(text))


def test_the_same_sentence_again_and_again_is_rejected() -> None:
    """Between other sentences too."""
    text = "".join(f"Case {i} was heard. The market is growing fast.\n" for i in range(5))
    assert "repetition.sentences" in rejecting(judge(text))


def test_rows_rulers_and_zeros_are_no_loop() -> None:
    """Tables repeat by nature."""
    table = "| a | b |\n|---|---|\n" + "| 0 | 0 |\n" * 30
    assert rejecting(judge(f"{REPORT}\n{table}\n{'-' * 80}\n{'=' * 80}\n", "report")) == []


def test_a_verbatim_repeat_of_an_earlier_output_is_rejected() -> None:
    """Figures and white space do not make it new."""
    assert "repetition.earlier" in rejecting(against(REPORT, "other", REPORT.replace("\n", "\n\n")))
    assert "repetition.earlier" in rejecting(against(REPORT.replace("2025", "2026"), REPORT))


def test_a_repeat_with_a_few_words_changed_is_rejected() -> None:
    """Nine tenths of its five-word sequences are old."""
    changed = REPORT.replace("The strongest reason is time:", "The main reason is time:")
    assert "repetition.earlier" in rejecting(against(changed, REPORT))


def test_a_text_that_shares_a_paragraph_is_no_repeat() -> None:
    """An update may quote its predecessor."""
    new = " ".join(
        f"Vendor {i} raised its price in the city of its seat {i}." for i in "abcdefghijklm"
    )
    assert rejecting(against(f"{new}\n\n{REPORT[:400]}", REPORT)) == []


TASK = (
    "You work for a venture in Ecuador. Find out how many law firms in Quito and Cuenca would pay for a "
    "search of court rulings, what they pay today, and who the licensed vendors are. Give every figure "
    "with its source and say what could not be verified."
)


def test_a_text_made_of_its_own_task_is_rejected() -> None:
    """More than thirty in a hundred of its four-word sequences are the task's."""
    text = (
        f"The question is clear. {TASK} This matters a great deal to the founders of the venture."
    )
    assert "restatement.prompt" in rejecting(against(text, prompt_text=TASK))


def test_a_report_that_repeats_its_question_once_is_accepted() -> None:
    """A scope line is no restatement."""
    text = f"Scope: how many law firms in Quito and Cuenca would pay.\n\n{REPORT}"
    assert against(text, prompt_text=TASK).outcome == "accept"


def test_a_larger_share_is_marked_before_it_is_rejected() -> None:
    """Between 15 and 30 in a hundred."""
    verdict = against(f"{TASK}\n\n{REPORT}", prompt_text=TASK)
    assert [(d.check, d.rejects) for d in verdict.defects] == [("restatement.prompt", False)]
