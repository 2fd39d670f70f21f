from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from daemon.quality.openings import openings, required
from daemon.quality.patterns import Pattern, PatternGroup, load_patterns

CLAUSES = load_patterns().clause


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("let me", {"let me"}),
        ("(?:i|we) (?:am|are)", {"i am", "i are", "we am", "we are"}),
        ("(?:the )?re", {"the re", "re"}),
        ("[^.]{0,9}costs", {""}),
        (r"\d+ firms", {""}),
        ("[ab]{2}", {"aa", "ab", "ba", "bb"}),
        ("(?!no)yes", {"yes"}),
        ("a*b", {"a" * n + "b" for n in range(6)} | {"aaaaaa"}),
        ("(?i)abc", {""}),
    ],
)
def test_the_beginnings_of_a_regex_are_read_from_it(source: str, expected: set[str]) -> None:
    """Alternatives, optional parts, repetitions; whatever cannot be told is anything."""
    assert openings(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("[^.]{0,80}? is (?:harmful|immoral)", {"harmful", "immoral"}),
        ("(?:data )?x", set()),
        ("(?:search|look) results?", {" result"}),
        (r"\w+", set()),
    ],
)
def test_the_pieces_that_every_match_holds_are_read_from_it(
    source: str, expected: set[str]
) -> None:
    """One of them stands in every match; short ones say nothing."""
    assert required(source) == expected


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(load_patterns().patterns), st.data())
def test_every_match_begins_and_is_made_as_the_regex_says(
    pattern: Pattern, data: st.DataObject
) -> None:
    """Texts made from the regex itself: the shortcut may try too much, never too little."""
    alphabet = st.characters(max_codepoint=0xFFFF, exclude_categories=("Cs",))
    text = data.draw(st.from_regex(pattern.source, alphabet=alphabet))
    found = re.match(pattern.source, text)
    assume(found is not None)
    assert found is not None
    begun = openings(pattern.source)
    assert any(text.startswith(one) for one in begun)
    if pattern.required:
        assert any(piece in text.lower() for piece in pattern.required)


@pytest.mark.parametrize("pattern", CLAUSES, ids=lambda one: one.id)
def test_a_group_tries_a_pattern_wherever_it_matches(pattern: Pattern) -> None:
    """Anywhere in its own example, and few others with it."""
    group = PatternGroup(CLAUSES, "masked")
    for start in range(len(pattern.catches)):
        text = pattern.catches.lower()
        if pattern.compiled.match(text, start):
            likely = group.likely(text, start, len(text))
            assert pattern.id in [one.id for one in likely]
            assert len(likely) < len(CLAUSES)
