"""The part of kill_criteria.yaml that code decides."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from daemon.workspace.criterion_tests import Bound, confidence_of
from daemon.workspace.kill_criteria import load_criteria
from tests.unit.workspace.sample_files import ROOT

HEAD = """\
criteria:
  - id: KC1
    name: Boats
    question: Do the owners pay?
    evidence: Signed offers.
    threshold: Five of twenty-five.
    deadline: 2027-06-30
    if_failed: Close the harbour.
"""
TEST = """\
    tests:
      - id: paying
        measure: Owners that pay
        words: [pay | paid, priced offer]
        unit: owners | skippers
        of: 25
        go: ">= 5"
        no_go: "< 2"
"""


def faults_of(root: Path, more: str) -> list[str]:
    (root / "kill_criteria.yaml").write_text(HEAD + more)
    return [str(fault) for fault in load_criteria(root).faults]


def test_a_file_without_tests_stays_valid(tmp_path: Path) -> None:
    """It was written before there were any; nothing decides its criteria."""
    assert faults_of(tmp_path, "") == []
    (criterion,) = load_criteria(tmp_path).nouns
    assert criterion.tests == ()


def test_a_test_and_a_statement_are_read(tmp_path: Path) -> None:
    """Alternatives at the bars, bounds as numbers, needs with their defaults."""
    rubric = """\
    rubric:
      - id: permission
        statement: The council permits it
        supports: [council, written permission]
        refutes: [council, refused]
        needs: {sources: 2, max_age_days: 90, confidence: 0.75, from: [memory/log/]}
        weight: 3
"""
    assert faults_of(tmp_path, TEST + rubric) == []
    paying, permission = load_criteria(tmp_path).nouns[0].tests
    assert paying.looks.words == (("pay", "paid"), ("priced offer",))
    assert (paying.looks.unit, paying.looks.of) == (("owners", "skippers"), 25)
    assert (paying.go, paying.no_go) == (Bound(">=", Decimal(5)), Bound("<", Decimal(2)))
    assert (paying.needs.sources, paying.needs.max_age_days, paying.needs.confidence) == (
        1,
        365,
        0.6,
    )
    assert permission.go is None
    assert permission.refutes
    assert permission.needs.places == ("memory/log/",)
    assert (permission.needs.confidence, permission.weight) == (0.75, 3)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('">= 5"', "5", 'criteria[0].tests[0].go: expects a comparison in quotes such as ">= 5"'),
        ('"< 2"', '"< 6"', "go >= 5 and no_go < 6 are both true of some figures"),
        ('"< 2"', '"= 5"', "go >= 5 and no_go = 5 are both true of some figures"),
        ("no_go:", "nogo:", "unknown key; did you mean no_go?"),
        ("[pay | paid, priced offer]", '["|", pay]', "tests[0].words[0]: has no word in it"),
        ("of: 25", "of: 0", "tests[0].of: must be at least 1, found 0"),
        (
            "of: 25",
            "needs: {confidence: sure}",
            "expects low, medium, high or a number from 0 to 1",
        ),
        ("of: 25", "needs: {from: [memory/findings/]}", "is where models write"),
        ("of: 25", "needs: {from: [../x]}", "leaves its folder"),
        ("of: 25", "guards: [other]", "has guards but no void"),
        ("of: 25", 'void: "< 1"\n        guards: [other]', "guards other, which is no test"),
    ],
)
def test_a_fault_names_file_line_and_key(old: str, new: str, fault: str, tmp_path: Path) -> None:
    """And what is wrong, in words that say what to write."""
    (found,) = faults_of(tmp_path, TEST.replace(old, new, 1))
    assert found.startswith("kill_criteria.yaml:")
    assert fault in found


def test_two_tests_of_one_name_are_a_fault(tmp_path: Path) -> None:
    """Reports name tests by their ids."""
    rubric = "    rubric:\n      - {id: Paying, statement: s, supports: [council]}\n"
    (found,) = faults_of(tmp_path, TEST + rubric)
    assert "has 2 tests or statements with the id paying" in found


def test_confidence_is_a_word_or_a_share() -> None:
    """Anything else is none."""
    assert [confidence_of(one) for one in ("high", "Low", "0.45", "1.0")] == [0.9, 0.3, 0.45, 1.0]
    assert [confidence_of(one) for one in ("sure", "1.5", "-1", None, "")] == [None] * 5


def test_every_criterion_of_the_sample_has_tests() -> None:
    """And each of them takes our own records only, never what others publish, but for the register."""
    for criterion in load_criteria(ROOT).nouns:
        assert criterion.tests, criterion.id
        for test in criterion.tests:
            own = all("/our-" in place for place in test.needs.places)
            assert test.id == "official-count" or (own and test.needs.places), test.id


def test_more_tests_than_can_be_read_each_time_are_a_fault(tmp_path: Path) -> None:
    """A thousand of them held up the review and every page for minutes."""
    one = TEST.removeprefix("    tests:\n")
    many = "".join(one.replace("id: paying", f"id: paying-{number}") for number in range(51))
    assert faults_of(tmp_path, f"    tests:\n{many}") == [
        "kill_criteria.yaml:9: criteria[0].tests: must have at most 50 entries, found a list"
    ]
