from __future__ import annotations

import pytest

from daemon.quality.assessment import assess
from daemon.quality.rules import QualityRules, parse_rules
from daemon.quality.score import has_date
from daemon.quality.verdict import TaskBrief, Verdict
from tests.unit.quality.judging import REPORT, judge

WORDS = ["court", "lawyer", "city", "price", "search", "ruling", "clerk", "appeal", "fee", "firm"]


def prose(count: int) -> str:
    """So many words without any marker, all sentences different."""
    words = [WORDS[(i * 7 + i // 10) % 10] + ("." if i % 9 == 8 else "") for i in range(count)]
    return " ".join(words)


def addends(verdict: Verdict) -> dict[str, int]:
    return {part.name: part.hundredths for part in verdict.parts}


@pytest.mark.parametrize(("words", "score"), [(50, 30), (99, 30), (100, 40), (299, 40), (300, 50)])
def test_content_is_30_and_length_adds_10_at_100_and_at_300_words(words: int, score: int) -> None:
    """The user's numbers, at their edges."""
    assert judge(prose(words)).score_hundredths == score


@pytest.mark.parametrize(
    ("marker", "name"),
    [
        ("$49", "money"),
        ("USD 1,200", "money"),
        ("40 euros", "money"),
        ("12 %", "percentages"),
        ("12 por ciento", "percentages"),
        ("https://a.ec/x", "URLs"),
        ("3 March 2025", "dates"),
        ("marzo de 2025", "dates"),
        ("2025-03-31", "dates"),
        ("\n\n| a | b |\n|---|---|\n| c | d |\n", "tables"),
        ("\n\n## Head\n\n", "headings"),
    ],
)
def test_each_kind_of_marker_adds_5_once(marker: str, name: str) -> None:
    """Two of a kind are one marker."""
    verdict = judge(f"{prose(50)} {marker} {prose(20)} {marker} {prose(20)}")
    assert addends(verdict) == {"content": 30, name: 5}


def test_markers_add_30_at_most_and_a_report_with_all_scores_80() -> None:
    """30 + 10 + 10 + 6 x 5."""
    text = f"{REPORT}\nSource: https://a.ec/x\n\n{prose(200)}"
    assert judge(text).score_hundredths == 80


def test_two_markers_reach_the_threshold_exactly() -> None:
    """30 + 5 + 5 is 40 and passes: in floating point it would be 0.3999 and fail."""
    verdict = judge("The fee is $35 in 88 % of the provinces we asked about last year.", "report")
    assert (verdict.score_hundredths, verdict.outcome) == (40, "accept")
    assert verdict.score == 0.4


def test_below_the_threshold_a_report_is_rejected_and_an_answer_only_shows_its_score() -> None:
    """Short answers are good answers."""
    text = "The registry holds nine licensed vendors in all."
    assert judge(text, "report").outcome == "reject"
    assert judge(text, "report").threshold_hundredths == 40
    answer = judge(text, "answer")
    assert (answer.outcome, answer.score_hundredths, answer.threshold_hundredths) == (
        "accept",
        30,
        None,
    )


def test_planning_heavy_language_costs_15() -> None:
    """A fifth of the words announce work."""
    text = (
        f"{prose(60)}. Let me search for the fees. I will check the regulator's site. {prose(20)}."
    )
    assert addends(judge(text))["planning"] == -15


def test_a_bonus_of_the_workspace_counts_once_and_says_why() -> None:
    """Its reason and what was found are shown."""
    rules = parse_rules(
        '[[bonus]]\nname = "norm"\nhundredths = 7\nreason = "cites a norm"\nwords = ["Artículo"]\n',
        "q",
    )
    text = f"{prose(100)} articulo 12 y artículo 13."
    verdict = assess(text, TaskBrief("T", "?", profile="answer"), rules=rules)
    assert verdict.parts[-1].hundredths == 7
    assert verdict.parts[-1].reason == "cites a norm ('articulo')"


def test_the_score_stays_between_0_and_100() -> None:
    """However many bonuses a workspace writes."""
    bonus = '[[bonus]]\nname = "x{0}"\nhundredths = {1}\nreason = "y"\nregex = "court"\n'
    for sign, score in ((20, 100), (-20, 0)):
        rules = parse_rules("".join(bonus.format(i, sign) for i in range(9)), "q")
        text = prose(120)
        assert assess(text, TaskBrief("T", "?"), rules=rules).score_hundredths == score


def test_nothing_scores_nothing() -> None:
    """The base is for any content, and there is none."""
    assert judge(" \n ").score_hundredths == 0


def test_a_lower_threshold_accepts_more() -> None:
    """The threshold belongs to the workspace."""
    text = "The registry holds nine licensed vendors in all."
    assert assess(text, TaskBrief("T", "?"), rules=QualityRules(threshold_hundredths=30)).accepted


@pytest.mark.parametrize(
    "text", ["in 2024 there were", "about 12 maybe", "version 3.5", "march on"]
)
def test_a_year_or_a_number_alone_is_no_date(text: str) -> None:
    """A lone year stands in nearly every text and tells nothing."""
    assert not has_date(text)
