"""What a figure, or a statement, must be about to count for one test: words, unit, whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from daemon.quality.content_words import stem
from daemon.quality.normalise import fold

_WORD = re.compile(r"[^\W_]+")
_BEGINNING = 3
_SHORT = 4
_CURRENCIES = {"usd": "$", "us$": "$", "$": "$", "eur": "€", "€": "€", "gbp": "£", "£": "£"}


@dataclass(frozen=True)
class Measure:
    """Every entry of `words` must be there, in one of its alternatives; none of `unless` may.

    A word matches in any of its endings, a phrase only as words that follow one another. `unit` is
    %, a currency (USD), a unit of time (days) or the noun that is counted, in alternatives; empty:
    a bare number. `of`: the whole that the figure must be given of (6 *of 25*); None: any or none.
    `figure` False: no figure is looked for, the sentence itself is what counts.
    """

    words: tuple[tuple[str, ...], ...]
    unless: tuple[str, ...] = ()
    unit: tuple[str, ...] = ()
    of: int | None = None
    figure: bool = True

    @property
    def sign(self) -> str:
        """The sign of the currency that `unit` is; empty where it is none."""
        return _CURRENCIES.get(self.unit[0].lower(), "") if self.unit else ""


def alternatives(text: str) -> tuple[str, ...]:
    """What stands between the bars of "pay | paid"; empty pieces are left out."""
    return tuple(filter(None, (" ".join(one.split()) for one in text.split("|"))))


def says(text: str, phrase: str) -> bool:
    """Whether a folded text has the phrase, whatever the endings of its words."""
    return next(places(text, phrase), None) is not None


def places(text: str, phrase: str) -> Iterator[tuple[int, int]]:
    """Where a folded text has it."""
    plain = _WORD.findall(fold(phrase))
    if not all(one[:_BEGINNING] in text for one in plain):
        return  # quicker than cutting every sentence into words
    wanted = [_stem(one) for one in plain]
    words = [(_stem(found.group()), found.span()) for found in _WORD.finditer(text)]
    if not wanted:
        return
    stems = [one for one, _ in words]
    for at in range(len(words) - len(wanted) + 1):
        if stems[at : at + len(wanted)] == wanted:
            yield words[at][1][0], words[at + len(wanted) - 1][1][1]


def has_all(text: str, measure: Measure) -> bool:
    """Whether a folded text has every one of the words."""
    return all(any(says(text, one) for one in several) for several in measure.words)


def may_have(text: str, measure: Measure) -> bool:
    """False where a folded text surely lacks one of the words; asks without reading any sentence."""
    return all(
        any(all(word[:_BEGINNING] in text for word in _WORD.findall(fold(one))) for one in several)
        for several in measure.words
    )


def without_words(text: str, measure: Measure) -> str:
    """The folded text with the measure's own words blanked out, so that a "without" among them
    does not count as a denial. Offsets stay."""
    blank = list(text)
    for several in measure.words:
        for one in several:
            for start, end in places(text, one):
                blank[start:end] = " " * (end - start)
    return "".join(blank)


def excluded(text: str, measure: Measure) -> str:
    """The first of `unless` that a folded text has; empty for none."""
    return next((one for one in measure.unless if says(text, one)), "")


def _stem(word: str) -> str:
    """The stem, which keeps words of four letters as they are: "pays" is "pay" here."""
    plural = len(word) == _SHORT and word.endswith("s") and not word.endswith("ss")
    return stem(word[:-1] if plural else word)
