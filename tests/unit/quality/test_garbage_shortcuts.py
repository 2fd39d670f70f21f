from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.quality.clauses import clause_starts, has_figure
from daemon.quality.hits import find_hits, fits_length
from daemon.quality.normalise import Reading, clean, read
from daemon.quality.patterns import load_patterns
from tests.unit.quality.judging import REPORT

# Patterns of further languages are left out: in a long text they are tried where it has some of their words.
PATTERNS = [one for one in load_patterns().patterns if one.language in ("any", "en", "es")]
EXAMPLES = [text for one in PATTERNS for text in (one.catches, one.leaves)]


def plainly(reading: Reading) -> set[tuple[str, int, int]]:
    """Every pattern tried everywhere, one after the other."""
    found: set[tuple[str, int, int]] = set()
    views = {"raw": reading.raw, "open": reading.open, "masked": reading.masked}
    for one in PATTERNS:
        text = views[one.mask]
        if not fits_length(one, reading):
            continue
        if one.needs and not any(need in reading.open for need in one.needs):
            continue
        if one.where == "whole":
            matches = [match.span() for match in one.compiled.finditer(text) if match.group()]
            found.update((one.id, start, end) for start, end in matches[:40])
            continue
        for sentence in reading.sentences:
            if one.spare_figures and has_figure(reading, sentence):
                continue
            starts = clause_starts(reading, sentence)
            for start in starts.every if one.clauses else starts.opening:
                if one.compiled.match(text, start, sentence.end):
                    found.add((one.id, sentence.start, sentence.end))
    return found


def quickly(reading: Reading) -> set[tuple[str, int, int]]:
    """What the gate finds."""
    known = {one.id for one in PATTERNS}
    hits = (hit for hit in find_hits(reading) if hit.pattern.id in known)
    return {(hit.pattern.id, hit.start, hit.end) for hit in hits}


@pytest.mark.parametrize("at", range(0, len(EXAMPLES), 20))
def test_the_shortcuts_find_what_a_plain_loop_finds(at: int) -> None:
    """In every example of every pattern, alone and behind a report."""
    for text in EXAMPLES[at : at + 20]:
        reading = read(clean(text))
        assert quickly(reading) == plainly(reading), text
    together = read(clean(REPORT + "\n\n".join(EXAMPLES[at : at + 20])))
    assert quickly(together) == plainly(together)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(EXAMPLES), min_size=2, max_size=4), st.integers(0, 80))
def test_the_shortcuts_lose_nothing_in_cut_and_joined_texts(parts: list[str], cut: int) -> None:
    """Sentences that begin in the middle of others."""
    reading = read(clean(" ".join(part[cut:] + part[:cut] for part in parts)))
    assert quickly(reading) == plainly(reading)
