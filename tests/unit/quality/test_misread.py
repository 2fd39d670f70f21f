from __future__ import annotations

from daemon.quality.verdict import Profile
from tests.unit.quality.judging import judge, rejecting


def defects(text: str, language: str = "es", profile: Profile = "report") -> list[str]:
    return [
        one for one in rejecting(judge(text, profile, language)) if one != "score.below_threshold"
    ]


def test_an_accent_tells_claimed_work_from_advice() -> None:
    """ "Llamé al proveedor" claims; "llame al proveedor" tells the reader what to do."""
    assert defects(
        "Llamé al proveedor y hablé con la jefa de ventas de la planta.", profile="answer"
    )
    assert not defects(
        "Llame al proveedor y hable con la jefa de ventas de la planta.", profile="answer"
    )


def test_claimed_work_beside_a_figure_has_something_to_show() -> None:
    """The same claim is empty alone."""
    claim = "I phoned the market office and spoke with the manager there."
    assert defects(claim, "en")
    assert not defects(f"Eight of 33 stalls accept cards. {claim}", "en")


def test_a_law_is_no_plan() -> None:
    """What an authority will examine is not what the writer will."""
    text = (
        "The controller shall notify the authority. The notification will identify the data and will present"
        " the measures taken. The authority shall review the notice."
    )
    assert not defects(text, "en")
