"""The figures of an output that may be calculated with: nearest first, none that is in no note."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from daemon.quality.derived_products import Operand
from daemon.quality.figure_index import FigureIndex
from daemon.quality.figure_labels import is_label
from daemon.quality.figure_text import RANGE_MARKS, Number, currency
from daemon.quality.figures import SMALLEST, Figure
from daemon.quality.passages import Passages
from daemon.quality.units import unit_at

_THING = re.compile(r" ([a-z]{4,})")
_LONGEST_RANGE = 5
_NEARBY = 6
_CROWD = 60
_CLAUSE = 40


class OwnFigures:
    """Every figure that was looked up, and small numbers that the sources have."""

    def __init__(
        self,
        output: Passages,
        index: FigureIndex,
        figures: Sequence[Figure],
        doubtful: set[tuple[int, int]],
    ) -> None:
        self._output = output
        self._index = index
        self._doubtful = doubtful
        self._figures = sorted((f.start, f.end) for f in figures)
        self._operands = sorted(self._all(figures), key=lambda one: one[:2])

    def within(self, place: tuple[int, int], figure: Figure) -> list[Operand]:
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

    def beside(self, figure: Figure, start: int, end: int) -> list[Operand]:
        """The two amounts nearest in front of the figure in [start, end), else behind it, in its clause."""
        text = self._output.text
        near: list[tuple[int, Operand]] = []
        for first, last, operand in self._operands:
            if not start <= first < end or operand.percent or operand.is_year:
                continue
            gap = text[last : figure.start] if last <= figure.start else text[figure.end : first]
            if not gap and first < figure.end and last > figure.start:
                continue
            if len(gap) <= _CLAUSE and ";" not in gap and (first, last) not in self._doubtful:
                near.append((len(gap) + (_CLAUSE if first > figure.start else 0), operand))
        return [one for _, one in sorted(near, key=lambda one: one[0])[:2]]

    def column(self, row: tuple[int, int], figure: Figure) -> list[Operand]:
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
                found += self.within((bars[column - 1], bars[column]), figure)
        return found

    def of_the_same(self, figure: Figure, start: int, end: int) -> list[Operand]:
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

    def _all(self, figures: Sequence[Figure]) -> Iterable[tuple[int, int, Operand]]:
        text = self._output.text
        for number in self._output.numbers:
            if number.readings and self._may_be_used(number):
                value = number.readings[0][0]
                written = text[number.start : number.end]
                unit = unit_at(self._output.folded, number.end)
                of = currency(text, number.start, number.end) or (unit.kind if unit else "")
                yield number.start, number.end, Operand(written, value, number.percent, of)
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

    def _same_or_range(self, figure: Figure, start: int, end: int) -> bool:
        if figure.start < end and start < figure.end:
            return True
        first, last = min(end, figure.end), max(start, figure.start)
        return last - first <= _LONGEST_RANGE and self._output.text[first:last] in RANGE_MARKS
