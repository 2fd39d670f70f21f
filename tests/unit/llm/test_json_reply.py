"""JSON out of the text of a reply."""

from __future__ import annotations

import json
from typing import Any

import pytest

from daemon.llm.json_reply import parse_json_reply


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ("[1, 2]", [1, 2]),
        ('\ufeff  {"a": null}\n', {"a": None}),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ('```\n{"a": 1}\n```\nThat is the plan.', {"a": 1}),
        ('Here is the plan:\n{"a": {"b": "}"}} and so on }', {"a": {"b": "}"}}),
        ('For {each} item [1] of [unit-id]: {"a": 1}', {"a": 1}),
        ('{"a": 1}\n{"a": 2}', {"a": 1}),
        ("Chosen: [3, 4].", [3, 4]),
        ('{"a": "ü \\u00e9"}', {"a": "ü é"}),
    ],
)
def test_value_is_found_with_or_without_prose_and_fences(text: str, value: Any) -> None:
    """Plain JSON is unchanged; around it, fences, prose and stray braces do no harm."""
    assert parse_json_reply(text) == value


def test_fence_inside_a_value_does_not_end_it() -> None:
    """A report inside the JSON may hold a fenced program."""
    report = "Use:\n```python\nprint(1)\n```\nend"
    inside = json.dumps({"report": report, "tick": "`"})
    assert parse_json_reply(f"```json\n{inside}\n```") == {"report": report, "tick": "`"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("  \n", "empty"),
        ("I cannot do that.", "no JSON object"),
        ("see [unit-id] and {name}", "no JSON object"),
        ('{"a": {"b": 1}, "c": "cut off he', "breaks off"),
        ('Plan: [{"a": 1}, {"a"', "breaks off"),
        ('```json\n{"a": [1, 2', "breaks off"),
        ("{'a': 1}", "no JSON object"),
        ('{"a": 1, "a": 2}', "twice"),
        ('text {"a": {"b": 1, "b": 1}}', "twice"),
        ('{"a": NaN}', "NaN"),
        ('{"a": -Infinity}', "Infinity"),
        ('{"a": 1e999}', "too large"),
        ('{"a": "\\ud800"}', "surrogate"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_whole_json_is_refused_in_one_sentence(text: str, words: str) -> None:
    """No part of a broken value is taken for the answer."""
    with pytest.raises(ValueError, match=words) as caught:
        parse_json_reply(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ['{"a": 1}', '```json\n{"a": 1}\n```', '```\n\n{"a": 1}\n\n```\n'])
def test_a_value_that_must_stand_alone_may_be_fenced(text: str) -> None:
    """A fence says nothing."""
    assert parse_json_reply(text, alone=True) == {"a": 1}


@pytest.mark.parametrize(
    "text",
    ['{"a": 1} {"a": 2}', 'no: {"a": 1}', '{"a": 1} or not', '```\n{"a": 1}\n```\n```\n{}\n```'],
)
def test_a_value_that_must_stand_alone_has_nothing_beside_it(text: str) -> None:
    """Which would be taken without."""
    assert parse_json_reply(text) == {"a": 1}
    with pytest.raises(ValueError, match="one JSON value and nothing else"):
        parse_json_reply(text, alone=True)
