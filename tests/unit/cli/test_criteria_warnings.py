"""Tests of the kill criteria for which nothing can ever count are told by check, with place and cure."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.cli.criteria_warnings import criteria_warnings
from tests.unit.cli.small import as_json
from tests.workspaces import ROOT

HEAD = """\
criteria:
  - id: KC
    name: Berths
    question: Do the owners pay?
    evidence: Paid bills.
    threshold: Five.
    deadline: 2027-06-30
    if_failed: Close the harbour.
"""
PAYING = """\
    tests:
      - id: paying
        measure: Owners that pay, of 25
        words: [pay | paid]
        unit: owners
        of: 25
        go: ">= 5"
"""
PERMIT = """\
    rubric:
      - id: permit
        statement: The council has given a permit
        supports: [council, permit]
"""


def told(root: Path, *changes: tuple[str, str]) -> list[tuple[int, str, str, str]]:
    """Line, key, message and cure of each warning about the criterion with these changes."""
    text = HEAD + PAYING + PERMIT
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    (root / "kill_criteria.yaml").write_text(text)
    return [(one.line, one.key, one.message, one.cure) for one in criteria_warnings(root)]


def test_sound_tests_warn_of_nothing(tmp_path: Path) -> None:
    """Neither this one nor any of the sample's."""
    assert told(tmp_path) == []
    assert list(criteria_warnings(ROOT)) == []


def test_an_intention_as_measure_is_told_with_its_word_and_cure(tmp_path: Path) -> None:
    """A sentence that says so is read as no result; with the word among the test's own it counts."""
    would = ("Owners that pay, of 25", "Owners that say they would pay, of 25")
    assert told(tmp_path, would) == [
        (
            11, "criteria[0].tests[0].measure",
            'paying: a sentence with "would" never counts, for it is no plain result',
            'measure what was done, or put "would" with its verb into `words`',
        )
    ]  # fmt: skip
    assert told(tmp_path, would, ("[pay | paid]", "[would pay]")) == []


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("Owners that intend to pay, of 25", "intend"),
        ("Owners that are willing to pay, of 25", "willing"),
        ("Propietarios interesados en la oferta, de 25", "interesados"),
        ("Owners that did not pay, of 25", "not"),
        ("Berths needed to break even, of 25", "needed"),
    ],
)
def test_every_kind_of_word_that_never_counts_is_named(
    tmp_path: Path, said: str, word: str
) -> None:
    """Intentions, needs and denials, in both languages."""
    (warning,) = told(tmp_path, ("Owners that pay, of 25", said))
    assert f'"{word}"' in warning[2]


def test_a_statement_is_told_too(tmp_path: Path) -> None:
    """With the line and the key of the rubric, counted from its own first entry."""
    (warning,) = told(tmp_path, ("has given a permit", "is expected to give a permit"))
    assert warning[:2] == (18, "criteria[0].rubric[0].statement")
    assert '"expected"' in warning[2]
    assert warning[3].endswith("into `supports`")


@pytest.mark.parametrize(
    ("old", "new", "key", "said"),
    [
        (
            "unit: owners\n        of: 25",
            "unit: percent",
            "unit",
            "has no figure of the unit: percent",
        ),
        ("unit: owners\n        of: 25", "unit: dollars | euros", "unit", "dollars | euros"),
        ("[pay | paid]", "[pay]\n        unless: [paying]", "unless", "among its own words"),
        ("[pay | paid]", '["pay; in full"]', "unit", "no figure"),
        ("[pay | paid]", '["7 paid"]', "words", "more than one figure"),
    ],
)
def test_a_test_that_even_its_own_words_cannot_meet_is_told(
    tmp_path: Path, old: str, new: str, key: str, said: str
) -> None:
    """Units that are no nouns, words that exclude themselves, figures among the words."""
    (warning,) = told(tmp_path, (old, new))
    assert warning[1] == f"criteria[0].tests[0].{key}"
    assert said in warning[2]
    assert warning[3]


def test_check_warns_and_does_not_fail(small: Path) -> None:
    """The file works as it stands; it only never comes to a verdict."""
    file = small / "kill_criteria.yaml"
    wish = PAYING.replace("that pay", "that hope to pay")
    file.write_text(file.read_text().rstrip() + "\n" + wish)
    found = as_json(small, "check")
    assert found["ok"] is True
    assert ["hope" in one["message"] for one in found["warnings"]] == [True]
