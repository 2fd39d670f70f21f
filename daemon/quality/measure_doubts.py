"""Why a sentence as a whole is no plain statement of what was found: a goal, a denial, hearsay, another period."""

from __future__ import annotations

import re
from typing import Literal

from daemon.quality.doubt_words import (
    ASKED,
    CASE,
    DENIED,
    GIVEN,
    GOAL,
    GOAL_ENDING,
    HEARSAY,
    OF_OTHERS,
    OTHERS,
    OWN_RECORD,
    PERIODS,
    SAID_OF,
    SAID_THAT,
    SAYING,
    SCORN,
    SUMMED,
)
from daemon.quality.measure import Measure, has_all, places, without_words
from daemon.quality.normalise import fold
from daemon.quality.sentence_numbers import without_marks

SentenceDoubt = Literal["", "goal", "denied", "hearsay", "other_period"]
Place = tuple[int, int] | None

_MAY = re.compile(r"\bmay\b(?! \d)")  # the month has its capital
_QUOTED = re.compile(r"\"[^\"]*\"|\u201c[^\u201d]*\u201d|\u00ab[^\u00bb]*\u00bb")
_EXCLAIMED = re.compile(r"\b(?:qué|quién|quiénes|cuál|cuáles|cómo)\b", re.IGNORECASE)
_WHO = 40


def sentence_doubt(raw: str, folded: str, measure: Measure, place: Place) -> SentenceDoubt:
    """The first that there is. `place` is that of the figure, None where there is none."""
    rest = without_words(without_marks(folded), measure)
    if (
        _is_wanted(raw, rest, measure)
        or (not measure.figure and ASKED.search(rest))
        or _is_given(rest, place)
        or _is_said_of(folded, measure, place)
    ):
        return "goal"
    if DENIED.search(rest) or SCORN.search(rest) or _EXCLAIMED.search(raw):
        return "denied"
    if _is_hearsay(folded, rest, place, measure):
        return "hearsay"
    return "other_period" if _is_of_another_period(folded, rest, measure) else ""


def doubting_word(text: str, measure: Measure) -> str:
    """The first word for which no sentence that has it can count, beside the measure's own words, as it
    is written in a measure's description; empty for none."""
    rest = without_words(without_marks(fold(text)), measure)
    found = [one.search(rest) for one in (GOAL, CASE, DENIED, SCORN, HEARSAY)]
    words = sorted((one.start(), one.group().strip()) for one in found if one)
    return words[0][1] if words else ""


def _is_wanted(raw: str, rest: str, measure: Measure) -> bool:
    wanted = GOAL.search(rest) or CASE.search(rest) or _MAY.search(raw)
    return bool(wanted) or _is_to_come(raw, measure)


def _is_given(rest: str, place: Place) -> bool:
    return place is not None and "," in rest[place[1] :] and bool(GIVEN.match(rest[: place[0]]))


def _is_said_of(folded: str, measure: Measure, place: Place) -> bool:
    """Whether the figure and the measure's words are together what the sentence speaks of: "60 users is
    the number that answered" has its words behind, "60 users that answered is the bar" does not."""
    if place is None:
        return False
    ends = [
        max((end for one in several for _, end in places(folded, one)), default=0)
        for several in measure.words
    ]
    return SAID_OF.match(folded, max(place[1], *ends)) is not None


def _is_to_come(raw: str, measure: Measure) -> bool:
    """A future or a conditional of Spanish that is not the measure's own word. A measure of what
    somebody would do is answered by a conditional."""
    own = _own_words(measure).split()
    answers = "would" in own
    return any(
        fold(found.group()) not in own and not (answers and found.group().endswith("ían"))
        for found in GOAL_ENDING.finditer(raw.lower())
    )


def _is_hearsay(folded: str, rest: str, place: Place, measure: Measure) -> bool:
    """Whether somebody else says it: in marks of quotation, or by a verb in front of the figure or
    behind the sentence's last comma. "40 % said that they would" tells of an answer and is none."""
    if HEARSAY.search(rest) or _is_of_others(rest):
        return True
    spoken = [found.span() for found in _QUOTED.finditer(folded)]
    if place and any(start <= place[0] < end for start, end in spoken):
        return True
    if not place and spoken and not has_all(_QUOTED.sub(" ", folded), measure):
        return True
    return any(
        (_is_behind_comma(rest, found) or _is_in_front(rest, found, place))
        and not OWN_RECORD.search(_around(rest, found))
        for found in SAYING.finditer(rest)
    )


def _is_of_others(rest: str) -> bool:
    return any(not OF_OTHERS.search(rest[: one.start()]) for one in OTHERS.finditer(rest))


def _is_in_front(rest: str, found: re.Match[str], place: Place) -> bool:
    if place:
        return found.start() < place[0]
    return SAID_THAT.match(rest, found.end()) is not None or found.group() == "according to"


def _is_behind_comma(rest: str, found: re.Match[str]) -> bool:
    return rest[: found.start()].rstrip().endswith((",", "-", "(", "—", "–"))


def _around(rest: str, found: re.Match[str]) -> str:
    """Who says it: the words in front of a verb, the few behind "according to"."""
    first = found.group() in ("according to", "segun")
    return rest[found.end() : found.end() + _WHO] if first else rest[: found.start()][-_WHO:]


def _is_of_another_period(folded: str, rest: str, measure: Measure) -> bool:
    """A figure a year, or an amount of a year, where the measure is of a month; nothing is asked where
    it names no period."""
    own = _own_words(measure)
    named = [one for one in PERIODS if one.search(own)]
    summed = measure.sign and SUMMED.search(folded)
    others = any(one.search(rest) for one in PERIODS if one not in named)
    return bool(named) and (bool(summed) or others)


def _own_words(measure: Measure) -> str:
    return fold(" ".join(one for several in measure.words for one in several))
