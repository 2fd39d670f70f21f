"""Hits that read a text wrongly, told by what stands around them: laws, advice, work that has its result."""

from __future__ import annotations

import re
from collections.abc import Sequence

from daemon.quality.clauses import has_figure
from daemon.quality.hits import Hit
from daemon.quality.normalise import Reading
from daemon.quality.rule_language import MOST_WORDS, rules_told

_OF_WORK = frozenset({"planning", "self_talk"})
_CLAIMS = frozenset({"unfinished"})
_SPANISH_CLAIMS = frozenset({"unfinished.es.contactado", "unfinished.es.trabajo_declarado"})
# Said of the writer: an accent tells "llamé" from the advice "llame".
_SPANISH_PAST = re.compile(
    r"\w(?:é|ó)\b|\w(?:amos|imos|aron|ieron|ado|ido|ados|idos|adas|idas)\b|\b(?:he|hemos|ha|han|fui|fue|fueron"
    r"|hice|hizo"
    r"|puse|pude|tuve|leí|me|nos)\b",
    re.IGNORECASE,
)


def without_misread(reading: Reading, hits: Sequence[Hit]) -> list[Hit]:
    """The hits without

    - plans and talk about the work that are what a law orders (texts of up to MOST_WORDS words);
    - Spanish claims of work that are advice: "llame al registro", not "llamé";
    - claims of work in a text with another sentence that holds a figure: there is something to show.
    """
    kept = list(hits)
    if reading.words <= MOST_WORDS and any(one.pattern.family.name in _OF_WORK for one in kept):
        rules = rules_told(reading)
        kept = [one for one in kept if not _is_of(one, _OF_WORK) or one.start not in rules]
    if any(_is_of(one, _CLAIMS) for one in kept):
        kept = [one for one in kept if not _is_advice(reading, one)]
        if _shows_something(reading, kept):
            kept = [one for one in kept if one.sentence is None or not _is_of(one, _CLAIMS)]
    return kept


def _is_of(hit: Hit, families: frozenset[str]) -> bool:
    return hit.pattern.family.name in families


def _is_advice(reading: Reading, hit: Hit) -> bool:
    return hit.pattern.id in _SPANISH_CLAIMS and not _SPANISH_PAST.search(
        reading.raw, hit.start, hit.end
    )


def _shows_something(reading: Reading, hits: Sequence[Hit]) -> bool:
    """A sentence with a figure that is no claim of work itself, nor anything else that fails."""
    failing = {one.start for one in hits if one.sentence is not None}
    return any(one.start not in failing and has_figure(reading, one) for one in reading.sentences)
