from __future__ import annotations

import pytest

from daemon.quality.verdict import Profile
from tests.unit.quality.judging import REPORT, judge, rejecting

STEPS = [
    "1. Identify the operators in Manta.\n2. Visit their sites.\n3. Call three of them.\n4. Compare the results.",
    "1. Obtener el listado.\n2. Clasificar por tamaño.\n3. Contactar a una muestra.\n4. Redactar las conclusiones.",
    "Paso 1: extraer los registros.\nPaso 2: segmentar a los usuarios.\nPaso 3: aplicar una encuesta breve.",
    "Phase 1 – Desk review of prices.\nPhase 2 – Interviews with three mills.\nPhase 3 – Write-up and review.",
    "1. Raccogliere i dati.\n2. Intervistare i vivaisti.\n3. Confrontare i prezzi.\n4. Scrivere le conclusioni.",
]
METHODS = [
    (
        "A mixed-methods approach was adopted. Semi-structured interviews were held with managers chosen by purposive "
        "sampling, complemented by a questionnaire. Interviews were transcribed and coded by independent reviewers."
    ),
    (
        "El estudio siguió un diseño no experimental, transversal y de enfoque mixto. La muestra se determinó mediante "
        "muestreo aleatorio estratificado y se aplicó un cuestionario validado por juicio de expertos."
    ),
]


@pytest.mark.parametrize("text", STEPS)
def test_a_list_of_steps_is_no_result(text: str) -> None:
    """Numbered, labelled, in several languages."""
    assert "structure.only_steps" in rejecting(judge(text, "report"))


@pytest.mark.parametrize("text", STEPS)
def test_a_plan_that_was_asked_for_is_one(text: str) -> None:
    """The profile switches the check off."""
    assert "structure.only_steps" not in rejecting(judge(text, "plan"))


def test_phases_with_results_are_left_alone() -> None:
    """What happened in them is told in whole sentences."""
    text = (
        "Phase 1: of the 41 mills that were asked, 29 answered and 12 did not, most of them because of the harvest.\n"
        "Phase 2: prices fell by 9% in the second quarter, which the mills explain with imports from the south."
    )
    assert "structure.only_steps" not in rejecting(judge(text, "report"))


@pytest.mark.parametrize("text", METHODS)
def test_method_without_a_result_is_rejected(text: str) -> None:
    """In the words of methodology, without a figure."""
    assert "structure.only_method" in rejecting(judge(text, "report"))


@pytest.mark.parametrize(
    ("text", "profile"),
    [
        (f"{METHODS[0]} Most managers said that vaccines arrive late.", "report"),
        (f"{METHODS[0]} 29 of 41 would pay.", "report"),
        (METHODS[0], "plan"),
        (f"## Method\n\n{METHODS[0]}\n\n{REPORT}", "report"),
    ],
)
def test_method_beside_a_result_is_left_alone(text: str, profile: Profile) -> None:
    """A report says how it was made."""
    assert "structure.only_method" not in rejecting(judge(text, profile))
