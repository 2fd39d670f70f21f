"""The figures of the notes that a figure may be calculated from: those of sentences about the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from daemon.quality.derived_products import Operand
from daemon.quality.figure_index import FigureIndex, Place
from daemon.quality.figure_text import currency
from daemon.quality.passages import Passages
from daemon.quality.units import unit_at

_MOST_PLACES = 60
_MOST_SENTENCES = 3
_ENOUGH = 2
_MOST_ROWS = 30

_Sentence = tuple[int, int, int]


class Group(NamedTuple):
    """Figures that belong together; a result takes one of `own`, where there are any."""

    operands: list[Operand]
    own: Sequence[Operand] = ()


class Terms:
    """Asks the notes which of their sentences and tables are about given words."""

    def __init__(self, index: FigureIndex) -> None:
        self._index = index
        self._places: dict[str, list[tuple[int, int]]] = {}

    def groups(self, stems: frozenset[str]) -> Iterable[Group]:
        """Figures that belong together: of the best sentence, of it and those around it, of the best of
        its note; of a table each column, the row, and the columns' sums.
        """
        best = self.best(stems)
        for source, start, end in best:
            text = self._index.texts[source]
            if text.row(start):
                yield from self._table(source, start)
            else:
                yield Group(self.operands(source, start, end))
        for source, start, _ in best[:1]:
            text = self._index.texts[source]
            if not text.row(start):
                yield Group(self.operands(source, *text.sentence(start, 1)))
            same = [one for one in best if one[0] == source]
            if len(same) > 1:
                yield Group([one for each in sorted(same) for one in self.operands(*each)])

    def operands(self, source: int, start: int, end: int) -> list[Operand]:
        """The figures of a source in [start, end), once each."""
        text = self._index.texts[source]
        found: dict[int, Operand] = {}
        for place in self._index.in_range(source, start, end):
            found.setdefault(place.start, as_operand(text, place))
        return list(found.values())

    def best(self, stems: frozenset[str]) -> list[tuple[int, int, int]]:
        """(source, start, end) of the sentences with figures that share most words; rare ones count more."""
        score: dict[_Sentence, float] = {}
        shared: dict[_Sentence, int] = {}
        for stem in sorted(stems):
            places = self._of(stem)
            here: set[_Sentence] = set()
            for source, at in places:
                text = self._index.texts[source]
                here.add((source, *text.row_or_sentence(at)))
            for one in here:
                score[one] = score.get(one, 0.0) + 1.0 + 1.0 / len(places)
                shared[one] = shared.get(one, 0) + 1
        enough = min(_ENOUGH, len(stems))
        ranked = sorted(
            (one for one in score if shared[one] >= enough), key=lambda one: (-score[one], one)
        )
        texts = self._index.texts
        with_figures = (
            one for one in ranked if texts[one[0]].numbers_in(*one[1:]) or texts[one[0]].row(one[1])
        )
        return list(islice(with_figures, _MOST_SENTENCES))

    def _of(self, stem: str) -> list[tuple[int, int]]:
        """Where a word begins with the stem; nothing for one that stands everywhere."""
        if stem not in self._places:
            found: list[tuple[int, int]] = []
            for number, text in enumerate(self._index.texts):
                wanted = _MOST_PLACES + 1 - len(found)
                if wanted > 0:
                    starts = text.word_starts(stem, _MOST_PLACES + 1)
                    found += [(number, at) for at in starts[:wanted]]
            self._places[stem] = found if len(found) <= _MOST_PLACES else []
        return self._places[stem]

    def _table(self, source: int, row: int) -> Iterable[Group]:
        """Where one cell has one figure: each column about the row's own, the row, the columns' sums."""
        text = self._index.texts[source]
        cells = [list(self._cells(source, start, end)) for start, end in _rows(text, row)]
        here = self.operands(source, *(text.row(row) or (row, row)))
        sums: list[Operand] = []
        for column in range(max(map(len, cells), default=0)):
            whole = [one[column] for one in cells if column < len(one)]
            column_of = [operands[0] for operands in whole if len(operands) == 1]
            yield Group(column_of, [one for one in column_of if one in here])
            if len(column_of) > 1 and not any(one.percent or one.is_year for one in column_of):
                written = " + ".join(one.text for one in column_of)
                sums.append(Operand(f"({written})", sum(one.value for one in column_of)))
        yield Group(here)
        yield Group(sums)

    def _cells(self, source: int, start: int, end: int) -> Iterable[list[Operand]]:
        text = self._index.texts[source].text
        at = text.find("|", start, end)
        while at >= 0:
            behind = text.find("|", at + 1, end)
            if behind >= 0:
                yield self.operands(source, at, behind)
            at = behind


def as_operand(text: Passages, place: Place) -> Operand:
    """A figure of a note, with what it measures."""
    unit = unit_at(text.folded, place.end)
    of = currency(text.text, place.start, place.end) or (unit.kind if unit else "")
    return Operand(text.text[place.start : place.end], place.value, place.percent, of)


def _rows(text: Passages, row: int) -> Sequence[tuple[int, int]]:
    """The rows of the table around a row, in order; at most 30 up and down."""
    found = []
    for step in (-1, 1):
        at = row if step < 0 else (text.row(row) or (row, row))[1] + 1
        for _ in range(_MOST_ROWS):
            here = text.row(at) if 0 <= at < len(text.text) else None
            if here is None:
                break
            found.append(here)
            at = here[0] - 1 if step < 0 else here[1] + 1
    return sorted(set(found))
