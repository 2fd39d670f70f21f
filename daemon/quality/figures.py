"""The figures of a text that are worth looking up, each with every number that it may mean."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from daemon.quality.dates import DateParts, find_dates
from daemon.quality.figure_labels import is_day, is_label
from daemon.quality.figure_text import FigureKind, Number, currency, find_numbers, places_of_digits
from daemon.quality.lines import at_lines
from daemon.quality.number_words import find_fractions, find_word_numbers
from daemon.quality.units import Unit, unit_at

SMALLEST = 12

_HOURS = 24
_BEFORE = 28

_ABOUT = re.compile(
    r"(?:about|around|approximately|approx\.?|roughly|nearly|almost|some|over|more than|less than|under|up to"
    r"|at least|close to|circa|ca\.|just|below|above|fewer than|exceed(?:s|ing)?|~|≈|>|<|unos|unas|cerca de|casi"
    r"|aproximadamente|alrededor de|mas de|menos de|en torno a|hasta|al menos|sobre|por encima de"
    r"|supera(?:n|r)?(?: los| las)?)"
    r"[ ~$€£]{0,3}(?:us\$|the |los |las |un |a )?$"
)
_NAMES_A_NUMBER = re.compile(
    r"(?:\b(?:art(?:icles?|iculos?|s?\.)?|sections?|secci(?:on|ones)|ley(?: organica)?|laws?|acts?|rulings?|sentencias?"
    r"|resoluci(?:on|ones)|decretos?|decrees?|reglamentos?|acuerdos?|registro oficial|case|causa|expediente|iso|rfc"
    r"|directi(?:ve|va)|tables?|figures?|fig\.|steps?|pages?|pp?\.|chapters?|appendix|notes?|footnotes?|tablas?|figuras?"
    r"|pasos?|paginas?|pags?\.|capitulos?|anexos?|notas?|fases?|phases?|passages?|version|no\.|nos\.|num\.|numero"
    r"|question|pregunta|item|tarea|task|criteri(?:on|o)|escenario|scenario|opcion|option|grupo|route|highway"
    r"|area code|suplemento)"
    r"|[§№]|\bn[.º°o]{1,2})[ ]?(?:n[.º°o]{1,2} ?)?$"
)
_LEFT_OUT = (
    re.compile(r"https?://\S+"),
    re.compile(r"www\.\S+"),
    re.compile(r"doi:\S+"),
    re.compile(r"\[(?:[^\[\]\s]{1,160}\](?:\([^)\s]*\))?|\d+(?:[ ,;–-]+\d+)*\])"),
    re.compile(r"0(?<![\d.,/-]0)[0-9]*-[0-9]+"),
)
_NUMBERING = re.compile(
    r"^[ \t>#*_|-]*\(?(?:\d{1,3}(?:\.\d{1,2}){0,3}[.)](?=[ \t*_])|(?<=#) ?\d{1,2}(?:\.\d{1,2})*(?= )"
    r"|\d{1,3} ?(?=\|))[ \t*_]*(?=\S)",
    re.MULTILINE,
)
_HEADING_NUMBER = re.compile(r"^[ \t]*#{1,6}[ \t]+\d{1,2}(?:\.\d{1,2})*(?=[ \t])", re.MULTILINE)
_CENTS = re.compile(r" (?:cents|centavos|centimos)\b")
_PERCENT = re.compile(r" per ?cent| por ciento| ?%")
_TIME = re.compile(r"[0-9]{1,2}[:h][0-5][0-9](?![0-9:])")


@dataclass(frozen=True)
class Figure:
    """A figure at [start, end) of a text.

    `readings` are (value, step of the last digit) pairs, more than one where the notation leaves it
    open; `before` is the folded text in front of it; `dates` is filled for dates only;
    `fraction` says that it is a share in words, which often is a way of speaking; `day` that it is one of
    several days of a month ("4 and 5 May"); `measured` is the unit behind a plain number.
    """

    start: int
    end: int
    text: str
    kind: FigureKind
    readings: tuple[tuple[float, float], ...]
    unit: str = ""
    before: str = ""
    dates: tuple[DateParts, ...] = ()
    fraction: bool = False
    day: bool = False
    measured: Unit | None = None

    @property
    def about(self) -> bool:
        """Whether the text itself calls it rounded."""
        return self.fraction or _ABOUT.search(self.before) is not None


def find_figures(
    raw: str,
    folded: str,
    hidden: Sequence[tuple[int, int]] = (),
    numbers: Sequence[Number] | None = None,
) -> list[Figure]:
    """All figures worth looking up, in order. `folded` is `raw` in lower case without accents.

    Left out: what lies in `hidden`, links, ids in brackets, numbering, bare integers up to twelve,
    and numbers that only name something (articles, tables, steps). `numbers` are those of `raw`, if
    they are at hand.
    """
    numbers = find_numbers(raw) if numbers is None else numbers
    taken = [*hidden, *_left_out(raw)]
    digits = places_of_digits(raw)
    dates = _outside(_dates(raw, digits), taken)
    taken += [(one.start, one.end) for one in dates]
    times = _outside(_times(raw, digits), taken)
    taken += [(one.start, one.end) for one in times]
    kept = _outside([*_numbers(raw, folded, numbers), *_worded(raw, folded)], taken)
    return sorted([*dates, *times, *_apart(kept)], key=lambda one: one.start)


def _left_out(raw: str) -> Iterable[tuple[int, int]]:
    for pattern in _LEFT_OUT:
        for found in pattern.finditer(raw):
            yield found.span()
    for pattern in (_NUMBERING, _HEADING_NUMBER):
        for found in at_lines(pattern, raw):
            yield found.span()


def _dates(raw: str, digits: Sequence[int]) -> Iterable[Figure]:
    for date in find_dates(raw, digits):
        text = raw[date.start : date.end]
        yield Figure(date.start, date.end, text, "date", (), dates=date.readings)


def _times(raw: str, digits: Iterable[int]) -> Iterable[Figure]:
    for found in filter(None, (_TIME.match(raw, at) for at in digits)):
        hour, minute = int(found.group()[:-3]), int(found.group()[-2:])
        if hour < _HOURS and not raw[found.start() - 1 : found.start()].isdigit():
            readings = ((float(hour * 100 + minute), 1.0),)
            yield Figure(found.start(), found.end(), found.group(), "time", readings)


def _numbers(raw: str, folded: str, numbers: Sequence[Number]) -> Iterable[Figure]:
    for number in numbers:
        unit = currency(raw, number.start, number.end)
        if not number.readings or _too_small(number.readings, bare=not (number.percent or unit)):
            continue
        kind: FigureKind = "percent" if number.percent else "money" if unit else "plain"
        before = folded[max(0, number.start - _BEFORE) : number.start]
        if kind == "plain" and _NAMES_A_NUMBER.search(before):
            continue
        start = number.start - (1 if raw[number.start - 1 : number.start] in tuple("$€£") else 0)
        text = raw[start : number.end]
        place = (raw, number.start, number.end, number.readings[0][0])
        day = kind == "plain" and is_day(*place)
        if kind == "plain" and not day and is_label(*place):
            continue
        measured = unit_at(folded, number.end) if kind == "plain" else None
        yield Figure(
            start, number.end, text, kind, number.readings, unit, before, day=day, measured=measured
        )


def _worded(raw: str, folded: str) -> Iterable[Figure]:
    for start, end, value in find_word_numbers(folded):
        if folded[max(0, start - 4) : start] in ("por ", "per "):
            continue
        percent = _PERCENT.match(folded, end)
        unit = currency(raw, start, end)
        kind: FigureKind = "percent" if percent else "money" if unit else "plain"
        readings: tuple[tuple[float, float], ...] = ((float(value), 1.0),)
        if _CENTS.match(folded, end):
            readings += ((value / 100, 0.01),)
        before = folded[max(0, start - _BEFORE) : start]
        yield Figure(start, end, raw[start:end], kind, readings, unit, before=before)
    for start, end, percent_value in find_fractions(folded):
        reading = ((percent_value, 1.0),)
        yield Figure(start, end, raw[start:end], "percent", reading, fraction=True)


def _too_small(readings: Sequence[tuple[float, float]], *, bare: bool) -> bool:
    value, _ = readings[0]
    return (bare and value <= SMALLEST and value == int(value)) or value == 0


def _outside(figures: Iterable[Figure], taken: Iterable[tuple[int, int]]) -> list[Figure]:
    """The figures that touch none of the places."""
    spans = sorted(taken)
    kept: list[Figure] = []
    at = behind = 0
    for figure in sorted(figures, key=lambda one: one.start):
        while at < len(spans) and spans[at][0] < figure.end:
            behind = max(behind, spans[at][1])
            at += 1
        if behind <= figure.start:
            kept.append(figure)
    return kept


def _apart(figures: list[Figure]) -> Iterable[Figure]:
    """Without figures that lie in one already given ("2 million" in digits and words)."""
    end = -1
    for figure in sorted(figures, key=lambda one: (one.start, -one.end)):
        if figure.start >= end:
            yield figure
            end = figure.end
