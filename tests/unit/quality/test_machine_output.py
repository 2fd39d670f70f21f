"""Calls, traces, commands and errors, told by what all of them have in common."""

from __future__ import annotations

import pytest

from tests.unit.quality.judging import judge, rejecting

CALL = '{"step": 2, "command": {"name": "browse", "args": {"url": "x.ec"}}}'
TRACE = "Idea: ask the news.\nTool: news\nInput: gyms\nOutput: nine gyms.\nIdea: answer."
SHELL = "> npm install silolib\n> node state.js --plant north"
ERROR = "Loaded.\nrequests.exceptions.Timeout: Read timed out. (read timeout=30)"


@pytest.mark.parametrize(
    ("text", "check"),
    [
        (CALL, "structure.json_call"),
        (f"```json\n{CALL}\n```", "structure.json_call"),
        (TRACE, "structure.trace"),
        (SHELL, "structure.shell"),
        (ERROR, "structure.error"),
        ('Done: {"error": "quota_exceeded"}', "structure.error"),
        ("Loaded. Sheep: NaN. IndexError: list index out of range.", "structure.error"),
    ],
)
def test_a_text_that_is_nothing_else_is_rejected(text: str, check: str) -> None:
    """Whatever its spelling."""
    assert check in rejecting(judge(text, "report"))


@pytest.mark.parametrize("text", [CALL, SHELL, ERROR])
def test_code_that_was_asked_for_is_left_alone(text: str) -> None:
    """In the profile of code a call or a command is the deliverable."""
    assert not [one for one in rejecting(judge(text, "code")) if one.startswith("structure.")]


@pytest.mark.parametrize(
    "text",
    [
        '{"vendor": "LegalSoft", "price_usd": 49, "users": 120}',
        "Run `npm install silolib`, then `node state.js`: it prints 412 t of free space.",
        "The parser's TypeError of 3 May cost 40 minutes: a field that phones leave empty.",
        "Tool: a spade.\nSoil: clay.\nDepth: 40 cm, as 14 of 41 growers dig.",
    ],
)
def test_a_text_that_speaks_of_machines_is_left_alone(text: str) -> None:
    """Data, an instruction, an account of an error, a list of labels."""
    assert rejecting(judge(text)) == []


def test_a_json_that_is_nested_too_deep_is_no_call() -> None:
    """The parser gives up, and the check says nothing."""
    assert "structure.json_call" not in rejecting(judge("[" * 5_000 + "]" * 5_000))
