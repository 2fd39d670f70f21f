"""Texts that repeat: themselves, an earlier output, or the prompt they were given."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from daemon.quality.normalise import Reading, fold
from daemon.quality.verdict import Defect

SHINGLE_WORDS = 5
SAME_FROM = 0.9
RESTATED_GRAM = 4
RESTATED_MARKED = 0.15
RESTATED_REJECTED = 0.30
LOOP_SHARE = 0.4
LONGEST_LOOP = 6
LOOP_ROUNDS = 6
LOOP_WORDS = 12

_FEWEST_SHINGLES = 20
_FEWEST_GRAMS = 20
_LEAST_SENTENCE = 4
_WORD = re.compile(r"[^\W_]+")
_LETTERS = re.compile(r"[^\W\d_]+")
_LONG_TOKEN = re.compile(r"\S{40,}")
_RUN = re.compile(r"([^\s\-=_.*#|~+<>0])\1{39,}")


def loops(reading: Reading) -> Iterable[Defect]:
    """Token degeneration anywhere; sentences that come again and again in most of the text."""
    run = any(_RUN.search(token) for token in _LONG_TOKEN.findall(reading.raw))
    if run or _has_token_loop(_WORD.findall(reading.masked)):
        yield Defect("repetition.tokens", "It falls into repeating the same words.", rejects=True)
        return
    counts: Counter[str] = Counter()
    sizes: dict[str, int] = {}
    for sentence in reading.sentences:
        if sentence.words >= _LEAST_SENTENCE:
            key = " ".join(_WORD.findall(reading.masked[sentence.start : sentence.end]))
            counts[key] += 1
            sizes[key] = sentence.words
    again = sum((count - 1) * sizes[key] for key, count in counts.items() if count > 2)
    if again and again >= LOOP_SHARE * reading.prose_words:
        yield Defect(
            "repetition.sentences", "It says the same sentences again and again.", rejects=True
        )


def repeats_earlier(reading: Reading, earlier: Sequence[str]) -> Iterable[Defect]:
    """The same text as an earlier output, figures aside (Jaccard of 5-word shingles without digits)."""
    if not reading.words or not earlier:
        return
    own_words = _LETTERS.findall(reading.open)
    own = _shingles(own_words)
    for text in earlier:
        words = _LETTERS.findall(fold(text))
        if own_words and own_words == words:
            yield Defect(
                "repetition.earlier", "It repeats an earlier output word for word.", rejects=True
            )
            return
        other = _shingles(words)
        if min(len(own), len(other)) < _FEWEST_SHINGLES:
            continue
        common = len(own & other)
        if common >= SAME_FROM * (len(own) + len(other) - common):
            message = "It repeats an earlier output almost word for word."
            yield Defect("repetition.earlier", message, rejects=True)
            return


def restates_prompt(reading: Reading, prompt_text: str) -> Iterable[Defect]:
    """Too many of its 4-word sequences come from the role and the task it was given."""
    if not prompt_text:
        return
    own = _grams(_WORD.findall(reading.open), RESTATED_GRAM)
    if len(own) < _FEWEST_GRAMS:
        return
    given = set(_grams(_WORD.findall(fold(prompt_text)), RESTATED_GRAM))
    share = sum(1 for gram in own if gram in given) / len(own)
    if share > RESTATED_MARKED:
        message = f"{share:.0%} of it is taken from its own instructions."
        yield Defect("restatement.prompt", message, rejects=share > RESTATED_REJECTED)


def _shingles(words: Sequence[str]) -> set[int]:
    return {hash(gram) for gram in _grams(words, SHINGLE_WORDS)}


def _grams(words: Sequence[str], size: int) -> list[tuple[str, ...]]:
    return list(zip(*(words[start:] for start in range(size)), strict=False))


def _has_token_loop(words: Sequence[str]) -> bool:
    """Whether one to six words come at least six times in a row."""
    for size in range(1, LONGEST_LOOP + 1):
        needed = max(size * (LOOP_ROUNDS - 1), LOOP_WORDS - size)
        run = 0
        for index in range(size, len(words)):
            run = run + 1 if words[index] == words[index - size] else 0
            if run >= needed and not words[index].isdigit():
                return True
    return False
