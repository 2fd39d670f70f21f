"""How much of a text nothing in its sources backs: a graded sign of invention, shown, not deciding."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice, pairwise

from daemon.quality.claims import SourceNote
from daemon.quality.content_words import content_list, stem
from daemon.quality.figure_claims import figure_claims
from daemon.quality.normalise import clean, read
from daemon.quality.passages import Passages
from daemon.quality.verdict import TaskBrief

_ALLOWED = 0.2  # of a sentence's words: paraphrase brings its own
_ELSEWHERE = 0.8  # what a word counts that stands in the sources, but not near the others
_ABSENT_FIGURE = 2.0
_HALF_WAY = 2.7
_SHARPNESS = 1.5
_LETTERS = 5
_MOST_SENTENCES = 500
_FEWEST_WORDS = 2
_ABOUT_THE_SOURCES = re.compile(
    r"\b(?:unable to|cannot (?:be )?(?:answer|determin)|not (?:provide|mention|contain|specif|include|clear|explicit"
    r"|enough|possible)|no (?:mention|information|specific)|does(?:n't| not)|do(?:n't| not) (?:provide|mention)"
    r"|based on (?:the )?(?:given|provided|passages?|information|notes?|sources?)"
    r"|(?:given|provided) (?:passages|notes|sources)"
    r"|no (?:se puede|es posible|dice|dicen|menciona|mencionan|consta)|segun (?:las notas|las fuentes))\b"
)
_GLUE_WORDS = """
also additionally addition overall summary furthermore moreover finally firstly third lastly involve
typically usually generally often sometimes specifically particular certain various different
several important example like known ensure used using make made help need process method way step
follow provide require answer question mention unable therefore depending result another either
allow common refer order type available consider key main factor due cause contain take time get
become adicionalmente general ejemplo generalmente importante diferente diverso varios manera forma
proceso paso permite incluye debido resultado
"""
_GLUE = frozenset(stem(word) for word in _GLUE_WORDS.split())


def suspicion(output: str, sources: Sequence[SourceNote]) -> float:
    """0 (every sentence is backed) to 1; pure and deterministic. 0 where there is no source. The first
    500 sentences are looked at.

    For each sentence: the share of its content words that no three neighbouring sentences of a source
    have, beyond what paraphrase explains, to the power of 1.5, times its words. Absent figures count
    as two more. The sum s is given as s / (s + 2.7): at 0.5 and above, more likely invented than not.
    """
    if not sources:
        return 0.0
    reading = read(clean(output))
    windows = [window for source in sources for window in _windows(Passages(source.text))]
    everywhere = frozenset[str]().union(*windows)
    total = sum(
        _unbacked(words, windows, everywhere)
        for words in islice(_sentences(Passages(reading.raw, reading.open)), _MOST_SENTENCES)
    )
    claims = figure_claims(reading, TaskBrief("", ""), sources)
    total += _ABSENT_FIGURE * sum(claim.status == "absent" for claim in claims)
    return total / (total + _HALF_WAY)


def _unbacked(
    words: frozenset[str], windows: Sequence[frozenset[str]], everywhere: frozenset[str]
) -> float:
    """What the best window lacks, beyond the share that is allowed, weighted by the sentence's words."""
    best = max(windows, key=lambda window: len(words & window), default=frozenset[str]())
    missing = sum(_ELSEWHERE if word in everywhere else 1.0 for word in words - best)
    beyond = max(0.0, missing / len(words) - _ALLOWED)
    return float(len(words) * beyond**_SHARPNESS)


def _windows(source: Passages) -> Iterable[frozenset[str]]:
    sentences = [frozenset(_words(source.folded[a:b])) for a, b in _bounds(source)]
    for at in range(len(sentences)):
        yield frozenset[str]().union(*sentences[max(0, at - 1) : at + 2])


def _sentences(output: Passages) -> Iterable[frozenset[str]]:
    """The words of each sentence, without those sentences that speak of the sources themselves."""
    for start, end in _bounds(output):
        sentence = output.folded[start:end]
        words = frozenset(_words(sentence))
        if len(words) >= _FEWEST_WORDS and not _ABOUT_THE_SOURCES.search(sentence):
            yield words


def _bounds(text: Passages) -> Iterable[tuple[int, int]]:
    return pairwise([*text.starts, len(text.text)])


def _words(folded: str) -> Iterable[str]:
    return (word[:_LETTERS] for word in content_list(folded) if word not in _GLUE)
