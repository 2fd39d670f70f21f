from __future__ import annotations

import pytest

from daemon.quality.assessment import assess
from daemon.quality.claims import Claim, ClaimKind, ClaimStatus, SourceNote
from daemon.quality.grounding import claim_defects, ground
from daemon.quality.normalise import read
from daemon.quality.rules import QualityRules
from daemon.quality.verdict import TaskBrief
from tests.unit.quality.judging import REPORT

BRIEF = TaskBrief("T", "Who pays for a search of rulings?")


def claim(
    text: str,
    status: ClaimStatus,
    kind: ClaimKind = "figure",
    note: str = "",
    *,
    placed: bool = False,
) -> Claim:
    return Claim(kind, text, (0, len(text)), status, place=(0, 1) if placed else None, note=note)


def defects(*claims: Claim) -> list[tuple[str, bool]]:
    return [(one.check, one.rejects) for one in claim_defects(claims)]


def test_two_absent_figures_of_few_reject_and_are_named() -> None:
    """The next attempt is told which."""
    found = list(claim_defects([claim("37 %", "absent"), claim("4,500", "absent")]))
    assert [(one.check, one.rejects) for one in found] == [("grounding.absent", True)]
    assert found[0].message.startswith("These figures are in no note: 37 %; 4,500.")


def test_one_absent_figure_marks_only() -> None:
    """One slip in a report is shown, not thrown away."""
    assert defects(claim("37 %", "absent")) == [("grounding.absent", False)]


def test_absent_figures_below_a_tenth_mark_only() -> None:
    """Two of forty."""
    many = [claim(str(number), "supported") for number in range(38)]
    assert defects(claim("a", "absent"), claim("b", "absent"), *many) == [
        ("grounding.absent", False)
    ]


def test_weak_figures_mark_by_their_reason() -> None:
    """Elsewhere, another's, and the text's own."""
    assert defects(
        claim("13", "weak", placed=True),
        claim("14", "weak", note="it stands there beside A, not B", placed=True),
        claim("15", "weak", note="the text's own estimate, with its arithmetic"),
    ) == [("grounding.owner", False), ("grounding.weak", False), ("grounding.unproven", False)]


@pytest.mark.parametrize("kind", ["url", "norm"])
def test_an_absent_address_or_norm_rejects(kind: ClaimKind) -> None:
    """One is enough: it sends a reader to nothing."""
    assert defects(claim("x", "absent", kind)) == [(f"grounding.{kind}", True)]


def test_a_quotation_in_no_note_rejects_from_five_words() -> None:
    """A short one may be a term."""
    assert defects(claim("we pay by the hour", "absent", "quote")) == [("grounding.quote", True)]
    assert defects(claim("by the hour", "absent", "quote")) == [("grounding.quote", False)]


def test_supported_and_derived_claims_are_no_defects() -> None:
    """Nothing to say."""
    assert defects(claim("13", "supported"), claim("14", "derived", note="20 - 6")) == []


def test_nothing_is_looked_up_without_sources() -> None:
    """There is nothing to look in."""
    assert ground(read(REPORT), BRIEF, ()) == ()


def test_figures_of_a_report_on_its_own_notes_are_no_defects() -> None:
    """Extracted and derived figures stand."""
    verdict = assess(REPORT, BRIEF, rules=QualityRules(), sources=[SourceNote("n", REPORT)])
    assert [one.check for one in verdict.defects if one.check.startswith("grounding")] == []
    assert {one.status for one in verdict.claims} <= {"supported", "derived"}


def test_a_report_with_every_figure_changed_is_rejected() -> None:
    """Randomised digits once passed in 148 of 148 reports."""
    changed = REPORT.translate(str.maketrans("123456789", "819246357"))
    verdict = assess(changed, BRIEF, rules=QualityRules(), sources=[SourceNote("n", REPORT)])
    assert verdict.outcome == "reject"
    assert any(one.check == "grounding.absent" for one in verdict.defects)
