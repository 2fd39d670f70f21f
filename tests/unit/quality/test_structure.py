from __future__ import annotations

import pytest

from daemon.quality.verdict import Profile
from tests.unit.quality.judging import REPORT, judge, rejecting


@pytest.mark.parametrize(
    ("text", "check"),
    [
        ("", "structure.empty"),
        ("\n \t", "structure.empty"),
        ("# Size\n\n# Rivals\n\n# Prices\n\n# Verdict", "structure.empty_outline"),
        ("**Tamaño**\n\n**Rivales**\n\n**Precios**\n\n**Veredicto**", "structure.empty_outline"),
        ("- [ ] Find fees\n- [ ] Ask ten firms\n- [ ] Write it down", "structure.unchecked_boxes"),
        ("| Firm | Price |\n|---|---|\n| A | N/A |\n| B | n/d |\n| C | - |", "structure.na_table"),
        ("- https://a.ec/1\n- https://a.ec/2", "structure.only_links"),
        ("1. [Fees](https://a.ec/1)\n2. [Courts](https://a.ec/2)", "structure.only_links"),
        ("1. Search fees.\n2. Compare vendors.\n3. Write the report.", "structure.only_steps"),
        ("1. Buscar tasas\n2. Comparar precios\n3. Redactar el informe", "structure.only_steps"),
        ("Which court do you mean? Civil or criminal?", "structure.only_questions"),
        ("Para ayudarle mejor, ¿qué provincia le interesa?", "structure.only_questions"),
        (
            "Demand is 312 firms [1], the fee $35 [7].\n\n## Sources\n1. Survey",
            "structure.citations",
        ),
    ],
)
def test_a_shape_without_content_is_rejected(text: str, check: str) -> None:
    """Each shape by its own check."""
    assert check in rejecting(judge(text))


@pytest.mark.parametrize(
    ("text", "profile"),
    [
        ("- [ ] Find fees by 3 May\n- [ ] Ask ten firms by 9 May\n- [x] Rent a room", "plan"),
        ("1. Search fees.\n2. Compare vendors.\n3. Write the report.", "plan"),
        ("# Parties\n\n# Term\n\n# Price\n\n# Signatures", "template"),
        ("| Field | Value |\n|---|---|\n| Name | |\n| Date | |\n| City | |", "template"),
    ],
)
def test_what_was_asked_for_is_not_a_defect(text: str, profile: Profile) -> None:
    """A plan is a plan, a form is a form."""
    assert [
        check for check in rejecting(judge(text, profile)) if check != "score.below_threshold"
    ] == []


@pytest.mark.parametrize(
    "text",
    [
        "# Report\n\n## Size\n\n312 firms would pay.\n\n## Rivals\n\nNine vendors are licensed.",
        "| Firm | Price |\n|---|---|\n| A | $35 |\n| B | N/A |\n| C | $49 |",
        "The fee table is at https://a.ec/fees and sets $35 for a first copy in 21 provinces.",
        "Results: 1. Search takes 40 minutes. 2. Nine vendors are licensed.",
        "Who would pay? Of 41 lawyers, 29 would.",
        "Demand is 312 firms [1], the fee $35 [2].\n\n## Sources\n1. Survey\n2. Fee table",
        REPORT,
    ],
)
def test_a_shape_with_content_is_left_alone(text: str) -> None:
    """One missing cell, one link, one question make no defect."""
    assert rejecting(judge(text)) == []


def test_a_text_that_stops_in_mid_sentence_is_marked_with_its_place() -> None:
    """It may still be useful; a person sees the mark."""
    verdict = judge("Nine vendors are licensed. The three largest are LegalSoft, which charges")
    assert verdict.outcome == "flag"
    (defect,) = verdict.defects
    assert defect.check == "structure.cut_end"
    assert defect.span is not None
    assert verdict.cleaned_text[slice(*defect.span)].endswith("which charges")


def test_three_words_are_no_report_but_may_be_an_answer() -> None:
    """The profile decides."""
    assert "structure.near_empty" in rejecting(judge("Nine licensed vendors.", "report"))
    assert judge("Nine licensed vendors.", "answer").outcome == "accept"


def test_a_long_report_with_many_empty_cells_is_marked_only() -> None:
    """The rest of it may carry it."""
    table = "\n| Firm | Price |\n|---|---|\n| A | N/A |\n| B | N/A |\n| C | N/A |\n\nThat is all we know.\n"
    verdict = judge(REPORT + table, "report")
    assert [defect.check for defect in verdict.defects] == ["structure.na_table"]
    assert verdict.outcome == "flag"


@pytest.mark.parametrize("sign", ["\ufffd", "\ue000", "\U0010fffd", "\u0378"])
def test_a_text_of_signs_that_stand_for_nothing_is_rejected(sign: str) -> None:
    """One in fifty is a broken encoding; a single one in a report is a slip."""
    broken = REPORT.replace("a", sign)
    assert broken.count(sign) * 50 > len(broken)
    assert "structure.noise" in rejecting(judge(broken))
    assert "structure.noise" not in rejecting(judge(f"{REPORT} {sign}"))


def test_letters_of_other_scripts_are_no_noise() -> None:
    """Accents, Greek, Chinese and emoji stand for something."""
    text = f"{REPORT}\n\nÁéñ ü Ωμέγα 市场 👩‍💻 👍 „quote“ — ½ €."
    assert "structure.noise" not in rejecting(judge(text))
