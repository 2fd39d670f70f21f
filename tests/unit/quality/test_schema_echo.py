from __future__ import annotations

import pytest

from tests.unit.quality.judging import judge, rejecting

ECHOES = [
    '{"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}',
    '```json\n{\n  "supplier": "string",\n  "quantity": "number",\n  "unit": "string"\n}\n```',
    '{"entrevistado": "<texto>", "cargo": "<texto>", "cita": "<texto>", "pago": "<número>"}',
    'Here it is: {"a": "...", "b": ["...", "..."]}',
]


@pytest.mark.parametrize("text", ECHOES)
def test_a_form_without_an_answer_is_rejected(text: str) -> None:
    """Names of types, slots, dots: no value of its own."""
    assert "structure.schema_echo" in rejecting(judge(text, "report"))


@pytest.mark.parametrize("text", ECHOES[:3])
def test_a_form_that_was_asked_for_is_left_alone(text: str) -> None:
    """As code or as a template."""
    for profile in ("code", "template"):
        assert "structure.schema_echo" not in rejecting(judge(text, profile))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        '{"supplier": "Lemontech", "quantity": 12, "unit": "string"}',
        (
            'The service wants {"name": "string", "size": "number"}; of its 41 users 29 send the second as text, which '
            "it takes without a word and stores as zero, so that their totals are too low by a fifth."
        ),
        "{" * 5_000,
        '{"a": {' * 3_000,
        "{}",
    ],
)
def test_values_examples_and_broken_json_are_left_to_other_checks(text: str) -> None:
    """One real value is an answer; nesting without end is no error."""
    assert "structure.schema_echo" not in rejecting(judge(text, "report"))
