"""A text is divided by sentences: nothing is lost, and what may be cited holds no doubted claim."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.quality.claims import Claim
from daemon.quality.figure_claims import ESTIMATE
from daemon.quality.unverified import Divided, Doubt, divide, doubt_of

TEXT = """\
# Growth of 38 %

In 2024 it had 4,120 boats. [a.b] Of these, 77 % paid (cf. Art. 12). The rest
did not, in 1,999
cases. Done.

- First with 55 units. Second is good.
- Only 66 here.

| port | boats |
|---|---|
| x | 91 |
| y | 12 |
"""


def absent(text: str, *pieces: str) -> list[tuple[Claim, Doubt]]:
    found = ((piece, text.index(piece)) for piece in pieces)
    return [(Claim("figure", p, (at, at + len(p)), "absent"), "absent") for p, at in found]


def divided(*pieces: str) -> Divided:
    return divide(TEXT, absent(TEXT, *pieces))


@pytest.mark.parametrize(
    ("piece", "sentence"),
    [
        ("77 %", "Of these, 77 % paid (cf. Art. 12)."),
        ("1,999", "The rest did not, in 1,999 cases."),
        ("4,120", "In 2024 it had 4,120 boats. [a.b]"),
        ("55", "First with 55 units."),
        ("66", "Only 66 here."),
        ("91", "x | 91"),
    ],
)
def test_the_whole_sentence_goes_and_nothing_besides(piece: str, sentence: str) -> None:
    """Across lines, with its source mark, past an abbreviation; a row of a table as a whole."""
    found = divided(piece)
    assert [one.text for one in found.moved] == [sentence]
    assert piece not in found.body
    left = "".join(found.body.split()) + "".join(sentence.split())
    for word in TEXT.replace("|", " ").split():
        assert word.strip("|-") in left


def test_a_heading_stays_without_the_claim() -> None:
    """A text without its headings could not be read."""
    found = divided("38 %")
    assert found.body.startswith("# Growth of […]\n")
    assert found.moved[0].text == "Growth of 38 %"


def test_a_table_without_a_row_is_still_a_table() -> None:
    """No blank line is left in it, and an item that went leaves no mark behind."""
    body = divided("91", "66").body
    assert "|---|---|\n| y | 12 |" in body
    assert "\n- \n" not in body + "\n"


def test_several_claims_of_a_sentence_move_it_once() -> None:
    """Each with its doubt."""
    (moved,) = divided("77 %", "Art. 12").moved
    assert moved.doubts == (("77 %", "absent"), ("Art. 12", "absent"))


def test_nothing_doubted_leaves_the_text_as_it_is() -> None:
    """But for blank lines at its end."""
    assert divide(TEXT, []) == Divided(TEXT.strip("\n"), ())


def test_absent_and_weak_claims_are_doubted_and_own_estimates_are_not() -> None:
    """An estimate is marked as one by the text itself; a derived figure follows from the notes."""
    text, place = "12 boats came.", (0, 2)
    assert doubt_of(text, Claim("figure", "12", place, "absent")) == "absent"
    assert doubt_of(text, Claim("figure", "12", place, "weak", "a", (0, 2))) == "weak"
    assert doubt_of(text, Claim("quote", "x", place, "weak", note="not a sentence")) == "weak"
    assert doubt_of(text, Claim("figure", "12", place, "derived")) is None
    assert doubt_of(text, Claim("figure", "12", place, "supported", "a", (0, 2))) is None


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        ("My own estimate is 3 x 260 = 780 USD.", None),
        ("What follows is our own calculation. It is 3 x 260 = 780 USD.", None),
        ("| our estimate | 780 |", None),
        ("A night costs 780 USD. My own estimate is 3 x 4 = 12 USD.", "absent"),
        ("It is my own estimate. It is fine. A night costs 780 USD.", "absent"),
    ],
)
def test_an_estimate_is_what_its_sentence_or_the_one_before_calls_one(
    text: str, doubt: Doubt | None
) -> None:
    """A made-up figure is not excused by an estimate that follows it."""
    at = text.index("780")
    claim = Claim("figure", "780", (at, at + 3), "weak", note=ESTIMATE)
    assert doubt_of(text, claim) == doubt


@given(st.text(alphabet="ab1 .\n-|#*>[]`", max_size=200), st.data())
def test_no_text_is_too_strange(text: str, data: st.DataObject) -> None:
    """Any text with any place in it is divided; a doubted word is never left where it stood."""
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    found = divide(text, [(Claim("figure", text[start:end], (start, end), "absent"), "absent")])
    assert len(found.moved) == 1
    assert len(found.body) <= len(text) + len("[…]")
