from __future__ import annotations

import pytest

from tests.unit.quality.judging import judge


@pytest.mark.parametrize(
    ("text", "check"),
    [
        ("The hearing was on 2025-02-30 in Quito.", "plausibility.date"),
        ("La audiencia fue el 31 de abril en Quito.", "plausibility.date"),
        ("The 2031 census was published in March 2019.", "plausibility.date"),
        ("El convenio se firmó el 29 de febrero de 2023 en Quito.", "plausibility.date"),
        ("The strike ended on September 31, 2022 at night.", "plausibility.date"),
        (
            "I called the registry this morning and confirmed the fee of $7.",
            "plausibility.claimed_check",
        ),
        ("Llamé por teléfono al registro y comprobé el valor de $7.", "plausibility.claimed_check"),
        ("All figures were verified on the official site.", "plausibility.claimed_check"),
    ],
)
def test_what_cannot_be_right_is_marked_and_not_rejected(text: str, check: str) -> None:
    """A person decides; the mark names the place."""
    verdict = judge(text, language="es" if {"el", "al"} & set(text.split()) else "en")
    assert [defect.check for defect in verdict.defects] == [check]
    assert verdict.outcome == "flag"


@pytest.mark.parametrize(
    "text",
    [
        "The hearing was on 2024-02-29 and 31 March 2025.",
        "The hearing was on 29 February 2024, and 31 May 2025 is a holiday.",
        "Not all figures were verified; the fee of the second copy is from a blog.",
        "The clerk said that I called the wrong office, and gave the fee of $7.",
        "The 2010 census was published in March 2012.",
    ],
)
def test_what_comes_out_is_left_alone(text: str) -> None:
    """Leap days, honest doubts, what somebody else said."""
    assert judge(text).outcome == "accept"
