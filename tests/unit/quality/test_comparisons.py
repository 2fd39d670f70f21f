from __future__ import annotations

import pytest

from daemon.quality.comparisons import against_own_figures
from daemon.quality.normalise import read


def marks(text: str) -> int:
    found = list(against_own_figures(read(text)))
    assert not any(one.rejects for one in found)
    return len(found)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        (
            "Andina asks $1,240, Sierra asks $1,090. Andina is therefore the cheaper of the two.",
            "Andina asks $1,240, Sierra asks $1,090. Sierra is therefore the cheaper of the two.",
        ),
        (
            "Sales rose from 8,400 units in March to 7,100 in May.",
            "Sales fell from 8,400 units in March to 7,100 in May.",
        ),
        (
            "Las ventas fueron de 8.400 unidades antes y de 7.100 después. Las ventas subieron.",
            "Las ventas fueron de 8.400 unidades antes y de 7.100 después. Las ventas bajaron.",
        ),
        (
            "Of 210 growers, 64 use drip irrigation. Most growers therefore use drip irrigation.",
            "Of 210 growers, 146 use drip irrigation. Most growers therefore use drip irrigation.",
        ),
    ],
)
def test_what_the_own_figures_deny_is_marked(wrong: str, right: str) -> None:
    """And what they confirm is not."""
    assert marks(wrong) == 1
    assert marks(right) == 0


def test_a_name_with_two_figures_is_not_compared() -> None:
    """Which of them is the price cannot be told."""
    text = "Andina asks $1,240. Andina delivers in 12 days. Sierra asks $1,090. Andina is the cheaper one."
    assert marks(text) == 0
