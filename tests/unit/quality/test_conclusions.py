from __future__ import annotations

import pytest

from daemon.quality.conclusions import against_own_numbers
from daemon.quality.normalise import clean, read
from daemon.quality.verdict import TaskBrief

RATE = "Did the trial pay off? Go ahead only if the repeat rate is above 30% and the cost per user is below $2."
META = "Determine si el piloto alcanzó la meta de 200 consultas por semana con menos de 10 % de cancelaciones."


def marked(question: str, text: str) -> list[str]:
    brief = TaskBrief("T", question)
    return [one.check for one in against_own_numbers(read(clean(text)), brief)]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (RATE, "The repeat rate was 19% and the cost per user $3.40. The trial meets the bar."),
        (RATE, "The repeat rate was 44% and the cost per user $1.10, so it fails the test: NO-GO."),
        (
            META,
            "Hubo 124 consultas por semana y 23 % de cancelaciones. La meta se cumplió con holgura.",
        ),
        (META, "Hubo 260 consultas por semana y 4 % de cancelaciones; la meta no se cumplió."),
    ],
)
def test_a_conclusion_against_its_own_figures_is_marked(question: str, text: str) -> None:
    """Whichever way it errs, in English and Spanish."""
    assert marked(question, text) == ["conclusion.own_numbers"]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (RATE, "The repeat rate was 44% and the cost per user $1.10. The trial meets the bar."),
        (RATE, "The repeat rate was 19% and the cost per user $3.40, so it falls short: NO-GO."),
        (RATE, "The repeat rate was 19%, so the trial did not meet the bar."),
        (RATE, "The trial meets the bar."),
        (META, "Hubo 260 consultas por semana y 4 % de cancelaciones. La meta se cumplió."),
        (META, "Hubo 124 consultas por semana, de modo que la meta no se cumplió."),
        ("What does it cost?", "It costs $3.40, and that meets the bar."),
        (RATE, "The repeat rate was 19% in May and 41% in June. The trial meets the bar."),
    ],
)
def test_what_agrees_or_cannot_be_told_is_left_alone(question: str, text: str) -> None:
    """No bar, no figure for it, or several of them."""
    assert marked(question, text) == []


def test_it_never_rejects() -> None:
    """A person decides."""
    text = "The repeat rate was 19% and the cost per user $3.40. The trial meets the bar."
    (defect,) = against_own_numbers(read(text), TaskBrief("T", RATE))
    assert not defect.rejects
    assert "19%" in defect.message
