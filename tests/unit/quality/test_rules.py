from __future__ import annotations

from pathlib import Path

import pytest

from daemon.errors import WorkspaceInvalid
from daemon.quality.assessment import assess
from daemon.quality.rules import QualityRules, parse_rules
from daemon.quality.verdict import TaskBrief

SAMPLE = Path(__file__).parents[3] / "quality.toml"
PATTERN = """
[[pattern]]
id = "rumour"
where = "{where}"
words = ["se rumorea", "rumour has it"]
message = "It passes on a rumour."
catches = "Se rumorea que Clio vendrá."
leaves = "Clio vendrá, dijo su gerente el 3 de mayo."
"""


def faults(text: str) -> list[tuple[int, str]]:
    with pytest.raises(WorkspaceInvalid) as caught:
        parse_rules(text, "quality.toml")
    assert all(fault.file == "quality.toml" for fault in caught.value.faults)
    return [(fault.line, fault.key) for fault in caught.value.faults]


def test_no_text_means_the_package_s_own_rules() -> None:
    """The threshold is then 40, and no other file can set it."""
    assert parse_rules("", "q") == QualityRules()
    assert parse_rules("", "q").threshold_hundredths == 40
    assert parse_rules("threshold_hundredths = 30", "q").threshold_hundredths == 30


def test_the_sample_is_valid_and_its_bonuses_find_their_field() -> None:
    """The shipped file is its own documentation, so it must work."""
    rules = parse_rules(SAMPLE.read_text("utf-8"), "quality.toml")
    text = (
        "El artículo 76 y la sentencia 1158-17-EP/21 de la Corte Constitucional. Encuesta a 41 abogados. "
        "Lexis cobra $40 al mes."
    )
    parts = assess(text, TaskBrief("T", "?", language="es"), rules=rules).parts
    assert {part.name for part in parts} >= {
        "cited norm", "ruling by number", "named authority", "sample size",
        "product named with its price"}  # fmt: skip


@pytest.mark.parametrize("where", ["sentence", "head", "tail", "whole"])
def test_a_pattern_of_the_workspace_rejects_a_short_text(where: str) -> None:
    """Its message is the reason that the next attempt reads."""
    rules = parse_rules(PATTERN.format(where=where), "q")
    verdict = assess(
        "Se rumorea que Clio vendrá.", TaskBrief("T", "?", "answer", "es"), rules=rules
    )
    assert verdict.reasons == ("It passes on a rumour.",)
    assert verdict.defects[0].check == "domain.rumour"


def test_all_faults_are_told_at_once_with_line_and_key() -> None:
    """One round of corrections is enough."""
    text = (
        "threshold_hundredths = 140\n"
        "colour = 1\n"
        "\n"
        "[[bonus]]\n"
        'name = "a"\n'
        "hundredths = 90\n"
        'regex = "x"\n'
        "\n"
        "[[bonus]]\n"
        'name = "b"\n'
        "hundredths = true\n"
        'words = ["x"]\n'
        "weight = 1\n"
        "\n"
        "[[pattern]]\n"
        'id = "P"\n'
        'message = "m"\n'
        'regex = "("\n'
    )
    assert faults(text) == [
        (1, "threshold_hundredths"),
        (2, "colour"),
        (6, "bonus[0].hundredths"),
        (11, "bonus[1].hundredths"),
        (13, "bonus[1].weight"),
        (15, "pattern[0].catches"),
        (15, "pattern[0].leaves"),
        (16, "pattern[0].id"),
        (18, "pattern[0].regex"),
    ]


def test_an_example_that_does_not_hold_is_a_fault() -> None:
    """A pattern that catches what it should leave would reject good work all night."""
    wrong = (
        PATTERN.format(where="sentence")
        .replace("Se rumorea que", "Dicen que")
        .replace("Clio vendrá, dijo", "Rumour has it: Clio, dijo")
    )
    assert [key for _, key in faults(wrong)] == ["pattern[0].catches", "pattern[0].leaves"]


@pytest.mark.parametrize(
    "text",
    [
        "a = [",
        '[[bonus]]\nname = "n"\nhundredths = 1',
        '[[bonus]]\nname = "n"\nhundredths = 1\nregex = "a"\nwords = ["a"]',
        '[[bonus]]\nname = "n"\nhundredths = 1\nwords = []',
        '[[bonus]]\nname = "n"\nhundredths = 1\nregex = "(a+)+b"',
        '[[bonus]]\nname = "n"\nhundredths = 1\nregex = "' + "a" * 401 + '"',
        '[[bonus]]\nname = "n"\nhundredths = 1\nregex = 5',
        "bonus = 3",
        "bonus = [1]",
        PATTERN.format(where="sentence") * 2,
        PATTERN.format(where="nowhere"),
    ],
)
def test_a_wrong_file_is_refused_and_the_fault_has_a_line(text: str) -> None:
    """Fail closed: rules that cannot be read are not half applied."""
    assert all(line > 0 for line, _ in faults(text))


@pytest.mark.parametrize("text", ["a = " + "[" * 50_000, "x = " + "9" * 100_000])
def test_a_file_that_no_reader_can_hold_is_a_fault(text: str) -> None:
    """Depth and digits beyond all reason are named, not raised."""
    with pytest.raises(WorkspaceInvalid, match=r"too deep|thousands of digits"):
        parse_rules(text, "quality.toml")
