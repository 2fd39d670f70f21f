from __future__ import annotations

import pytest

from tests.unit.quality.judging import judge


@pytest.mark.parametrize(
    ("text", "check"),
    [
        ("Shares are 40% + 30% + 20% = 100%.", "plausibility.sum"),
        ("Revenue rose from $40,000 to $50,000, that is 60%.", "plausibility.change"),
        (
            "Of the users 49%, 34% and 26% came by word, web and radio, in total 100%.",
            "plausibility.sum",
        ),
        ("Son 49 %, 34 % y 26 %, es decir, el 100 % de los usuarios.", "plausibility.sum"),
        (
            (
                "It spent $84,000: $31,000 on pumps, $27,500 on pipes and $19,200 on training, which together make up "
                "the whole."
            ),
            "plausibility.sum",
        ),
        (
            (
                "| Channel | Share |\n|---|---|\n| Word | 49% |\n| Web | 34% |\n| Radio | 26% |\n| Total | 100% |\n\n"
                "Most users came by word of mouth, as the table of the survey says."
            ),
            "plausibility.sum",
        ),
    ],
)
def test_what_does_not_add_up_is_marked_and_not_rejected(text: str, check: str) -> None:
    """In a sum, a change, a list of shares, parts of a whole, a table with a total."""
    verdict = judge(text, language="es" if "usuarios" in text else "en")
    assert [defect.check for defect in verdict.defects] == [check]
    assert verdict.outcome == "flag"


@pytest.mark.parametrize(
    "text",
    [
        "Shares are 40% + 35% + 25% = 100%.",
        "Revenue rose from $40,000 to $50,000, that is 25%.",
        "The rate went from 4 to 5, 1 % more.",
        "Of the users 49%, 34% and 17% came by word, web and radio, in total 100%.",
        "In total 33.3%, 33.3% and 33.3% are 100% of the vote.",
        "All of it was paid: 100% in May, and 20% and 45% of the next two bills, that is to say late.",
        "It spent $77,700: $31,000 on pumps, $27,500 on pipes and $19,200 on training, which together total that sum.",
        (
            "| Channel | Share |\n|---|---|\n| Word | 49% |\n| Web | 34% |\n| Radio | 17% |\n| Total | 100% |\n\n"
            "Most users came by word of mouth, as the table of the survey says."
        ),
        "| Firm | Growth |\n|---|---|\n| A | 49% |\n| B | 134% |\n| C | 26% |\n\nB grew by the most of all.",
    ],
)
def test_what_comes_out_or_is_no_whole_is_left_alone(text: str) -> None:
    """Right sums, rounding, shares of different things, tables without a total."""
    assert judge(text).outcome == "accept"
