"""Pages of hits, walls and pointers: several signs make one, a single sign means nothing."""

from __future__ import annotations

import pytest

from tests.unit.quality.judging import judge, rejecting

HITS = """Results for wheel alignment Ambato
Sponsored · wheelz-example.com · Book online
Images Videos Maps
Related: tyre shop near me
Next >"""
WALL = "This site uses cookies. Manage preferences. Accept. Reject. Only necessary."
POINTER = "All the details are on the ministry's website: www.agricultura.gob.ec."


@pytest.mark.parametrize(
    ("text", "check"),
    [
        (HITS, "structure.search_page"),
        (WALL, "structure.wall"),
        ("Marque las casillas con bicicletas. No soy un robot.", "structure.wall"),
        (POINTER, "structure.points_to_page"),
    ],
)
def test_a_page_instead_of_a_text_is_rejected(text: str, check: str) -> None:
    """Whichever site it is from."""
    assert check in rejecting(judge(text, "report"))


@pytest.mark.parametrize(
    "text",
    [
        "Results for the north are better: 412 t against 388 t, and the images confirm it.",
        "Cookies of the court's site expire after 20 minutes; 7 of 41 lawyers lose a form.",
        "The fee is $35, says www.funcionjudicial.gob.ec; a further copy costs $12.",
    ],
)
def test_one_sign_is_none(text: str) -> None:
    """A report may speak of results, cookies and addresses."""
    assert not [one for one in rejecting(judge(text, "report")) if one.startswith("structure.")]


def test_an_address_is_an_answer_where_one_was_asked_for() -> None:
    """The profile of answers leaves a pointer to the patterns."""
    assert "structure.points_to_page" not in rejecting(judge(POINTER, "answer"))
