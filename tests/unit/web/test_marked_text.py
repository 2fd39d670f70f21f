"""Marks stand where the verdict says, whatever overlaps, and nothing of the text is lost."""

from __future__ import annotations

import random

from daemon.quality.claims import Claim
from daemon.quality.verdict import Defect, Verdict
from daemon.web.marked_text import LONGEST, MOST_MARKS, Piece, mark_text

TEXT = "Peru has 248 lawyers. Ecuador has 44."


def verdict(text: str = TEXT, claims: tuple[Claim, ...] = (), *spans: tuple[int, int]) -> Verdict:
    defects = tuple(Defect("x", "y", rejects=True, span=span) for span in spans)
    return Verdict("reject", 0, (), defects, text, claims=claims)


def test_a_claim_and_a_defect_are_marked_where_they_stand() -> None:
    """A claim within a defect's sentence is both."""
    claims = (
        Claim("figure", "248", (9, 12), "supported"),
        Claim("figure", "44", (34, 36), "absent"),
    )
    assert mark_text(verdict(TEXT, claims, (22, 37))).pieces == (
        Piece("Peru has "),
        Piece("248", "supported"),
        Piece(" lawyers. "),
        Piece("Ecuador has ", "", (1,)),
        Piece("44", "absent", (1,)),
        Piece(".", "", (1,), (1,)),
    )


def test_of_claims_that_overlap_the_one_that_needs_an_eye_is_shown() -> None:
    """A reader must not take a doubtful figure for a good one."""
    claims = (
        Claim("figure", "248", (9, 12), "supported"),
        Claim("figure", "24", (9, 11), "absent"),
    )
    assert [one.status for one in mark_text(verdict(TEXT, claims)).pieces if one.status] == [
        "absent",
        "supported",
    ]


def test_whatever_the_spans_are_the_text_is_whole() -> None:
    """Also for spans that are empty, turned around or beyond the text."""
    dice = random.Random(7)
    for _ in range(300):
        spans = [(dice.randint(-3, 45), dice.randint(-3, 45)) for _ in range(6)]
        claims = tuple(Claim("figure", "x", span, "weak") for span in spans[:3])
        found = mark_text(verdict(TEXT, claims, *spans[3:]))
        assert "".join(one.text for one in found.pieces) == TEXT
        fitting = {number for number, (a, b) in enumerate(spans[3:], 1) if 0 <= a < b <= len(TEXT)}
        assert {number for one in found.pieces for number in one.ends} == fitting


def test_a_long_answer_is_cut_and_so_are_many_marks() -> None:
    """The page says that there is more."""
    claims = tuple(Claim("figure", "x", (n, n + 1), "weak") for n in range(MOST_MARKS + 5))
    found = mark_text(verdict("x" * (LONGEST + 1), claims))
    assert found.is_cut
    assert found.marks_left_out == 5
    assert "".join(one.text for one in found.pieces) == "x" * LONGEST
    assert not mark_text(verdict("")).is_cut
