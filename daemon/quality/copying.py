"""Texts that are taken from what their writer was given: its own instructions, or one of its notes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from daemon.quality.claims import SourceNote
from daemon.quality.normalise import Reading, fold, split_words
from daemon.quality.verdict import Defect, TaskBrief

RESTATED_GRAM = 4
RESTATED_MARKED = 0.15
RESTATED_REJECTED = 0.30
COPIED_GRAM = 5
COPIED_FROM = 0.6

_FEWEST_GRAMS = 20
_FEWEST_SHORT_GRAMS = 4
_SHORT_RESTATED = 0.8
_FEWEST_COPIED = 25
_LEAST_SENTENCE = 5
_EXAMPLE_SHARE = 0.5
_SAMPLES = 16
_SAMPLES_FOUND = 0.2
_SAMPLE = re.compile(r"[a-z](?<![^\s(][a-z])[a-z]+ [a-z]{2,} [a-z]{2,}(?![^\s,.;:)])")


def restates_prompt(reading: Reading, prompt_text: str) -> Iterable[Defect]:
    """Too many of its 4-word sequences come from the role and the task it was given.

    A short text is rejected only where it adds no word of its own: a direct answer repeats the
    words of its question. An example out of the instructions is no result, however little it is.
    """
    if not prompt_text:
        return
    given_words = split_words(fold(prompt_text))
    given = set(_grams(given_words, RESTATED_GRAM))
    own = _grams(reading.tokens, RESTATED_GRAM)
    share = _share(own, given)
    if len(own) >= _FEWEST_GRAMS and share > RESTATED_MARKED:
        message = f"{share:.0%} of it is taken from its own instructions."
        yield Defect("restatement.prompt", message, rejects=share > RESTATED_REJECTED)
    elif _is_only_given(reading, own, share, given_words):
        message = "It says nothing but what its own instructions say."
        yield Defect("restatement.prompt", message, rejects=True)
    if len(own) < _FEWEST_GRAMS or share <= RESTATED_REJECTED:
        yield from _example_as_result(reading, given_words)


def copies_a_source(
    reading: Reading, task: TaskBrief, sources: Sequence[SourceNote]
) -> Iterable[Defect]:
    """Most of it is one note, word for word: a report was asked for, not the note.

    Containment of the output's 5-word sequences in one note, COPIED_FROM or more. It rejects in the
    profile `report`; a writer that may quote (`TaskBrief.may_quote`) is let pass and marked.
    """
    if len(reading.tokens) < _FEWEST_COPIED:
        return
    samples = _samples(reading.text)
    likely = [one for one in sources if _may_hold(one.text, samples)]
    own = set(_grams(reading.tokens, COPIED_GRAM)) if likely else set()
    if len(own) < _FEWEST_COPIED:
        return
    for source in likely:
        share = _share(own, set(_grams(split_words(fold(source.text)), COPIED_GRAM)))
        if share < COPIED_FROM:
            continue
        message = f"{share:.0%} of it is the note {source.id}, word for word"
        if task.may_quote:
            message += "; its writer works by quoting, so it was let pass."
        else:
            message += ": say what follows from it, and for whom."
        rejects = task.profile == "report" and not task.may_quote
        yield Defect("copying.source", message, rejects=rejects)
        return


def _is_only_given(
    reading: Reading, own: Sequence[tuple[str, ...]], share: float, given_words: Sequence[str]
) -> bool:
    """A short text without a word of its own."""
    if len(own) < _FEWEST_SHORT_GRAMS or share < _SHORT_RESTATED:
        return False
    return set(reading.tokens) <= set(given_words)


def _example_as_result(reading: Reading, given_words: Sequence[str]) -> Iterable[Defect]:
    """Whole sentences with a figure that stand in the instructions, in half of the text or more."""
    given = f" {' '.join(given_words)} "
    copied = 0
    for sentence in reading.sentences:
        if sentence.words < _LEAST_SENTENCE:
            continue
        words = split_words(reading.open[sentence.start : sentence.end])
        if any(word.isdigit() for word in words) and f" {' '.join(words)} " in given:
            copied += sentence.words
    if copied and copied >= _EXAMPLE_SHARE * reading.prose_words:
        message = "It gives an example of its own instructions as a result."
        yield Defect("restatement.example", message, rejects=True)


def _grams(words: Sequence[str], size: int) -> list[tuple[str, ...]]:
    return list(zip(*(words[start:] for start in range(size)), strict=False))


def _share(
    own: Sequence[tuple[str, ...]] | set[tuple[str, ...]], given: set[tuple[str, ...]]
) -> float:
    return sum(map(given.__contains__, own)) / len(own) if own else 0.0


def _samples(text: str) -> list[str]:
    """Some runs of three plain words as they are written, evenly from the whole text."""
    every = _SAMPLE.findall(text)
    return list(dict.fromkeys(every[:: max(1, len(every) // _SAMPLES)]))[: 2 * _SAMPLES]


def _may_hold(text: str, samples: Sequence[str]) -> bool:
    """A cheap look before the sequences are compared: a copy has most runs of words as they are."""
    if len(samples) < _SAMPLES // 2:
        return True
    wanted = _SAMPLES_FOUND * len(samples)
    found = 0
    for left, sample in zip(range(len(samples) - 1, -1, -1), samples, strict=True):
        found += sample in text
        if found >= wanted or found + left < wanted:
            break
    return found >= wanted
