from __future__ import annotations

import pytest

from tests.unit.quality.judging import judge


@pytest.mark.parametrize(
    ("text", "check"),
    [
        ("The hearing was on 2025-02-30 in Quito.", "plausibility.date"),
        ("La audiencia fue el 31 de abril en Quito.", "plausibility.date"),
        ("The 2031 census was published in March 2019.", "plausibility.date"),
        ("Shares are 40% + 30% + 20% = 100%.", "plausibility.sum"),
        ("Revenue rose from $40,000 to $50,000, that is 60%.", "plausibility.change"),
        ("All figures were verified on the official site.", "plausibility.claimed_check"),
    ],
)
def test_what_cannot_be_right_is_marked_and_not_rejected(text: str, check: str) -> None:
    """A person decides; the mark names the place."""
    verdict = judge(text, language="es" if "audiencia" in text else "en")
    assert [defect.check for defect in verdict.defects] == [check]
    assert verdict.outcome == "flag"


@pytest.mark.parametrize(
    "text",
    [
        "The hearing was on 2024-02-29 and 31 March 2025.",
        "Shares are 40% + 35% + 25% = 100%.",
        "Revenue rose from $40,000 to $50,000, that is 25%.",
        "The 2010 census was published in March 2012.",
        "The rate went from 4 to 5, 1 % more.",
    ],
)
def test_what_comes_out_is_left_alone(text: str) -> None:
    """Leap days and right sums."""
    assert judge(text).outcome == "accept"


def test_a_text_in_the_other_language_is_marked() -> None:
    """English where Spanish is the workspace's, and the other way round."""
    english = "The market for legal software in the country is small and it is held by nine firms."
    spanish = "El mercado de software legal del país es pequeño y está en manos de nueve empresas."
    assert judge(english, language="es").outcome == "flag"
    assert judge(spanish, language="en").outcome == "flag"
    assert judge(english, language="en").outcome == "accept"
    assert judge(spanish, language="es").outcome == "accept"


def test_sources_quoted_in_another_language_do_not_change_the_text_s_own() -> None:
    """The author's prose decides."""
    text = 'La ley dice que es libre: "the text of the law is free for all of the people in the country".'
    assert judge(text, language="es").outcome == "accept"
