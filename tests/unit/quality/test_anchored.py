from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.quality import arithmetic, conclusions, plausibility, repetition, word_salad
from daemon.quality.anchored import Anchored
from daemon.quality.normalise import clean, read
from daemon.quality.patterns import load_patterns

IN_USE = [
    value
    for module in (arithmetic, conclusions, plausibility, repetition, word_salad)
    for value in vars(module).values()
    if isinstance(value, Anchored)
]
EXAMPLES = [text for one in load_patterns().patterns for text in (one.catches, one.leaves)]
TALK = (
    "The 2021 census results were published in 2019. The bar of 30 % was met. We recommend going. Together that"
    " is 100 %. New this week: breaking - we just found it. The of the and. Fees, which add up to 900. `met the`"
    ' the "no-go" falls short, sumando 100 por ciento; cifras de 2020 publicadas en 2018. Acaba de salir. las y la.'
)


def spans_of_search(one: Anchored, text: str) -> list[tuple[int, int]]:
    return [found.span() for found in one.regex.finditer(text)]


def test_there_are_such_regexes_and_each_tells_how_it_begins() -> None:
    """A regex whose beginnings tell nothing would be searched at every character."""
    assert len(IN_USE) >= 7
    assert all(one.anchors for one in IN_USE)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.sampled_from([*EXAMPLES, TALK]), min_size=1, max_size=4), st.integers(0, 60))
def test_what_is_tried_only_at_its_beginnings_finds_what_a_search_finds(
    parts: list[str], cut: int
) -> None:
    """In the open and in the masked view of texts cut and joined anywhere."""
    reading = read(clean(" ".join(part[cut:] + part[:cut] for part in parts)))
    for one in IN_USE:
        for view in (reading.open, reading.masked):
            found = [match.span() for match in one.finditer(reading, view)]
            assert found == spans_of_search(one, view), one.regex.pattern


@pytest.mark.parametrize("source", [r"\d+ firms", "[^a]b", "(?i)word", "a"])
def test_a_regex_that_can_begin_with_anything_is_searched_as_ever(source: str) -> None:
    """Nothing to look for: no shortcut, and the same places."""
    one = Anchored(source)
    reading = read("12 firms, a word, 3 firms")
    assert not one.anchors
    assert [found.span() for found in one.finditer(reading, reading.open)] == spans_of_search(
        one, reading.open
    )


def test_matches_do_not_overlap() -> None:
    """As with finditer: the next one begins behind the last."""
    one = Anchored(r"\baba")
    reading = read("ababa aba")
    assert [found.start() for found in one.finditer(reading, reading.open)] == [0, 6]
