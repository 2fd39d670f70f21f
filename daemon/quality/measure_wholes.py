"""Which number of a sentence is given of which other one, and which of them counts nothing. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from daemon.quality.measure import Measure, says
from daemon.quality.normalise import fold
from daemon.quality.sentence_numbers import SentenceNumber

# What stands in front of a number is looked for this near, so that a sentence is read once.
_NEAR = 60
_THE_FIRST = r"(?: (?:the|los|las|our|nuestr[oa]s))?(?: (?:first|primer[oa]s))?"
_OF = re.compile(rf" ?(?:/|(?:out )?of|de|sobre){_THE_FIRST} ?$")
_OF_BEHIND_NOUN = re.compile(rf"((?: [a-z]+){{1,3}}?) (?:out of|of|de|entre|sobre){_THE_FIRST} $")
_ONE_OF = re.compile(
    r"(?<!every )(?<!each )(?<!any )(?<!the )(?<!cada )\b(one|un[oa]) (?:out )?(?:of|de|entre)"
    rf"{_THE_FIRST} $"
)
_OF_BEFORE = re.compile(r"(?:\bof|\bde|\bentre) (?:the |los |las |our )?$")
_LABELLED_END = re.compile(r"\s*(?:[.,;()]|$|(?:in|on|as|by|en|al|a|el|de)\b)")
_DEFINITE = re.compile(r"\b(?:the|both|our|their|these|those|l[oa]s|nuestr[oa]s|sus|est[oa]s) $")
_PLURAL = re.compile(r" ([^\W\d_]+s)\b")


def wholes_of(
    folded: str, numbers: Sequence[SentenceNumber], measure: Measure
) -> dict[int, SentenceNumber]:
    """Of each number that is given of another one: that other one, by where the first begins."""
    found = {}
    for one, other in pairwise(numbers):
        between = folded[one.end : other.start]
        if one.value <= other.value and (
            _OF.fullmatch(between) or _is_behind_noun(between, other, measure)
        ):
            found[one.start] = other
    plain = [one for one in numbers if one.bare]
    if not found and len(plain) == 2 and _OF_BEFORE.search(folded[: plain[0].start]):
        whole, part = plain  # of 25 firms, 6 pay
        if part.value <= whole.value:
            found[part.start] = whole
    return found


def with_one_of(
    folded: str, numbers: Sequence[SentenceNumber], measure: Measure
) -> list[SentenceNumber]:
    """The numbers, and the one of "one of the 25" where 25 is the measure's whole; else "one" counts nothing."""
    ones = [
        SentenceNumber(*found.span(1), 1.0)
        for whole in numbers
        if whole.bare and whole.value == measure.of
        for found in [_ONE_OF.search(folded, max(0, whole.start - _NEAR), whole.start)]
        if found
    ]
    return sorted([*numbers, *ones], key=lambda one: one.start)


def is_known_group(folded: str, number: SentenceNumber, measure: Measure) -> bool:
    """Whether a number in letters only says who: "the two graders". Never of the unit or of what is measured."""
    if not number.bare or folded[number.start].isdigit():
        return False
    if not _DEFINITE.search(folded, max(0, number.start - _NEAR), number.start):
        return False
    if folded.startswith(" of us", number.end):
        return True
    noun = _PLURAL.match(folded, number.end)
    own = [*map(fold, measure.unit), *(fold(one) for several in measure.words for one in several)]
    return noun is not None and not any(says(noun[1], one) for one in own)


def without_repeated_whole(
    numbers: Sequence[SentenceNumber], wholes: Mapping[int, SentenceNumber], measure: Measure
) -> list[SentenceNumber]:
    """We looked up 200 norms and found 158 of 200: the first 200 says nothing of its own."""
    given = {one.start for one in wholes.values() if one.value == measure.of}
    return [
        one
        for one in numbers
        if not given or one.value != measure.of or one.start in given or one.start in wholes
    ]


def labelled(
    folded: str,
    clause: tuple[int, int],
    numbers: Sequence[SentenceNumber],
    wholes: Mapping[int, SentenceNumber],
    measure: Measure,
) -> list[SentenceNumber]:
    """Hallucinated answers: 22 of 200. The unit stands in the label, and no other noun behind the figure."""
    if not numbers or not numbers[0].bare:
        return []
    number = numbers[0]
    label, whole = folded[clause[0] : number.start], wholes.get(number.start)
    ends = _LABELLED_END.match(folded, (whole or number).end)
    known = ends or (whole is not None and whole.value == measure.of)
    if not label.rstrip().endswith(":") or not known:
        return []
    return [number] if any(says(label, fold(one)) for one in measure.unit) else []


def _is_behind_noun(between: str, whole: SentenceNumber, measure: Measure) -> bool:
    """14 hallucinated answers out of 200, where the whole is the measure's own."""
    found = _OF_BEHIND_NOUN.fullmatch(between)
    return (
        found is not None
        and whole.bare
        and whole.value == measure.of
        and any(says(found[1], fold(one)) for one in measure.unit)
    )
