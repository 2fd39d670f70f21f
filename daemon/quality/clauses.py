"""Where a sentence and its clauses begin, and whether it holds a figure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from daemon.quality.normalise import Reading, Sentence
from daemon.quality.patterns import load_joins, load_lead_ins

_FIGURE = re.compile(r"(?<![\w-])\d")
_MOST_CLAUSES = 8


@dataclass(frozen=True)
class Starts:
    """Offsets where a sentence (`opening`) and any of its clauses (`every`) begin."""

    opening: tuple[int, ...]
    every: tuple[int, ...]


def has_figure(reading: Reading, sentence: Sentence) -> bool:
    """Whether it holds a number of its own; digits inside a name (A2A, K-12) are none."""
    return _FIGURE.search(reading.masked, sentence.start, sentence.end) is not None


def clause_starts(reading: Reading, sentence: Sentence) -> Starts:
    """Where this sentence and, in a text's head or tail, its clauses begin, lead-ins skipped."""
    text = reading.masked
    lead = load_lead_ins().match(text, sentence.start, sentence.end)
    opening: tuple[int, ...] = (sentence.start,)
    if lead and lead.end() > sentence.start:
        opening = (sentence.start, lead.end())
    if not (sentence.in_head or sentence.in_tail):
        return Starts(opening, opening)
    clauses = _clause_breaks().finditer(text, sentence.start, sentence.end)
    return Starts(opening, (*opening, *(one.end() for one in islice(clauses, _MOST_CLAUSES))))


@lru_cache(maxsize=1)
def _clause_breaks() -> re.Pattern[str]:
    return re.compile(rf"(?:[,;:—(]|\s-)\s*(?:(?:{load_joins()})\s+)?(?:that |que |dass |che )?")
