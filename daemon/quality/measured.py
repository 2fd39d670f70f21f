"""Figures bound to a measure: what a text says of one thing, sentence by sentence.

Conservative on purpose. A sentence in which more than one figure could be meant, which is about a
goal, a condition or an estimate, which denies, or which rounds is given back with its doubt, so that
it can be shown; it never counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from daemon.quality.characters import ZERO_WIDTH_SIGNS
from daemon.quality.doubt_words import (
    LABEL,
    PARTITIVE,
    RELATIVE,
    RELATIVE_BEHIND,
    ROUNDED,
    ROUNDED_BEHIND,
    SIGNED,
)
from daemon.quality.measure import Measure, excluded, has_all, may_have, places, says
from daemon.quality.measure_doubts import sentence_doubt
from daemon.quality.measure_wholes import (
    is_known_group,
    labelled,
    wholes_of,
    with_one_of,
    without_repeated_whole,
)
from daemon.quality.normalise import fold
from daemon.quality.plain_sentences import plain_sentences
from daemon.quality.sentence_numbers import SentenceNumber, numbers_in
from daemon.quality.units import Unit, unit_at

SightDoubt = Literal[
    "",
    "no_figure",
    "several_figures",
    "rounded",
    "other_whole",
    "other_period",
    "goal",
    "denied",
    "hearsay",
    "excluded",
]

_CLAUSE = re.compile(
    r";|:(?=\s)|\s[—–]\s|[()]|,?\s(?:but|while|whereas|although|pero|mientras|aunque)\s|,\s(?:and|y|e|or|o|u)\s"
)
_RANGE_BEFORE = re.compile(
    r"\d ?(?:%|[$€£])?(?: ?[-–—/] ?| (?:to|a|or|o|and|y|through|al|hasta) (?:the |el |la |los |las )?)[$€£]?$"
    r"|\b(?:one|un[oa]?) (?:or|to|o|a) $"
)
_RANGE_BEHIND = re.compile(
    r"(?: ?%)?(?: ?[-–—/] ?[$€£]?\d| (?:to|a|through|al|hasta) (?:the |el )?[$€£]?\d"
    r"| ?\+|,? (?:or|and) (?:more|less|fewer)\b"
    r"|,? (?:o|y) (?:mas|menos)\b)"
)
_DAY_BEFORE = re.compile(r"\b(?:on|since|dated|el|del|desde) $")  # on 6/25
_HIDDEN = re.compile(r"<!--.*?(?:-->|\Z)|~~[^~\n]{1,2000}~~", re.DOTALL)
_YEAR_OF = re.compile(r"(?<![\w.,/-])(?:19\d\d|20\d\d|2100) ([^\W\d_]+)")
_RATE = re.compile(
    r"[^\w.,;:]{0,2}(?:(?:usd|eur|gbp|dollars?|dolares|euros?|pounds?|libras?) )?"
    r"(?:per|each|an?|por|cada|al) ([^\W\d_]+)"
)
_WORDS_TO_UNIT = 3
_LABELLED = re.compile(r"\s*(?:usd |us\$ ?|[$€£] ?)?\d")
_LONGEST = 1_500
_MOST = 500


@dataclass(frozen=True)
class Sight:
    """One sentence at `span` that is about the measure.

    `value` is in the measure's own unit, None where there is no one figure, or none was looked for;
    it stands at `place`. `whole` is what it is given of, None where nothing is said. `doubt` is why it may not count;
    empty where it may. `word` is the excluding word of "excluded".
    """

    span: tuple[int, int]
    value: float | None = None
    place: tuple[int, int] | None = None
    whole: float | None = None
    doubt: SightDoubt = ""
    word: str = ""


def sight(text: str, measure: Measure) -> list[Sight]:
    """What the text says of the measure, in order. A sentence without any number is left out where a
    figure is looked for, and so is one that is no plain sentence for its length; of a text that
    repeats itself the first 500. What is struck through or in a comment is not read. Linear; never raises."""
    text = _without_hidden(text)
    folded = fold(text)
    found: list[Sight] = []
    if not may_have(folded, measure):
        return found
    for start, end in plain_sentences(text):
        if end - start > _LONGEST or not has_all(folded[start:end], measure):
            continue
        if len(found) >= _MOST:
            break
        seen = _sentence(text[start:end], folded[start:end], measure)
        if seen is not None:
            place = (seen.place[0] + start, seen.place[1] + start) if seen.place else None
            found.append(replace(seen, span=(start, end), place=place))
    return found


def _without_hidden(text: str) -> str:
    """What was struck through, or put into a comment, is not said; offsets and lines stay."""
    return _HIDDEN.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def _sentence(raw: str, folded: str, measure: Measure) -> Sight | None:
    """What one sentence says; None where it has no number to go by. Signs that nobody sees part no word."""
    if not ZERO_WIDTH_SIGNS.isdisjoint(raw):
        shown = "".join(sign for sign in raw if sign not in ZERO_WIDTH_SIGNS)
        seen = _sentence(shown, fold(shown), measure)
        return replace(seen, place=None) if seen else None
    blank = Sight((0, 0))
    seen = _figure(raw, folded, measure) if measure.figure else blank
    if seen is None:
        return None
    word = excluded(folded, measure)
    if word:
        return replace(seen, doubt="excluded", word=word)
    said = sentence_doubt(raw, folded, measure, seen.place)
    keeps = said == "other_period" and seen.doubt
    return replace(seen, doubt=said) if said and not keeps else seen


def _figure(raw: str, folded: str, measure: Measure) -> Sight | None:
    """The one figure of the clauses that have the measure's words."""
    numbers = with_one_of(folded, list(numbers_in(raw, folded)), measure)
    if not numbers:
        return Sight((0, 0), doubt="no_figure") if _has_year_of_noun(folded, measure) else None
    sights = []
    for start, end in _clauses(folded, numbers):
        if has_all(folded[start:end], measure):
            inside = [one for one in numbers if start <= one.start < end]
            sights.append(_bound(folded, (start, end), inside, measure))
    counted = [one for one in sights if one.value is not None]
    if len({one.value for one in counted}) > 1:
        return Sight((0, 0), doubt="several_figures")
    return (counted or sights or [Sight((0, 0), doubt="no_figure")])[0]


def _has_year_of_noun(folded: str, measure: Measure) -> bool:
    """Whether a count may stand there that is written like a year: "2050 firms"; "2,050" is none."""
    return any(
        says(found[1], unit)
        for found in _YEAR_OF.finditer(folded)
        for unit in map(fold, measure.unit)
    )


def _bound(
    folded: str, clause: tuple[int, int], numbers: Sequence[SentenceNumber], measure: Measure
) -> Sight:
    numbers = [one for one in numbers if not is_known_group(folded, one, measure)]
    wholes, every = wholes_of(folded, numbers, measure), numbers
    numbers = without_repeated_whole(numbers, wholes, measure)
    fitting = [one for one in numbers if one not in wholes.values() and _fits(folded, one, measure)]
    if not measure.unit or _is_noun(measure):
        fitting = fitting or _of_some(folded, every, wholes, measure)
        fitting = fitting or labelled(folded, clause, numbers, wholes, measure)
    if not fitting:
        return Sight((0, 0), doubt="no_figure")
    number = fitting[0]
    whole = wholes.get(number.start)
    meant = {one.value for one in [*fitting, *_rivals(numbers, number, whole)]}
    if len(meant) > 1:
        return Sight((0, 0), doubt="several_figures")
    value = _in_unit(number, measure)
    seen = Sight((0, 0), value, (number.start, number.end), whole.value if whole else None)
    if number.open or _is_rounded(folded, clause, number, whole, measure):
        return replace(seen, doubt="rounded")
    if measure.of is not None and (whole is None or whole.value != measure.of):
        return replace(seen, doubt="other_whole")
    return seen


def _of_some(
    folded: str,
    numbers: Sequence[SentenceNumber],
    wholes: Mapping[int, SentenceNumber],
    measure: Measure,
) -> list[SentenceNumber]:
    """Parts of a whole that has the unit: 6 of 25 firms, of 25 firms 6, 25 firms of which 6 of 25."""
    named: set[float] = set()
    given = {one.value for one in wholes.values()}
    for one in numbers:
        if one.value in given - named and (not measure.unit or _has_noun(folded, one, measure)):
            named.add(one.value)
    return [
        one
        for one in numbers
        if one.start in wholes
        and one.bare
        and wholes[one.start].bare
        and wholes[one.start].value in named
    ]


def _rivals(
    numbers: Sequence[SentenceNumber], number: SentenceNumber, whole: SentenceNumber | None
) -> list[SentenceNumber]:
    """Other counts beside a count: "25 firms got the offer and 6 pay" does not say that 25 pay."""
    return [one for one in numbers if number.bare and one.bare and one is not whole]


def _fits(folded: str, number: SentenceNumber, measure: Measure) -> bool:
    unit = measure.unit[0].lower() if measure.unit else ""
    if not unit:
        return number.bare and not number.time and not LABEL.search(folded[: number.start])
    if unit == "%":
        return number.percent
    if measure.sign:
        return number.sign == measure.sign
    if _time(unit):
        return number.time is not None
    return number.bare and _has_noun(folded, number, measure)


def _is_noun(measure: Measure) -> bool:
    unit = measure.unit[0].lower()
    return not (unit == "%" or measure.sign or _time(unit))


def _has_noun(folded: str, number: SentenceNumber, measure: Measure) -> bool:
    """Whether the unit stands behind the number, at most three words away and in front of the next."""
    for unit in measure.unit:
        for start, _ in places(folded[number.end :], unit):
            between = folded[number.end : number.end + start]
            if len(between.split()) < _WORDS_TO_UNIT and not re.search(r"[\d,.;:|]", between):
                return True
    return False


def _time(unit: str) -> Unit | None:
    found = unit_at(fold(unit), 0)
    return found if found and found.kind == "time" else None


def _in_unit(number: SentenceNumber, measure: Measure) -> float:
    wanted = _time(measure.unit[0]) if measure.unit else None
    if wanted is None or number.time is None or wanted == number.time:
        return number.value
    return number.value * number.time.factor / wanted.factor


def _is_rounded(
    folded: str,
    clause: tuple[int, int],
    number: SentenceNumber,
    whole: SentenceNumber | None,
    measure: Measure,
) -> bool:
    """Behind "6/25" is what stands behind the 25; "a month" changes nothing where the measure names it."""
    end = max(number.end, whole.end if whole else 0)
    before, behind = folded[clause[0] : number.start], folded[end:]
    rate = _RATE.match(behind)
    if rate and any(rate[1] == fold(one) for several in measure.words for one in several):
        behind = behind[rate.end() :]
    return bool(
        ROUNDED.search(before)
        or SIGNED.search(before)
        or RELATIVE.search(before)
        or RELATIVE_BEHIND.match(behind)
        or (number.bare and whole is None and PARTITIVE.search(before))
        or (_DAY_BEFORE.search(before) and folded.startswith("/", number.end))
        or _RANGE_BEFORE.search(before)
        or _RANGE_BEHIND.match(behind)
        or ROUNDED_BEHIND.match(behind)
    )


def _clauses(folded: str, numbers: Sequence[SentenceNumber]) -> Iterator[tuple[int, int]]:
    """A label goes with the number behind its colon: "Median until signature: 47 days"."""
    start = 0
    for found in _CLAUSE.finditer(folded):
        labelled = found.group() == ":" and not any(
            start <= one.start < found.start() for one in numbers
        )
        if labelled and _LABELLED.match(folded, found.end()):
            continue
        yield start, found.start()
        start = found.end()
    yield start, len(folded)
