"""What a figure that stands in no note may be calculated from, nearest figures first."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import islice

from daemon.quality.claims import Claim
from daemon.quality.content_words import content_stems, names
from daemon.quality.derived_figures import MOST_OPERANDS, Operand, Speech, derive, speech
from daemon.quality.figure_index import FigureIndex
from daemon.quality.figure_labels import is_label
from daemon.quality.figure_text import RANGE_MARKS, Number
from daemon.quality.figures import SMALLEST, Figure
from daemon.quality.passages import Passages

_THING = re.compile(r" ([a-z]{4,})")
_EXACT_DIGITS = 3
_AROUND = 3
_MANY_OPERANDS = 14
_LONGEST_RANGE = 5
_CERTAIN_DIGITS = 4
_NEARBY = 6
_CROWD = 60
_MOST_TRIES = 200  # a text with more figures in no note is rejected anyway
_SCALING = (" x ", " of ", " / ")


class Arithmetic:
    """The figures of one output that may be calculated with; grows by those that were derived."""

    def __init__(
        self,
        output: Passages,
        index: FigureIndex,
        figures: Sequence[Figure],
        claims: Sequence[Claim],
        source_ids: Sequence[str],
    ) -> None:
        self._output = output
        self._index = index
        self._looked_up = list(zip(figures, claims, strict=True))
        self._source_ids = {name: number for number, name in enumerate(source_ids)}
        self._doubtful = {(f.start, f.end) for f, c in self._looked_up if c.status == "absent"}
        self._derived: dict[float, str] = {}
        self._stems_of: dict[tuple[int, tuple[int, int]], frozenset[str]] = {}
        self._tries = _MOST_TRIES
        self._figures = sorted((f.start, f.end) for f in figures)
        self._operands = sorted(self._all_operands(figures), key=lambda one: one[:2])

    def explain(self, figure: Figure) -> str:
        """The arithmetic that gives the figure; empty where none near it does.

        Tried in turn: its sentence or row; with the sentence before; its column; the source's
        sentences where the figures beside it stand; for a figure of three digits and more, what
        stands around those in sentences that share a word with its own. What was derived once may be
        named and used again.
        """
        if figure.kind in ("date", "time") or self._tries == 0:
            return ""
        self._tries -= 1
        note = self._near(figure) or self._from_notes(figure) or self._again(figure)
        if note:
            self._doubtful.discard((figure.start, figure.end))
            self._derived[figure.readings[0][0]] = note
        return note

    def _near(self, figure: Figure) -> str:
        row = self._output.row(figure.start)
        if row:
            said = speech("", certain=True)
            return derive(figure, self._within(row, figure), said) or derive(
                figure, self._column(row, figure), said
            )
        start, end = self._output.sentence(figure.start)
        before, _ = self._output.sentence(max(0, start - 2))
        said = speech(self._output.folded[start:end], certain=False)
        return derive(figure, self._within((start, end), figure), said) or derive(
            figure, self._within((before, end), figure), said
        )

    def _from_notes(self, figure: Figure) -> str:
        row = self._output.row(figure.start)
        start, end = row or self._output.sentence(figure.start)
        said = speech(self._output.folded[start:end], certain=row is not None)
        digits = _digits(figure)
        if digits >= _CERTAIN_DIGITS or len(re.sub(r"\D", "", figure.text)) > _CERTAIN_DIGITS:
            said = replace(said, certain=True)
        if not said.said and not figure.about:
            return ""
        before, _ = (start, end) if row else self._output.sentence(max(0, start - 2))
        exact = digits >= _EXACT_DIGITS
        places = self._places(figure, before, end)
        if exact:
            places += self._nearest(figure)
        own = self._within((start, end), figure)
        for around, most in ((0, MOST_OPERANDS), (_AROUND, _MANY_OPERANDS))[: 2 if exact else 1]:
            note = self._in_notes(figure, said, places, around, most, own)
            if note:
                return note
        named = self._named(start, end)
        same = [*own, *self._of_the_same(figure, start, end)]
        return self._in_notes(figure, said, named, 1, MOST_OPERANDS, own, _SCALING) or derive(
            figure, same, said, signs=_SCALING
        )

    def _places(self, figure: Figure, start: int, end: int) -> list[tuple[int, int]]:
        """Where in the sources the other figures of [start, end) stand."""
        return [
            (self._source_ids[claim.source], claim.place[0])
            for other, claim in self._looked_up
            if start <= other.start < end and other is not figure and claim.place
        ]

    def _nearest(self, figure: Figure) -> list[tuple[int, int]]:
        near = [(abs(f.start - figure.start), f) for f, claim in self._looked_up if claim.place]
        near = sorted(near, key=lambda one: one[0])[:_NEARBY]
        return [place for _, f in near for place in self._places(figure, f.start, f.end)]

    def _named(self, start: int, end: int) -> list[tuple[int, int]]:
        """Where the sources first speak of the names of [start, end)."""
        found = (
            (number, text.text.find(name))
            for at, name in names(self._output.text[start:end])
            if at
            for number, text in enumerate(self._index.texts)
        )
        return list(islice((one for one in found if one[1] >= 0), _NEARBY))

    def _of_the_same(self, figure: Figure, start: int, end: int) -> list[Operand]:
        """Figures elsewhere in the text that count the same thing as those of [start, end)."""
        things = {self._thing(at) for first, at, _ in self._operands if start <= first < end}
        things = (things | {self._thing(figure.end)}) - {""}
        return [
            operand
            for first, last, operand in self._operands
            if not start <= first < end
            and (operand.text.split()[-1].lower() in things or self._thing(last) in things)
            and (first, last) not in self._doubtful
        ][:_NEARBY]

    def _thing(self, end: int) -> str:
        found = _THING.match(self._output.folded, end)
        return found[1] if found else ""

    def _in_notes(
        self,
        figure: Figure,
        said: Speech,
        places: Sequence[tuple[int, int]],
        around: int,
        most: int,
        own: Sequence[Operand],
        signs: Collection[str] = (),
    ) -> str:
        about = self._about(figure) if around else frozenset()
        for source, place in dict.fromkeys(places):
            text = self._index.texts[source]
            within = text.row(place) if not around else None
            start, end = within or text.sentence(place, around)
            there = self._index.in_range(source, start, end)
            if around:
                there = [one for one in there if about & self._stems(source, one.start)]
            known = [Operand(text.text[p.start : p.end], p.value, p.percent) for p in there]
            note = derive(figure, [*(own if around else ()), *known], said, most, signs)
            if note:
                return note
        return ""

    def _about(self, figure: Figure) -> frozenset[str]:
        """The content words of its sentence, or of its row with the heads of the columns."""
        if self._output.row(figure.start):
            return self._output.window_stems(figure.start)
        return content_stems(self._output.folded[slice(*self._output.sentence(figure.start))])

    def _stems(self, source: int, place: int) -> frozenset[str]:
        """The content words of the source's sentence or row there."""
        text = self._index.texts[source]
        if text.row(place):
            return text.window_stems(place)
        sentence = text.sentence(place)
        if (source, sentence) not in self._stems_of:
            self._stems_of[source, sentence] = content_stems(text.folded[slice(*sentence)])
        return self._stems_of[source, sentence]

    def _again(self, figure: Figure) -> str:
        return self._derived.get(figure.readings[0][0], "")

    def _all_operands(self, figures: Sequence[Figure]) -> Iterable[tuple[int, int, Operand]]:
        """Every figure that was looked up, and small numbers that the sources have."""
        text = self._output.text
        for number in self._output.numbers:
            if number.readings and self._may_be_used(number):
                value = number.readings[0][0]
                written = text[number.start : number.end]
                yield number.start, number.end, Operand(written, value, number.percent)
        for figure in figures:
            if figure.readings and (figure.fraction or figure.text[:1].isalpha()):
                value = figure.readings[0][0]
                yield figure.start, figure.end, Operand(figure.text, value, figure.fraction)

    def _may_be_used(self, number: Number) -> bool:
        if self._overlapping(number.start, number.end):
            return True
        value = number.readings[0][0]
        if value > SMALLEST or not self._index.has(value):
            return False
        return not is_label(self._output.text, number.start, number.end, value)

    def _overlapping(self, start: int, end: int) -> list[tuple[int, int]]:
        """The looked up figures that share a character with [start, end)."""
        near = bisect_left(self._figures, (end, 0))
        return [one for one in self._figures[max(0, near - _NEARBY) : near] if one[1] > start]

    def _within(self, place: tuple[int, int], figure: Figure) -> list[Operand]:
        """The figures at a place, without the figure itself, its range, and those in no note.

        At most _CROWD are looked at: of a list of hundreds, chance gives every sum.
        """
        found = []
        first = bisect_left(self._operands, place[0], key=lambda one: one[0])
        last = bisect_left(self._operands, place[1], key=lambda one: one[0])
        for start, end, operand in self._operands[first : min(last, first + _CROWD)]:
            if self._same_or_range(figure, start, end):
                continue
            if not self._doubtful.intersection(self._overlapping(start, end)):
                found.append(operand)
        return found

    def _same_or_range(self, figure: Figure, start: int, end: int) -> bool:
        if figure.start < end and start < figure.end:
            return True
        first, last = min(end, figure.end), max(start, figure.start)
        return last - first <= _LONGEST_RANGE and self._output.text[first:last] in RANGE_MARKS

    def _column(self, row: tuple[int, int], figure: Figure) -> list[Operand]:
        """The figures over it in the same column of its table."""
        text = self._output.text
        column = text.count("|", row[0], figure.start)
        found: list[Operand] = []
        start = row[0]
        while start > 0:
            end, start = start - 1, text.rfind("\n", 0, start - 1) + 1
            if self._output.row(start) is None:
                break
            bars = [at for at in range(start, end) if text[at] == "|"]
            if 0 < column < len(bars):
                found += self._within((bars[column - 1], bars[column]), figure)
        return found


def _digits(figure: Figure) -> int:
    """Significant digits as written: how unlikely it is that chance gives the same."""
    return len(re.sub(r"\D", "", figure.text).strip("0"))
